"""Settings files on disk: read with care, replaced whole, and what they were is kept.

A file that is reached through links is replaced where it really lies. Refused, with nothing
changed: what is no plain file, is read-only or somebody else's, has a second name (replacing it
would part the two), or changed while we were at it.
"""

import base64
import errno
import hashlib
import json
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from recalld import atomic
from recalld.errors import Refused
from recalld.there import is_folder

MAX_BYTES = 4 * 1024 * 1024
_FILE_MODE, _FOLDER_MODE = 0o600, 0o700
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A file as it was read. ``path`` is its name, ``real`` where it lies; ``data`` None: nowhere.

    ``locked``: why it cannot be replaced; None where it can.
    """

    path: str
    real: Path
    data: bytes | None
    mode: int | None = None
    locked: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """What an install did to a file. ``after`` is the digest of what it left there.

    ``before`` None: there was no file. ``folders`` were made for it, the outermost first.
    """

    before: bytes | None
    after: str
    folders: tuple[str, ...] = ()


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def read(path: str) -> Found:
    """Raises ``Refused``, naming the file."""
    real = Path(os.path.realpath(path))
    try:
        descriptor = os.open(real, _READ)
    except FileNotFoundError:
        return Found(path=path, real=real, data=None, locked=_folder_locked(real))
    except OSError as error:
        problem = "is no plain file" if error.errno in {errno.ELOOP, errno.ENXIO} else _why(error)
        raise Refused(f"{path}: {problem}") from error
    try:
        facts = os.fstat(descriptor)
        if not stat.S_ISREG(facts.st_mode):
            raise Refused(f"{path}: is no plain file")
        if facts.st_size > MAX_BYTES:
            raise Refused(f"{path}: over {MAX_BYTES >> 20} MiB, which no settings file is")
        with os.fdopen(descriptor, "rb", closefd=False) as stream:
            data = stream.read()
    finally:
        os.close(descriptor)
    locked = _file_locked(real, facts) or _folder_locked(real)
    return Found(path=path, real=real, data=data, mode=stat.S_IMODE(facts.st_mode), locked=locked)


def _file_locked(real: Path, facts: os.stat_result) -> str | None:
    if facts.st_uid != os.geteuid():
        return "belongs to another user"
    if not facts.st_mode & 0o222 or not os.access(real, os.W_OK, effective_ids=True):
        return "is read-only"
    return "has a second name (a hard link); edit it by hand" if facts.st_nlink > 1 else None


def _folder_locked(real: Path) -> str | None:
    # No fault where one cannot be looked at.
    folder = next(parent for parent in real.parents if os.path.exists(parent))  # noqa: PTH110
    if not is_folder(folder):
        return f"{folder} is no folder"
    allowed = os.access(folder, os.W_OK | os.X_OK, effective_ids=True)
    return None if allowed else f"the folder {folder} is read-only"


def replace(
    found: Found,
    data: bytes | None,
    *,
    files: atomic.Files | None = None,
    at_rename: Callable[[], None] = lambda: None,
) -> None:
    """Make ``data`` the file's content, or remove it, if it is still as it was found.

    The folder is there, and nobody else of ours writes in it. ``at_rename`` is called just before
    the file is looked at again. Raises ``Refused``; then nothing has changed.
    """

    def still() -> bool:
        at_rename()
        return _now(found.real) == found.data

    try:
        with _opened(found.real.parent) as folder:
            if data is None:
                kept = still()
                if kept:
                    os.unlink(found.real.name, dir_fd=folder)
            else:
                mode = _FILE_MODE if found.mode is None else found.mode
                name, disk = found.real.name, files or atomic.Disk()
                atomic.remove_leftovers(folder, files=disk)
                kept = atomic.replace(folder, name, data, files=disk, mode=mode, still=still)
    except OSError as error:
        # The last step, syncing the folder, may fail with the file in place.
        if data is None or _now(found.real) != data:
            raise Refused(f"{found.path}: {_why(error)}; nothing was changed") from error
        return
    if not kept:
        raise Refused(f"{found.path}: was changed by somebody else just now; run this again")


def make_folders(real: Path) -> tuple[str, ...]:
    """Make the folders a file needs; those that were missing, the outermost first."""
    made: list[str] = []
    try:
        for folder in reversed(real.parents):
            if not os.path.isdir(folder):  # noqa: PTH112 (no fault where it cannot be looked at)
                folder.mkdir(mode=_FOLDER_MODE)
                made.append(str(folder))
    except OSError as error:
        remove_folders(tuple(made))
        raise Refused(f"{real.parent}: {_why(error)}; nothing was changed") from error
    return tuple(made)


def remove_folders(folders: tuple[str, ...]) -> None:
    """Remove those that are empty, the innermost first."""
    for folder in reversed(folders):
        with suppress(OSError):
            Path(folder).rmdir()


def _now(real: Path) -> bytes | None:
    try:
        return real.read_bytes()
    except FileNotFoundError:
        return None


@contextmanager
def _opened(folder: Path) -> Iterator[int]:
    descriptor = os.open(folder, _FOLDER)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _why(error: OSError) -> str:
    return (error.strerror or str(error)).lower()


class Records:
    """What installs did, one file for each file they touched, readable by the user alone."""

    def __init__(self, state: Path) -> None:
        self._folder = state / "install"

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Be the only one who installs. ``Refused`` where records cannot be kept, or after 2 s."""
        with ExitStack() as held:
            try:
                # Each by itself: of parents that are made on the way nobody says the mode.
                self._folder.parent.mkdir(parents=True, exist_ok=True, mode=_FOLDER_MODE)
                self._folder.mkdir(exist_ok=True, mode=_FOLDER_MODE)
                held.enter_context(atomic.locked(held.enter_context(_opened(self._folder))))
            except TimeoutError as error:
                raise Refused("another 'recalld install' is running") from error
            except OSError as error:
                raise self._unkept(error) from error
            yield

    def load(self, real: Path) -> Record | None:
        """The record of a file; None where there is none that can be read."""
        try:
            found = json.loads(self._path(real).read_bytes())
            before = found["before"]
            return Record(
                before=None if before is None else base64.b64decode(before),
                after=str(found["after"]),
                folders=tuple(map(str, found["folders"])),
            )
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def save(self, real: Path, record: Record | None) -> None:
        """Keep ``record``; None: there is none any more. Raises ``Refused``."""
        path = self._path(real)
        try:
            if record is None:
                path.unlink(missing_ok=True)
                return
            data = json.dumps(_document(real, record)).encode("ascii")
            with _opened(self._folder) as folder:
                atomic.replace(folder, path.name, data, files=atomic.Disk(), mode=_FILE_MODE)
        except OSError as error:
            raise self._unkept(error) from error

    def _unkept(self, error: OSError) -> Refused:
        return Refused(f"{self._folder}: {_why(error)}; nothing was changed")

    def _path(self, real: Path) -> Path:
        return self._folder / f"{digest(os.fsencode(real))[:32]}.json"


def _document(real: Path, record: Record) -> dict[str, object]:
    before = record.before
    return {
        "path": os.fsdecode(real),
        "before": None if before is None else base64.b64encode(before).decode("ascii"),
        "after": record.after,
        "folders": list(record.folders),
    }
