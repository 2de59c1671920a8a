"""The places recalld uses, offline: their permissions, what was left behind, models, settings.

Each trouble that can be put right without losing anything brings what puts it right.
"""

import os
import re
import socket
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

from recalld.atomic import Disk, locked, remove_leftovers
from recalld.config import Config
from recalld.continuity.disk import ARCHIVE, COLD
from recalld.continuity.findings import Finding, Severity
from recalld.embed.bge_files import fault_of, model_folder
from recalld.server.listen import lock_file
from recalld.there import is_missing

PRIVATE_FILE, PRIVATE_FOLDER = 0o600, 0o700
# A writer that lives holds its temporary file for a moment.
LEFT_BEHIND = timedelta(minutes=1)
PROBE_S = 0.5
FOLDER = "memory"
_OTHERS = 0o077
_TEMPORARY = re.compile(r"\.recalld-[0-9a-f]{16}\.tmp", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """A finding and, where there is one, what mends it; that returns what it did, in words.

    It raises ``OSError`` or one of our faults when it cannot.
    """

    finding: Finding
    mend: Callable[[], str] | None = None


Troubles = Iterator[Trouble]


def trouble(
    check: str, severity: Severity, message: str, mend: Callable[[], str] | None = None
) -> Trouble:
    return Trouble(finding=Finding(check=check, severity=severity, message=message), mend=mend)


def socket_troubles(path: Path, *, uid: int) -> Troubles:
    """Who may reach the socket. Nothing where there is none."""
    try:
        found, folder = path.lstat(), path.parent.stat()
    except OSError:
        return
    if not stat.S_ISSOCK(found.st_mode):
        yield trouble("socket", Severity.CRITICAL, f"{path} is no socket; it is left alone")
        return
    for place, status, wanted in (
        (path, found, PRIVATE_FILE),
        (path.parent, folder, PRIVATE_FOLDER),
    ):
        mode = stat.S_IMODE(status.st_mode)
        if status.st_uid != uid:
            message = f"{place} belongs to uid {status.st_uid}, not to you"
            yield trouble("socket", Severity.CRITICAL, message)
        elif mode & _OTHERS:
            mend = partial(_made_private, place, wanted) if _is_ours(place, path) else None
            message = f"{place} has mode {mode:04o}; expected {wanted:04o}"
            yield trouble("socket", Severity.WARNING, message, mend)


def _is_ours(place: Path, socket_path: Path) -> bool:
    """Whether the mode is ours to set: of the folder only where it is made for the socket."""
    return place == socket_path or re.fullmatch(r"recalld(?:-\d+)?", place.name) is not None


def stale_socket(path: Path, *, uid: int) -> Trouble | None:
    """A socket file of ours at which nobody listens."""
    try:
        found = path.lstat()
    except OSError:
        return None
    if not stat.S_ISSOCK(found.st_mode) or found.st_uid != uid or not _is_dead(path):
        return None
    message = f"{path} was left behind: nobody listens there"
    return trouble("socket", Severity.WARNING, message, partial(_removed_socket, path))


def _is_dead(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(PROBE_S)
        try:
            probe.connect(str(path))
        except ConnectionRefusedError:
            return True
        except OSError:
            return False
        return False


def _removed_socket(path: Path) -> str:
    """Under the daemon's own lock, so that none can come up at the path meanwhile."""
    lock = lock_file(path.with_name(path.name + ".lock"), what=f"a daemon that serves {path}")
    try:
        if _is_dead(path):
            path.unlink(missing_ok=True)
    finally:
        os.close(lock)
    return f"removed {path}"


def state_troubles(folder: Path, *, uid: int) -> Troubles:
    """Whether others can read what was said. Nothing where no daemon ever ran."""
    try:
        status = folder.stat()
    except OSError:
        return
    mode = stat.S_IMODE(status.st_mode)
    if status.st_uid != uid:
        yield trouble("state", Severity.CRITICAL, f"{folder} belongs to uid {status.st_uid}")
    elif mode & _OTHERS:
        mend = partial(_made_private, folder, PRIVATE_FOLDER) if folder.name == "recalld" else None
        message = f"{folder} has mode {mode:04o}; expected 0700"
        yield trouble("state", Severity.WARNING, message, mend)


def trace_troubles(root: str, config: Config, *, uid: int) -> Troubles:
    """Whether traces are written, and whether only their owner can read them."""
    if not config.trace.enabled:
        return
    live = Path(root) / config.trace.file
    for number in range(config.trace.keep + 1):
        path = live.with_name(f"{live.name}.{number}") if number else live
        try:
            status = path.lstat()
        except OSError:
            continue
        mode = stat.S_IMODE(status.st_mode)
        if not stat.S_ISREG(status.st_mode):
            message = f"{path} is no regular file, so no trace is written"
            yield trouble("traces", Severity.WARNING, message)
        elif mode & _OTHERS:
            mend = partial(_made_private, path, PRIVATE_FILE) if status.st_uid == uid else None
            message = f"{path} holds prompts and has mode {mode:04o}; expected 0600"
            yield trouble("traces", Severity.WARNING, message, mend)
    if not is_missing(live.parent) and not os.access(live.parent, os.W_OK | os.X_OK):
        message = f"{live.parent} cannot be written to, so no trace is"
        yield trouble("traces", Severity.WARNING, message)


def leftovers(root: str, *, now: datetime) -> Troubles:
    """Temporary files of ours that a killed writer left."""
    for path in (FOLDER, ARCHIVE, COLD):
        try:
            with _folder(root, path) as folder:
                old = _leftovers_in(folder, now)
        except OSError:
            continue
        if old:
            message = f"{path}/ holds {len(old)} temporary files of a writer that was killed"
            yield trouble("leftovers", Severity.INFO, message, partial(_swept, root, path))


def _leftovers_in(folder: int, now: datetime) -> list[str]:
    limit = (now - LEFT_BEHIND).timestamp()
    return [
        name
        for name in os.listdir(folder)
        if _TEMPORARY.fullmatch(name)
        and os.stat(name, dir_fd=folder, follow_symlinks=False).st_mtime < limit
    ]


@contextmanager
def _folder(root: str, path: str) -> Iterator[int]:
    """Of the workspace's own; ``OSError`` for one that is not there or lies elsewhere."""
    real = os.path.realpath(f"{root}/{path}")
    if os.path.commonpath([real, os.path.realpath(root)]) != os.path.realpath(root):
        raise NotADirectoryError(f"{path} leads out of the workspace")
    folder = os.open(real, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        yield folder
    finally:
        os.close(folder)


def _swept(root: str, path: str) -> str:
    with _folder(root, path) as folder, locked(folder):
        count = remove_leftovers(folder, files=Disk())
    return f"removed {count} temporary files from {path}/"


def model_troubles(config: Config) -> Troubles:
    """The files of the larger engine, where it is asked for or was begun to be installed."""
    policy = config.embed
    folder = model_folder(policy.model, os.environ)
    if policy.engine not in ("auto", "bge_m3") or (policy.engine == "auto" and is_missing(folder)):
        return
    fault = fault_of(folder)
    if fault is not None:
        yield trouble("model", Severity.WARNING, f"the model of bge_m3 cannot be loaded: {fault}")


def _made_private(place: Path, mode: int) -> str:
    """Only ever takes rights away. Of a link the target is not touched."""
    if place.is_symlink():
        raise OSError(f"{place} is a link")
    place.chmod(mode)
    return f"set the mode of {place} to {mode:04o}"
