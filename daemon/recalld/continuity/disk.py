"""``memory/CURRENT_STATE.md`` and its archive on the disk. One ``Workbench`` for each workspace.

Reads see the old file or the new one, whenever the writer is killed or cancelled. A hand edit
made after the caller's read wins over the caller's write. One moment is left open: between the
last comparison and the rename, some tens of microseconds, and for an editor that opened the file
before the rename and writes into it afterwards; no file system offers a rename that compares.
"""

import os
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from hashlib import sha256
from typing import TypeVar

import anyio
import anyio.to_thread
from anyio.from_thread import check_cancelled

from recalld.atomic import Disk, Files, locked, remove_leftovers, replace
from recalld.continuity import checkpoint as form
from recalld.continuity import names
from recalld.continuity.model import Checkpoint, Parsed
from recalld.errors import NotFound, Refused
from recalld.inside import Content, Place, content, folder_of, place_of

T = TypeVar("T")

FILE = "memory/CURRENT_STATE.md"
ARCHIVE = "memory/session_archive"
COLD = "memory/session_archive/cold"
MAX_BYTES = 256 * 1024
READING_THREADS = 2
_WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """A checkpoint file as it was read. ``sha``: SHA-256 of its bytes, in hex."""

    parsed: Parsed
    text: str
    sha: str
    modified_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A checkpoint as it will be on the disk: its ``text`` and the ``sha`` of its bytes."""

    text: str
    data: bytes
    sha: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Copy:
    """An archived checkpoint, known by its name alone. ``at``: when it was archived."""

    name: str
    at: datetime
    cold: bool

    @property
    def path(self) -> str:
        """Relative to the workspace."""
        return f"{COLD if self.cold else ARCHIVE}/{self.name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pruned:
    """How many copies were removed and how many moved into ``cold/``."""

    dropped: int
    cooled: int


def draft_of(checkpoint: Checkpoint) -> Draft:
    """What ``Workbench.write`` puts on the disk. ``Refused`` for more than could be read again."""
    text = form.render(checkpoint).replace("\0", "\N{REPLACEMENT CHARACTER}")
    data = text.encode("utf-8", "replace")
    if len(data) > MAX_BYTES:
        raise Refused(f"{FILE}: would be larger than {MAX_BYTES} bytes")
    return Draft(text=text, data=data, sha=_sha(data))


class Workbench:
    """The checkpoint of the workspace at ``root``, and its copies.

    Each method works in a thread. Cancelling returns at once; the thread stops before its next
    step and removes what it began, or has renamed just now and ends. Writes go one after
    another, also those of other processes.

    ``Refused`` for what the user has to mend: a link that leads out of the workspace, what is no
    regular file, no UTF-8, over 256 KiB or read-only; such a file stays as it is.
    ``Unavailable`` where the disk fails or is full.
    """

    def __init__(self, root: str, *, files: Files | None = None) -> None:
        """``files`` takes the place of the disk in tests of one that fails."""
        self.root = root
        self._files = files or Disk()
        self._writing = anyio.CapacityLimiter(1)
        self._reading = anyio.CapacityLimiter(READING_THREADS)

    async def read(self) -> Sheet | None:
        """The file as it is now; None when there is none."""
        return await _in_thread(partial(_read, self.root), self._reading)

    async def write(self, checkpoint: Checkpoint, *, expected_sha: str | None) -> str | None:
        """Replace the file if it still has ``expected_sha`` (None: is absent); its new ``sha``.

        None where it does not: somebody wrote it meanwhile, so read again. On the disk when it
        returns. The file keeps its mode. Bytes that are no UTF-8 are archived before they go.
        """
        work = partial(_write, self.root, draft_of(checkpoint), expected_sha, self._files)
        return await _in_thread(work, self._writing)

    async def archive(self, at: datetime) -> str | None:
        """Copy the file into the archive, byte for byte; the copy's path in the workspace.

        None without active work. What the newest copy holds already is not copied again.
        """
        return await _in_thread(partial(_archive, self.root, at, self._files), self._writing)

    async def copies(self) -> tuple[Copy, ...]:
        """The archive, newest first, by names alone. Files whose names are not ours are not in."""
        return await _in_thread(partial(_copies, self.root), self._reading)

    async def read_copy(self, name: str) -> Sheet:
        """The archived checkpoint of that name. ``NotFound`` unless ``copies`` lists it."""
        return await _in_thread(partial(_read_copy, self.root, name), self._reading)

    async def prune(self, now: datetime, *, keep: int, after_days: int) -> Pruned:
        """Remove the oldest copies until ``keep`` are left, those in ``cold/`` counted, and move
        what is older than ``after_days`` there. Files whose names are not ours are not touched.
        """
        work = partial(_prune, self.root, now, keep, after_days, self._files)
        return await _in_thread(work, self._writing)


async def _in_thread(work: Callable[[], T], limiter: anyio.CapacityLimiter) -> T:
    return await anyio.to_thread.run_sync(work, abandon_on_cancel=True, limiter=limiter)


def _read(root: str) -> Sheet | None:
    with place_of(root, FILE) as place:
        found = None if place is None else content(place, FILE, max_bytes=MAX_BYTES)
    return None if found is None else _sheet(found, FILE)


def _sheet(found: Content, path: str) -> Sheet:
    text = _text(found.data, path)
    return Sheet(
        parsed=form.parse(text),
        text=text,
        sha=_sha(found.data),
        modified_at=_modified_at(found),
    )


def _text(data: bytes, path: str) -> str:
    """UTF-8, what is broken in it replaced. ``Refused`` for UTF-16 and binary data."""
    if data.startswith(_WIDE_MARKS) or b"\0" in data:
        raise Refused(f"{path}: is not UTF-8 (UTF-16 or binary?); save it as UTF-8")
    return data.decode("utf-8-sig", "replace")


def _sha(data: bytes) -> str:
    return sha256(data).hexdigest()


def _modified_at(found: Content) -> datetime:
    return datetime.fromtimestamp(found.status.st_mtime, UTC)


def _write(root: str, draft: Draft, expected: str | None, files: Files) -> str | None:
    with _writing(root, FILE, files) as place:
        old = content(place, FILE, max_bytes=MAX_BYTES)
        if (None if old is None else _sha(old.data)) != expected:
            return None
        if old is not None:
            _spare(root, old, files)

        def still() -> bool:
            now = content(place, FILE, max_bytes=MAX_BYTES)
            return (None if now is None else _sha(now.data)) == expected

        mode = None if old is None else stat.S_IMODE(old.status.st_mode) & 0o777
        written = _replace(place, draft.data, mode, files, still)
    return draft.sha if written else None


def _spare(root: str, old: Content, files: Files) -> None:
    """Refuse to replace what must stay; keep a copy of what the new file cannot say again."""
    _text(old.data, FILE)
    if not old.status.st_mode & 0o222:
        raise Refused(f"{FILE}: is read-only")
    try:
        old.data.decode("utf-8")
    except UnicodeDecodeError:
        _keep(root, old, _modified_at(old), files)


def _archive(root: str, at: datetime, files: Files) -> str | None:
    with place_of(root, FILE) as place:
        found = None if place is None else content(place, FILE, max_bytes=MAX_BYTES)
    if found is None or not _sheet(found, FILE).parsed.checkpoint.active:
        return None
    return _keep(root, found, at, files)


def _keep(root: str, found: Content, at: datetime, files: Files) -> str:
    """Copy into the archive what the newest copy there does not hold; the copy's path."""
    with _writing_in(root, ARCHIVE, files) as archive:
        while True:
            known = _copies(root)
            if known and _held(root, known[0]) == found.data:
                return known[0].path
            taken = {*_names_in(root, ARCHIVE), *_names_in(root, COLD)}
            place = Place(folder=archive, name=names.archive_name(at, taken))
            mode = stat.S_IMODE(found.status.st_mode) & 0o777
            if _replace(place, found.data, mode, files, partial(_absent, place)):
                return f"{ARCHIVE}/{place.name}"


