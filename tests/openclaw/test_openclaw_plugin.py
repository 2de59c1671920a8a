"""The OpenClaw plugin under Node: against scripted sockets, and against the real daemon."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import recalld
from support.daemon import running

HERE = Path(__file__).resolve().parent
PLUGIN = Path(recalld.__file__).resolve().parent / "openclaw"
OLDEST_NODE = 20
LIMIT_S = 120
NOTES = {
    "gateway.md": "# Gateway\n\nWe moved the gateway to port 9410 last week.\n",
    "压缩.md": "# 压缩\n\n我们上次定了：压缩算法用 zstd，级别是 3。\n",
}


@pytest.fixture(scope="session")
def node() -> str:
    found = shutil.which("node")
    if found is None:
        pytest.skip("node is not installed: the OpenClaw plugin is not tried")
    version = subprocess.run(
        [found, "--version"], capture_output=True, text=True, check=True
    ).stdout
    if int(version.lstrip("v").split(".")[0]) < OLDEST_NODE:
        pytest.skip(f"node {version.strip()} is older than {OLDEST_NODE}: the plugin is not tried")
    return found


def under_node(node: str, file: str, **environ: str) -> str:
    """Run one file of tests; its report, after at least one test ran and none failed or skipped."""
    done = subprocess.run(
        [node, "--test", "--test-reporter=tap", str(HERE / file)],
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
        stdin=subprocess.DEVNULL,
        env=os.environ | {"RECALLD_TEST_PLUGIN": str(PLUGIN)} | environ,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    counted = dict(re.findall(r"^# (tests|pass|fail|skipped|todo) (\d+)$", done.stdout, re.M))
    assert int(counted["tests"]) == int(counted["pass"]) > 0, done.stdout
    return done.stdout


@pytest.mark.parametrize(
    "file",
    [
        "hooks.test.mjs",
        "sessions.test.mjs",
        "faults.test.mjs",
        "queue.test.mjs",
        "heartbeat.test.mjs",
    ],
)
def test_the_plugin_and_scripted_sockets(node, file):
    under_node(node, file)


@pytest.fixture
def notes(tmp_path):
    folder = tmp_path / "notes"
    (folder / "memory").mkdir(parents=True)
    for name, text in NOTES.items():
        (folder / "memory" / name).write_text(text, encoding="utf-8")
    return folder


def with_daemon(node: str, file: str, home: Path, notes: Path) -> str:
    with running(home, workspaces=[notes]) as daemon:
        daemon.call("index.sync")
        report = under_node(
            node,
            file,
            RECALLD_SOCKET=str(daemon.socket_path),
            RECALLD_TEST_WORKSPACE=str(notes),
            RECALLD_TEST_PID=str(daemon.child.pid),
        )
        errors = daemon.call("status")["counters"].get("requests.internal_error", 0)
        assert errors == 0, daemon.log_text()
        return report


def test_the_plugin_and_the_daemon(node, tmp_path, notes):
    print(with_daemon(node, "real_daemon.test.mjs", tmp_path / "d", notes))


def test_the_plugin_and_continuity(node, tmp_path, notes):
    with_daemon(node, "real_continuity.test.mjs", tmp_path / "d", notes)
