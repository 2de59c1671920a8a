"""``memory/CURRENT_STATE.md`` and its archive on the disk. One ``Workbench`` for each workspace.

Reads see the old file or the new one, whenever the writer is killed or cancelled. A hand edit
made after the caller's read wins over the caller's write. One moment is left open: what is saved
between the last comparison and the rename is lost, 0.1 ms as measured and a few on a busy
machine, and so is what an editor writes into a file that it opened before the rename. No file
system offers a rename that compares. A replaced file keeps its mode, not its other attributes.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from hashlib import sha256
from typing import TypeVar

import anyio
import anyio.to_thread
from anyio.from_thread import check_cancelled

from recalld.atomic import Disk, Files
from recalld.continuity import checkpoint as form
from recalld.continuity import names
from recalld.continuity.model import Checkpoint, Parsed
from recalld.errors import NotFound, Refused, Unavailable
from recalld.inside import Content, Place, Tree, absent, look

T = TypeVar("T")

FOLDER = "memory"
FILE = "memory/CURRENT_STATE.md"
ARCHIVE = "memory/session_archive"
COLD = "memory/session_archive/cold"
MAX_BYTES = 256 * 1024
READING_THREADS = 2
# The last second that a date can say; a file may claim to be younger.
_LAST_S = 253_402_300_799
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
        self._tree = Tree(root=root, files=files or Disk(), go_on=check_cancelled)
        self._writing = anyio.CapacityLimiter(1)
        self._reading = anyio.CapacityLimiter(READING_THREADS)

    async def read(self) -> Sheet | None:
        """The file as it is now; None when there is none."""
        return await _in_thread(partial(_read, self._tree, FILE), self._reading)

    async def write(self, checkpoint: Checkpoint, *, expected_sha: str | None) -> str | None:
        """Replace the file if it still has ``expected_sha`` (None: is absent); its new ``sha``.

        None where it does not: somebody wrote it meanwhile, so read again. On the disk when it
        returns. The file keeps its mode. Bytes that are no UTF-8 are archived before they go.
        """
        work = partial(_write, self._tree, checkpoint, expected_sha)
        return await _in_thread(work, self._writing)

    async def archive(self, at: datetime) -> str | None:
        """Copy the file into the archive, byte for byte; the copy's path in the workspace.

        None without active work. What the newest copy holds already is not copied again.
        """
        return await _in_thread(partial(_archive, self._tree, at), self._writing)

    async def copies(self) -> tuple[Copy, ...]:
        """The archive, newest first, by names alone. Files whose names are not ours are not in."""
        return await _in_thread(partial(_copies, self._tree), self._reading)

    async def read_copy(self, name: str) -> Sheet:
        """The archived checkpoint of that name. ``NotFound`` unless ``copies`` lists it."""
        return await _in_thread(partial(_read_copy, self._tree, name), self._reading)

    async def prune(self, now: datetime, *, keep: int, after_days: int) -> Pruned:
        """Remove the oldest copies until ``keep`` are left, those in ``cold/`` counted, and move
        what is older than ``after_days`` there. Files whose names are not ours are not touched.
        """
        work = partial(_prune, self._tree, now, keep=keep, after_days=after_days)
        return await _in_thread(work, self._writing)


async def _in_thread(work: Callable[[], T], limiter: anyio.CapacityLimiter) -> T:
    return await anyio.to_thread.run_sync(work, abandon_on_cancel=True, limiter=limiter)


def _read(tree: Tree, path: str) -> Sheet | None:
    found = tree.read(path, max_bytes=MAX_BYTES)
    if found is None:
        return None
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
        raise Refused(f"{path}: is not UTF-8 (UTF-16, or no text); save it as UTF-8")
    return data.decode("utf-8-sig", "replace")


def _sha(data: bytes) -> str:
    return sha256(data).hexdigest()


def _modified_at(found: Content) -> datetime:
    return datetime.fromtimestamp(min(max(found.status.st_mtime, 0), _LAST_S), UTC)


def _write(tree: Tree, checkpoint: Checkpoint, expected_sha: str | None) -> str | None:
    draft = draft_of(checkpoint)
    with tree.writing(FILE) as place:
        old = look(place, max_bytes=MAX_BYTES)
        if _sha_of(old) != expected_sha:
            return None
        if old is not None:
            _spare(tree, old)
        written = tree.replace(
            place,
            draft.data,
            mode=None if old is None else old.mode,
            still=lambda: _sha_of(look(place, max_bytes=MAX_BYTES)) == expected_sha,
        )
    return draft.sha if written else None


def _sha_of(found: Content | None) -> str | None:
    return None if found is None else _sha(found.data)


def _spare(tree: Tree, old: Content) -> None:
    """Refuse to replace what has to stay; copy what the new file could not say again."""
    _text(old.data, FILE)
    if not old.mode & 0o222:
        raise Refused(f"{FILE}: is read-only")
    try:
        old.data.decode("utf-8")
    except UnicodeDecodeError:
        _keep(tree, old, _modified_at(old))


def _archive(tree: Tree, at: datetime) -> str | None:
    found = tree.read(FILE, max_bytes=MAX_BYTES)
    if found is None or not form.parse(_text(found.data, FILE)).checkpoint.active:
        return None
    return _keep(tree, found, at)


def _keep(tree: Tree, found: Content, at: datetime) -> str:
    """Copy into the archive what the newest copy there does not hold; the copy's path."""
    with tree.writing_in(ARCHIVE) as folder:
        while True:
            newest = next(iter(_copies(tree)), None)
            if newest is not None and _held(tree, newest) == found.data:
                return newest.path
            name = names.archive_name(at, {*tree.names(ARCHIVE), *tree.names(COLD)})
            place = Place(folder=folder, name=name, path=f"{ARCHIVE}/{name}")
            still = partial(absent, place)
            if tree.replace(place, found.data, mode=found.mode, still=still):
                return place.path