def _held(root: str, copy: Copy) -> bytes | None:
    with place_of(root, copy.path) as place:
        found = None if place is None else content(place, copy.path, max_bytes=MAX_BYTES)
    return None if found is None else found.data


def _absent(place: Place) -> bool:
    try:
        os.stat(place.name, dir_fd=place.folder, follow_symlinks=False)
    except FileNotFoundError:
        return True
    return False


def _copies(root: str) -> tuple[Copy, ...]:
    found = [
        Copy(name=name, at=at, cold=folder == COLD)
        for folder in (ARCHIVE, COLD)
        for name, regular in _names_in(root, folder).items()
        if regular and (at := names.parse_name(name)) is not None
    ]
    return tuple(sorted(found, key=lambda copy: (copy.at, copy.name), reverse=True))


def _names_in(root: str, path: str) -> dict[str, bool]:
    """Every name in the folder, and whether it is a regular file's; none where it is missing."""
    with folder_of(root, path) as folder:
        if folder is None:
            return {}
        with os.scandir(folder) as listing:
            return {entry.name: entry.is_file(follow_symlinks=False) for entry in listing}


def _read_copy(root: str, name: str) -> Sheet:
    for copy in _copies(root):
        if copy.name == name:
            with place_of(root, copy.path) as place:
                found = place and content(place, copy.path, max_bytes=MAX_BYTES)
            if found:
                return _sheet(found, copy.path)
    raise NotFound(f"archived checkpoint {name[:100]!r}")


