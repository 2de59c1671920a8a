"""Daemons for the bench: one that indexes from nothing, and others on what it made."""

import shutil
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from bench.perf.lines import Line
from bench.perf.talk import PING, prompt_line, seconds
from support.daemon import Peer, Process, launched, running

INDEXING_S = 600.0
CLIENTS = 16
STARTS = 5
SETTLE_S = 20.0
# The same questions are asked many times over; each is to cost what the first one does.
SHOWN_AGAIN = "[recall]\nledger_turns = 0\n"


def index_from_nothing(home: Path, notes: Path) -> list[Line]:
    """Chunks a second until everything can be found by word and by vector."""
    with running(home, workspaces=[notes]) as process:
        began_s = time.perf_counter()
        with process.peer(timeout_s=INDEXING_S) as peer:
            report = peer.result("index.sync", wait=True)
            took_s = time.perf_counter() - began_s
            memory_then = memory(peer, "RSS after indexing it all")
        process.stop()
    detail = f"{report['chunks']} chunks of {report['files']} files in {took_s:.1f} s"
    rate = report["chunks"] / took_s
    return [
        Line(name="indexed, with vectors", value=rate, unit="chunks/s", detail=detail),
        memory_then,
    ]


@contextmanager
def warm(home: Path, notes: Path, question: str) -> Iterator[Process]:
    """A daemon on an index that exists, with its engine and its corpus in memory."""
    with running(home, workspaces=[notes], config=SHOWN_AGAIN) as process:
        with process.peer() as peer:
            peer.result("index.sync", wait=True)
            deadline_s = time.monotonic() + SETTLE_S
            while not timed_hit(peer, question):
                if time.monotonic() > deadline_s:
                    raise RuntimeError("the daemon does not find what is in its notes")
        yield process
        process.stop()


def timed_hit(peer: Peer, question: str) -> bool:
    result = peer.result("session.prompt", session={"key": "warm"}, text=question)
    return any(stage["name"] == "literal" for stage in result["stages"]) and bool(result["hits"])


def copied(home: Path, other: Path) -> Path:
    """A second home with the same state."""
    other.mkdir(mode=0o700)
    shutil.copytree(home / "state", other / "state")
    return other


def starts(home: Path, notes: Path) -> list[Line]:
    """From exec to READY, and to the first answer, over an index that exists."""
    ready_s, answered_s = [], []
    for _ in range(STARTS):
        began_s = time.perf_counter()
        with launched(home, workspaces=[notes]) as process:
            process.until_told("READY=1")
            ready_s.append(time.perf_counter() - began_s)
            with process.peer() as peer:
                seconds(peer, PING)
            answered_s.append(time.perf_counter() - began_s)
            process.stop()
    spread = f"{min(ready_s):.2f} to {max(ready_s):.2f} s, n={STARTS}"
    return [
        Line(name="start to READY", value=median(ready_s), unit="s", at_most=2.0, detail=spread),
        Line(name="start to first ping", value=median(answered_s), unit="s", at_most=2.0),
    ]


def memory(peer: Peer, name: str) -> Line:
    megabytes = peer.result("status")["rss_bytes"] / 1e6
    return Line(name=name, value=megabytes, unit="MB", at_most=300.0)


def load(process: Process, name: str, messages: Sequence[str], *, each: int) -> Line:
    """Prompts a second from ``CLIENTS`` connections that never pause."""

    def client(number: int) -> int:
        with process.peer() as peer:
            for at in range(each):
                seconds(peer, prompt_line(messages[(number * each + at) % len(messages)]))
        return each

    with ThreadPoolExecutor(CLIENTS) as pool:
        began_s = time.perf_counter()
        done = sum(pool.map(client, range(CLIENTS)))
        took_s = time.perf_counter() - began_s
    return Line(
        name=f"{name} prompts, {CLIENTS} clients",
        value=done / took_s,
        unit="/s",
        detail=f"n={done}",
    )
