"""The socket everybody finds, and the loop that accepts.

The path is claimed in this order: lock, look, probe, unlink only what is dead and ours, umask,
bind. Binding first would steal the path of a daemon that is alive.
"""

import errno
import fcntl
import os
import socket
import stat
from dataclasses import dataclass
from pathlib import Path

from recalld.errors import BadConfig, Refused

# sun_path holds 108 bytes, one of them the terminating NUL.
MAX_PATH_BYTES = 107
BACKLOG = 128
PROBE_S = 0.5
OVERFLOW_UID = 65_534
KEY = "server.socket"
# Where the path came from, which the key alone would not say, and so how to choose another.
ELSEWHERE = "name another place with --socket, RECALLD_SOCKET or server.socket"


@dataclass(slots=True, kw_only=True)
class Claim:
    """A listening socket. ``path`` None: it was handed over and is not ours to remove.

    ``identity`` is device and inode of the socket file we made; ``lock`` a descriptor that this
    claim owns until ``release``.
    """

    listener: socket.socket
    path: Path | None = None
    identity: tuple[int, int] | None = None
    lock: int | None = None

    @property
    def address(self) -> str:
        """Where it listens, for people; a socket handed over knows it itself."""
        return str(self.path or self.listener.getsockname())

    def still_there(self) -> bool:
        """Whether the file at the path is the socket we made. True for a socket handed over."""
        return self.path is None or _identity(self.path) == self.identity

    def withdraw(self) -> None:
        """Stop listening; the socket file goes if it is still ours."""
        if self.path is not None and self.identity is not None and self.still_there():
            self.path.unlink(missing_ok=True)
        # The next socket file there may get the same inode; it is not ours.
        self.identity = None
        self.listener.close()

    def release(self) -> None:
        """Withdraw, and let the next daemon have the lock."""
        self.withdraw()
        if self.lock is not None:
            os.close(self.lock)
            self.lock = None


def claim(path: Path, *, uid: int) -> Claim:
    """Listen at ``path`` with mode 0600.

    Raise ``Refused`` when another daemon serves there, and ``BadConfig`` when the path is too
    long, its directory is not ours and private, or something lies there that is no socket of
    ours; that is never removed.
    """
    if len(os.fsencode(path)) > MAX_PATH_BYTES:
        raise BadConfig(
            KEY,
            f"{path} has {len(os.fsencode(path))} bytes; the system's limit is {MAX_PATH_BYTES}",
        )
    make_private(path.parent, uid=uid)
    lock = lock_file(path.with_name(path.name + ".lock"), what=f"a daemon that serves {path}")
    try:
        _clear(path, uid=uid)
        listener = _bound(path)
    except BaseException:
        os.close(lock)
        raise
    return Claim(listener=listener, path=path, identity=_identity(path), lock=lock)


def make_private(directory: Path, *, uid: int, key: str = KEY) -> None:
    """Create ``directory`` with mode 0700, or raise ``BadConfig`` unless it already is so."""
    try:
        directory.parent.mkdir(parents=True, exist_ok=True)
        if not os.path.lexists(directory):
            directory.mkdir(mode=0o700)
        found, above = directory.lstat(), directory.parent.stat()
    except OSError as error:
        raise BadConfig(key, f"{directory}: {error.strerror}") from error
    problem = None
    if not stat.S_ISDIR(found.st_mode):
        problem = "is not a directory"
    elif found.st_uid != uid:
        problem = f"belongs to uid {found.st_uid}, not to {uid}; {ELSEWHERE}"
    elif stat.S_IMODE(found.st_mode) & 0o077:
        mode = stat.S_IMODE(found.st_mode)
        problem = f"has mode {mode:04o}; expected 0700: chmod 700 it, or {ELSEWHERE}"
    elif above.st_mode & stat.S_IWOTH and not above.st_mode & stat.S_ISVTX:
        problem = (
            f"lies in {directory.parent}, which everybody may write to and which is not sticky; "
            f"{ELSEWHERE}"
        )
    if problem is not None:
        raise BadConfig(key, f"the socket's directory {directory} {problem}")


def lock_file(path: Path, *, what: str) -> int:
    """A descriptor that holds the lock until it is closed. Raise ``Refused`` if it is taken.

    The kernel drops the lock with its process, so a stale file is no obstacle.
    """
    flags = os.O_CREAT | os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW
    try:
        lock = os.open(path, flags, 0o600)
    except OSError as error:
        raise BadConfig(KEY, f"{path}: {error.strerror}") from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(lock)
        raise Refused(f"{path} is held by {what}") from error
    return lock


def _clear(path: Path, *, uid: int) -> None:
    try:
        found = path.lstat()
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(found.st_mode):
        raise BadConfig(KEY, f"{path} exists and is not a socket; it is left alone")
    if found.st_uid != uid:
        raise BadConfig(KEY, f"{path} belongs to uid {found.st_uid}; it is left alone")
    if _is_alive(path):
        raise Refused(f"another daemon answers at {path}")
    path.unlink(missing_ok=True)


def _is_alive(path: Path) -> bool:
    """Whether anybody listens. A full backlog, a slow accept and any doubt count as alive."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(PROBE_S)
        try:
            probe.connect(str(path))
        except OSError as error:
            return error.errno not in (errno.ECONNREFUSED, errno.ENOENT)
        return True


def _bound(path: Path) -> socket.socket:
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    # Before bind: between bind and a later chmod the socket would be open to others.
    before = os.umask(0o177)
    try:
        listener.bind(str(path))
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        raise BadConfig(KEY, f"{path}: {error.strerror}") from error
    finally:
        os.umask(before)
    return listener


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.lstat()
    except OSError:
        return None
    return (found.st_dev, found.st_ino)


def may_enter(peer: int, *, uid: int) -> bool:
    """Our own uid only. In a user namespace every foreign uid shows as the overflow uid."""
    return peer == uid and peer != OVERFLOW_UID