def _prune(root: str, now: datetime, keep: int, after_days: int, files: Files) -> Pruned:
    known = _copies(root)
    drop = set(names.to_drop([copy.path for copy in known], keep))
    left = [copy.path for copy in known if copy.path not in drop]
    # A name that cold/ has already stays where it is: a rename would lose the other one.
    cold = {copy.name for copy in known if copy.cold}
    cool = [copy for copy in known if copy.path in names.to_cool(left, now, after_days)]
    cool = [copy for copy in cool if copy.name not in cold]
    if drop or cool:
        with _writing_in(root, ARCHIVE, files) as archive:
            _drop(root, [copy for copy in known if copy.path in drop], files)
            if cool:
                _cool(root, archive, [copy.name for copy in cool], files)
    return Pruned(dropped=len(drop), cooled=len(cool))


def _drop(root: str, copies: Iterable[Copy], files: Files) -> None:
    for copy in copies:
        check_cancelled()
        with place_of(root, copy.path) as place, suppress(FileNotFoundError):
            if place is not None:
                files.unlink(place.name, folder=place.folder)


def _cool(root: str, archive: int, found: Iterable[str], files: Files) -> None:
    with folder_of(root, COLD, make=files) as cold:
        for name in found:
            check_cancelled()
            if cold is not None and _absent(Place(folder=cold, name=name)):
                with suppress(FileNotFoundError):
                    files.rename(name, name, folder=archive, to=cold)


@contextmanager
def _writing(root: str, path: str, files: Files) -> Iterator[Place]:
    """The place of ``path``, its folder as in ``_writing_in``."""
    with place_of(root, path, make=files) as place:
        if place is None:
            raise NotFound(path)
        with _locked(place.folder, files):
            yield place


@contextmanager
def _writing_in(root: str, path: str, files: Files) -> Iterator[int]:
    """The folder ``path``, made and locked, without what killed writers left there."""
    with folder_of(root, path, make=files) as folder:
        if folder is None:
            raise NotFound(path)
        with _locked(folder, files):
            yield folder


@contextmanager
def _locked(folder: int, files: Files) -> Iterator[None]:
    with locked(folder, go_on=check_cancelled):
        remove_leftovers(folder, files=files)
        yield


def _replace(
    place: Place, data: bytes, mode: int | None, files: Files, still: Callable[[], bool]
) -> bool:
    return replace(
        place.folder, place.name, data, files=files, mode=mode, still=still, go_on=check_cancelled
    )