def _held(tree: Tree, copy: Copy) -> bytes | None:
    """What a copy holds; None where it cannot be read, which must not stop a new one."""
    with suppress(Refused, Unavailable):
        found = tree.read(copy.path, max_bytes=MAX_BYTES)
        return None if found is None else found.data
    return None


def _copies(tree: Tree) -> tuple[Copy, ...]:
    found = [
        Copy(name=name, at=at, cold=folder == COLD)
        for folder in (ARCHIVE, COLD)
        for name, regular in tree.names(folder).items()
        if regular and (at := names.parse_name(name)) is not None
    ]
    return tuple(sorted(found, key=lambda copy: (copy.name.removesuffix(".md"), copy.cold))[::-1])


def _read_copy(tree: Tree, name: str) -> Sheet:
    for copy in _copies(tree):
        if copy.name == name and (sheet := _read(tree, copy.path)) is not None:
            return sheet
    raise NotFound(f"archived checkpoint {name[:100]!r}")


def _prune(tree: Tree, now: datetime, *, keep: int, after_days: int) -> Pruned:
    if not _copies(tree):
        return Pruned(dropped=0, cooled=0)
    with tree.writing_in(ARCHIVE) as folder:
        paths = [copy.path for copy in _copies(tree)]
        drop = names.to_drop(paths, keep)
        for path in drop:
            tree.go_on()
            tree.unlink(path)
        left = set(paths).difference(drop)
        cooled = _cool(tree, folder, names.to_cool(left, now, after_days))
    return Pruned(dropped=len(drop), cooled=cooled)


def _cool(tree: Tree, folder: int, paths: Sequence[str]) -> int:
    """Move copies into ``cold/``, except those whose names are taken there; how many."""
    moved = 0
    for path in paths:
        name = path.rpartition("/")[2]
        tree.go_on()
        with tree.writing(f"{COLD}/{name}") as place:
            if absent(place):
                tree.files.rename(name, name, folder=folder, to=place.folder)
                moved += 1
    return moved
