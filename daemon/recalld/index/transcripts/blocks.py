"""One transcript's file: whose it is, and its lines a block at a time. Blocking."""

from dataclasses import dataclass

from msgspec.structs import replace as changed

from recalld.index.model import Stamp
from recalld.index.transcripts import disk, host_of
from recalld.index.transcripts.lines import Split, object_of
from recalld.index.transcripts.model import Host, KnownTranscript, Place, Progress
from recalld.index.transcripts.paths import family_of
from recalld.index.transcripts.reading import Branch, Parse, live_path, parse


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Whose file it is; ``cwd`` is a real path. ``host`` None: ``why`` nobody knows it."""

    host: Host | None
    cwd: str | None = None
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A block of lines with the file's stamp; ``mark`` stands before its end."""

    split: Split
    parse: Parse
    stamp: Stamp
    mark: str


def origin_of(path: str) -> Origin | None:
    """By the content of the first lines; None where the file is gone or too short to tell."""
    with disk.reading(path) as reader:
        if reader is None:
            return None
        lines, growing = reader.first_objects()
    host = host_of(lines)
    if host is None:
        return None if growing and not lines else Origin(host=None, why="unknown format")
    cwds = (host.read(line).cwd for line in lines)
    cwd = next((cwd for cwd in cwds if cwd is not None), None)
    real = cwd is not None and cwd.startswith("/") and "\0" not in cwd
    return Origin(host=host, cwd=disk.real_path(cwd) if real and cwd else None)


def is_same(path: str, known: KnownTranscript) -> bool:
    """Whether what was read still stands where it stood."""
    progress = known.progress
    with disk.reading(path) as reader:
        if reader is None or progress is None:
            return False
        stamp, place = reader.stamp, progress.place
        if stamp.inode != known.stamp.inode or stamp.size < place.position:
            return False
        return reader.mark(place.position) == progress.mark


def next_block(path: str, progress: Progress, host: Host) -> Block | None:
    """What stands behind ``progress``; None where the file is gone."""
    with disk.reading(path) as reader:
        if reader is None:
            return None
        # Before reading: what is added meanwhile must not look as if it had been read.
        stamp = reader.stamp
        place = progress.place
        block = reader.block(position=place.position, line=place.line, inside=progress.inside)
        return Block(
            split=block,
            parse=parse(block.lines, host=host, family=family_of(path)),
            stamp=stamp,
            mark=reader.mark(block.position),
        )


def live_branch(path: str, host: Host) -> Branch:
    """The path to the last leaf of the whole file, as it is now."""
    parents: dict[str, str | None] = {}
    leaf, progress = "", Progress(host=host.name)
    with disk.reading(path) as reader:
        while reader is not None:
            place = progress.place
            block = reader.block(position=place.position, line=place.line, inside=progress.inside)
            for raw in block.lines:
                line = object_of(raw.data)
                entry = None if line is None else host.read(line)
                if entry is not None and entry.branching and entry.uid is not None:
                    parents[entry.uid] = entry.parent
                    leaf = entry.uid
            if block.position == place.position:
                break
            at = Place(position=block.position, line=block.line)
            progress = changed(progress, place=at, inside=block.inside)
    return Branch(ids=live_path(parents, leaf), until=progress.place.position, leaf=leaf)
