"""Files inside a folder that others write to as well: nothing outside is reached. Blocking.

A link may lead to another place inside. Its goal is worked out first and then walked to from the
root, one descriptor after another and following no link, so one that is swapped in leads nowhere.
"""

import errno
import os
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field

from recalld.atomic import Disk, Files, go_on, locked, remove_leftovers, replace
from recalld.errors import Refused, Unavailable

READ_ATTEMPTS = 3
FOLDER_MODE = 0o755

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_MISLED = frozenset({errno.ELOOP, errno.ENOTDIR})


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a file is, or would be: ``name`` in the open ``folder``. ``path`` is for messages."""

    folder: int
    name: str
    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """A regular file's bytes, and what it was like when they were read."""

    data: bytes
    status: os.stat_result

    @property
    def mode(self) -> int:
        """Who may read, write and run it."""
        return stat.S_IMODE(self.status.st_mode) & 0o777


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    """What lies below ``root``, by paths relative to it with ``/`` between their parts.

    ``go_on`` is called between steps and may raise to give up. Every fault names the path:
    ``Refused`` for what its owner has to mend (a link that leads out, a folder that is none, no
    regular file, too large), ``Unavailable`` for what the disk says.
    """

    root: str
    files: Files = field(default_factory=Disk)
    go_on: Callable[[], None] = go_on

    def read(self, path: str, *, max_bytes: int) -> Content | None:
        """The file; None where it, or its folder, is missing."""
        with self._place(path, make=False) as place:
            return None if place is None else look(place, max_bytes=max_bytes)

    def names(self, path: str) -> Mapping[str, bool]:
        """Every name in a folder, and whether it is a regular file's; none where it is missing."""
        with self.folder(path) as folder:
            if folder is None:
                return {}
            with os.scandir(folder) as listing:
                return {entry.name: entry.is_file(follow_symlinks=False) for entry in listing}

    @contextmanager
    def folder(self, path: str, *, make: bool = False) -> Iterator[int | None]:
        """A folder, open for as long as the block runs; None where it is missing."""
        with faults(path), self._walked(self._inside(path), make=make) as at:
            yield at

    @contextmanager
    def writing(self, path: str) -> Iterator[Place]:
        """The place of a file, for as long as the block runs; its folder as in ``writing_in``."""
        with self._place(path, make=True) as place:
            if place is None:
                raise Unavailable("disk", f"{path}: its folder went away")
            with self._locked(place.folder):
                yield place

    @contextmanager
    def writing_in(self, path: str) -> Iterator[int]:
        """A folder, for as long as the block runs: made, this process its only writer of ours,
        and without what killed writers left."""
        with self.folder(path, make=True) as folder:
            if folder is None:
                raise Unavailable("disk", f"{path}: went away")
            with self._locked(folder):
                yield folder

    def replace(
        self, place: Place, data: bytes, *, mode: int | None, still: Callable[[], bool]
    ) -> bool:
        """As ``atomic.replace``; in a ``writing`` block."""
        return replace(
            place.folder,
            place.name,
            data,
            files=self.files,
            mode=mode,
            still=still,
            go_on=self.go_on,
        )

    def unlink(self, path: str) -> None:
        """Remove a file; no matter if it is gone."""
        with self._place(path, make=False) as place:
            if place is not None and not absent(place):
                self.files.unlink(place.name, folder=place.folder)

    @contextmanager
    def _place(self, path: str, *, make: bool) -> Iterator[Place | None]:
        with faults(path):
            # The folder first, so that the one is blamed that leads out.
            self._inside(path.rpartition("/")[0])
            folder, _, name = self._inside(path).rpartition("/")
            with self._walked(folder, make=make) as at:
                yield None if at is None else Place(folder=at, name=name, path=path)

    @contextmanager
    def _locked(self, folder: int) -> Iterator[None]:
        with locked(folder, go_on=self.go_on):
            remove_leftovers(folder, files=self.files)
            yield

    def _inside(self, path: str) -> str:
        """Where ``path`` really is, relative to where the root really is."""
        base = os.path.realpath(self.root)
        real = os.path.realpath(f"{base}/{path}")
        if os.path.commonpath([base, real]) != base:
            raise Refused(f"{path}: is a link that leads out of the workspace")
        return "" if real == base else os.path.relpath(real, base)

    @contextmanager
    def _walked(self, path: str, *, make: bool) -> Iterator[int | None]:
        """The folder that is reached from the root without a link; None where it is missing."""
        with ExitStack() as opened:
            with faults(self.root):
                at: int | None = _open(os.path.realpath(self.root), None, opened)
            for part in filter(None, path.split("/")):
                if make and at is not None:
                    self._make(part, at)
                try:
                    at = _open(part, at, opened)
                except FileNotFoundError:
                    at = None
                    break
            yield at

    def _make(self, name: str, parent: int) -> None:
        if absent(Place(folder=parent, name=name, path=name)):
            self.go_on()
            try:
                self.files.mkdir(name, FOLDER_MODE, folder=parent)
            except FileExistsError:
                return
            self.files.sync_folder(parent)


@contextmanager
def folder_of(root: str, path: str) -> Iterator[int | None]:
    """The folder ``path`` below ``root``, open for as long as the block runs; None: missing."""
    with Tree(root=root).folder(path) as folder:
        yield folder


def look(place: Place, *, max_bytes: int) -> Content | None:
    """The file that is there now; None when there is none.

    ``Refused`` for more than ``max_bytes``, and for what is no regular file: that is not opened.
    """
    with faults(place.path):
        try:
            status = os.stat(place.name, dir_fd=place.folder, follow_symlinks=False)
            _refuse_others(status, place.path)
            file = os.open(place.name, _READ, dir_fd=place.folder)
        except FileNotFoundError:
            return None
        try:
            return _settled(file, place.path, max_bytes)
        finally:
            os.close(file)


def absent(place: Place) -> bool:
    """Whether nothing has that name there, not even a link that leads nowhere."""
    try:
        os.stat(place.name, dir_fd=place.folder, follow_symlinks=False)
    except FileNotFoundError:
        return True
    return False


@contextmanager
def faults(path: str) -> Iterator[None]:
    """``OSError`` inside the block leaves it as a fault that names ``path``."""
    try:
        yield
    except OSError as error:
        if error.errno in _MISLED:
            raise Refused(f"{path}: is no folder, or a link that leads nowhere") from error
        raise Unavailable("disk", f"{path}: {error.strerror or error}") from error


def _open(name: str, parent: int | None, opened: ExitStack) -> int:
    folder = os.open(name, _FOLDER, dir_fd=parent)
    opened.callback(os.close, folder)
    return folder


def _settled(file: int, path: str, max_bytes: int) -> Content:
    """What two looks in a row agree on; the last one where a writer gives no rest."""
    before = os.fstat(file)
    for _ in range(READ_ATTEMPTS):
        _refuse_others(before, path)
        data = _all(file, max_bytes)
        after = os.fstat(file)
        if len(data) > max_bytes:
            raise Refused(f"{path}: is larger than {max_bytes} bytes")
        if len(data) == after.st_size and _stamp(before) == _stamp(after):
            break
        before = after
    return Content(data=data, status=after)


def _all(file: int, max_bytes: int) -> bytes:
    os.lseek(file, 0, os.SEEK_SET)
    data = b""
    while len(data) <= max_bytes and (part := os.read(file, max_bytes + 1 - len(data))):
        data += part
    return data


def _stamp(status: os.stat_result) -> tuple[int, int]:
    return status.st_size, status.st_mtime_ns


def _refuse_others(status: os.stat_result, path: str) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise Refused(f"{path}: is not a regular file")
