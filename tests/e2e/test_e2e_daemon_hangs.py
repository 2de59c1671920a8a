"""Parts that hang: every prompt is still answered, and the process still ends."""

import signal
import subprocess
import sys
from uuid import uuid4

import anyio
import anyio.to_thread
import pytest

from support.daemon import Peer, environment, request
from support.hangs import ask, hung_readers, world

PROMPT = "which port did we move the gateway to?"
BUDGET_MS = 300


@pytest.fixture
def home(tmp_path):
    return tmp_path / "d"


@pytest.fixture
def notes(tmp_path):
    folder = tmp_path / "notes" / "memory"
    folder.mkdir(parents=True)
    (folder / "plan.md").write_text("# Plan\n\nThe gateway moved to port 9410.\n", encoding="utf-8")
    return folder.parent


async def prompts(wire, count=5):
    """Each in a session of its own: a session is shown a note once."""
    return [
        await ask(
            wire,
            "session.prompt",
            session={"key": str(uuid4())},
            text=PROMPT,
            budget_ms=BUDGET_MS,
        )
        for _ in range(count)
    ]


async def test_with_a_hung_embedder_prompts_are_answered_by_words_alone(home, notes):
    async with world(home, notes) as (wire, base, _):
        base.embedder.hung = True
        for result in await prompts(wire):
            assert result["status"] in {"ok", "partial", "timeout", "low_quality", "no_result"}
        assert base.embedder.asked > 0
        assert (await ask(wire, "ping"))["ok"]


@pytest.mark.allow_errors
async def test_with_hung_readers_of_the_store_prompts_end_without_memory(home, notes):
    async with world(home, notes) as (wire, base, _):
        async with hung_readers(base):
            for result in await prompts(wire):
                assert result["context"] is None
                assert result["status"] in {"timeout", "fail_open", "no_result", "partial"}
        assert (await ask(wire, "ping"))["ok"]


async def test_with_a_hung_trace_disk_prompts_are_answered_in_full(home, notes):
    async with world(home, notes) as (wire, _, disk):
        disk.hung = True
        await prompts(wire, 1)
        await anyio.to_thread.run_sync(disk.entered.wait, 10)
        for result in await prompts(wire):
            assert result["status"] == "ok"
            assert "9410" in result["context"]


HUNG_AT_EXIT = """
import os, sys, threading
import anyio, anyio.to_thread
from pathlib import Path
from recalld.app import main
from recalld.config import Settings
import recalld.server.methods.ping as ping

real = ping.METHOD.handler

async def hang(params, context):
    await anyio.to_thread.run_sync(threading.Event().wait)  # held to the end: not abandonable
    return {}

object.__setattr__(ping.METHOD, "handler", hang)
sys.exit(main(Settings(sys.argv[1], dict(os.environ))))
"""


@pytest.fixture
def stuck(home):
    """A daemon with a request in a thread that never comes back and may not be abandoned."""
    home.mkdir(mode=0o700)
    (home / "config.toml").touch()
    environ = environment(home / "state", RECALLD_SOCKET=str(home / "s.sock"))
    child = subprocess.Popen(
        [sys.executable, "-c", HUNG_AT_EXIT, str(home / "config.toml")],
        env=environ,
        stderr=subprocess.PIPE,
    )
    assert child.stderr is not None
    for line in child.stderr:
        if b'"ready"' in line:
            break
    peer = Peer(home / "s.sock")
    peer.say(request("ping"))
    assert peer.ask("status", 2)["id"] == 2
    yield child
    peer.socket.close()
    child.kill()
    child.wait()
    child.stderr.close()


def test_a_thread_that_never_returns_cannot_keep_the_process_alive(stuck):
    stuck.send_signal(signal.SIGTERM)
    assert stuck.wait(timeout=10) == 0


def test_a_second_sigterm_ends_it_at_once(stuck):
    stuck.send_signal(signal.SIGTERM)
    for line in stuck.stderr:
        if b'"stopping"' in line:
            break
    stuck.send_signal(signal.SIGTERM)
    assert stuck.wait(timeout=2) == 0
