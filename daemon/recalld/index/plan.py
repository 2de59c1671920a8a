"""What a scan means for the index: which files to read, which rows to drop. Pure."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from recalld.index.model import Dirty, KnownFile
from recalld.index.names import is_below
from recalld.index.scan_model import Seen, Walk


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """``suspicious``: a file is gone or emptied; an editor may be half way through a save."""

    read: tuple[Seen, ...]
    gone: tuple[KnownFile, ...]
    suspicious: bool


def plan_of(
    walk: Walk, known: Mapping[str, KnownFile], *, named: frozenset[str], anew: bool
) -> Plan:
    """``named`` are files an event named: they are read even when their stamp stayed.

    With ``anew`` every file is. Rows below a folder that could not be listed are kept.
    """
    seen = {file.path: file for file in walk.files}
    read = tuple(
        file
        for path, file in seen.items()
        if anew or path in named or path not in known or known[path].stamp != file.stamp
    )
    gone = tuple(
        row
        for path, row in known.items()
        if path not in seen and not any(is_below(path, place) for place in walk.unknown)
    )
    emptied = any(
        file.stamp.size == 0 and file.path in known and known[file.path].stamp.size > 0
        for file in read
    )
    return Plan(read=read, gone=gone, suspicious=bool(gone) or emptied)


def prefixes_of(dirty: Dirty) -> tuple[str, ...] | None:
    """The paths to look at, without those below another; None for everything."""
    if dirty.everything or "" in dirty.paths:
        return None
    paths = dirty.paths
    return tuple(sorted(path for path in paths if not any(p in paths for p in _above(path))))


def _above(path: str) -> Iterator[str]:
    while (cut := path.rfind("/")) >= 0:
        path = path[:cut]
        yield path
