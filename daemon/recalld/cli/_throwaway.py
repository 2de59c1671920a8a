"""A real daemon for a few moments: its own socket, state and settings, gone afterwards."""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from recalld.client import Client, ClientError
from recalld.errors import Unavailable

_READY_S = 20.0
_STOP_S = 6.0
_POLL_S = 0.05
_LOG_LINES = 12


@contextmanager
def throwaway_daemon(workspace: Path, *, settings: str = "") -> Iterator[Client]:
    """A client of a daemon over ``workspace`` with ``settings`` (TOML) and no others.

    The user's own configuration, database and running daemon stay out of it. Raises
    ``Unavailable`` with the end of the daemon's log when it does not come up.
    """
    scratch = Path(tempfile.mkdtemp(prefix="recalld-"))
    process = None
    try:
        (scratch / "config.toml").write_text(settings, encoding="utf-8")
        process = _start(scratch, workspace)
        with Client(scratch / "socket") as client:
            _wait_until_ready(client, process, scratch / "log")
            yield client
    finally:
        if process is not None:
            _stop(process)
        shutil.rmtree(scratch, ignore_errors=True)


def _start(scratch: Path, workspace: Path) -> "subprocess.Popen[bytes]":
    environ = {name: value for name, value in os.environ.items() if not _ours(name)}
    environ["RECALLD_STATE_DIR"] = str(scratch / "state")
    with (scratch / "log").open("wb") as log:
        return subprocess.Popen(  # noqa: S603 (our own interpreter and module)
            # -P: a file of the current folder named like a module of ours is not ours.
            [
                *(sys.executable, "-P", "-m", "recalld", "serve"),
                *("--workspace", str(workspace)),
                *("--socket", str(scratch / "socket")),
                *("--config", str(scratch / "config.toml")),
            ],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            env=environ,
            # Ctrl-C is for us; we then stop the daemon in order.
            start_new_session=True,
        )


def _ours(name: str) -> bool:
    # NOTIFY_SOCKET and LISTEN_*: a service manager's words to its own child, not to this one.
    return name.startswith(("RECALLD_", "LISTEN_", "NOTIFY_SOCKET", "WATCHDOG_"))


def _wait_until_ready(client: Client, process: "subprocess.Popen[bytes]", log: Path) -> None:
    until = time.monotonic() + _READY_S
    while time.monotonic() < until:
        if process.poll() is not None:
            break
        try:
            client.call("ping", timeout_s=1.0)
        except ClientError:
            time.sleep(_POLL_S)
        else:
            return
    lines = log.read_text(encoding="utf-8", errors="replace").split("\n")[-_LOG_LINES:]
    raise Unavailable("daemon", "did not come up; the end of its log:\n" + "\n".join(lines))


def _stop(process: "subprocess.Popen[bytes]") -> None:
    process.terminate()
    try:
        process.wait(_STOP_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
