"""What a scan of the disk brings back. Pure."""

from dataclasses import dataclass

from recalld.index.model import Skip, Stamp


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A regular file. ``name`` is its path as bytes, ``path`` the label; both relative."""

    path: str
    name: bytes
    stamp: Stamp
    device: int
    links: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Walk:
    """Files in order of path, each physical one once.

    ``unknown`` are folders the system would not list just now: no news about what is in them.
    ``linked``: a file has several names, so a part of the tree does not tell which one counts.
    """

    files: tuple[Seen, ...] = ()
    skipped: tuple[Skip, ...] = ()
    unknown: tuple[str, ...] = ()
    linked: bool = False
    root_missing: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """A file as read. ``data`` None: ``skipped`` says why, or it is None and the file is gone.

    ``settled`` False: it changed while it was read, so it is to be looked at again.
    """

    data: bytes | None
    stamp: Stamp
    skipped: str | None = None
    settled: bool = True
