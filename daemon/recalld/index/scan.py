"""Looking at the disk: walking a workspace and reading its files. Blocking; run in a thread.

Names are bytes. Only regular files are read, and what is opened is opened as ``opening`` does:
a link that is swapped in leads nowhere, a FIFO blocks nobody, and a loop does not exist.
"""

import os
import stat
import time
from dataclasses import replace

from recalld.index.ignore import Level, Rules
from recalld.index.model import Skip, Stamp
from recalld.index.names import label_of
from recalld.index.opening import DENIED, FILE, FOLDER, GONE, Descriptors, opened
from recalld.index.scan_model import Content, Seen, Walk

MAX_DEPTH = 64  # one descriptor is open for each level
MAX_GITIGNORE_BYTES = 256 * 1024
READ_ATTEMPTS = 3
# Two writes within one tick of the file system's clock leave the same stamp. A stamp this fresh
# is stored one off, so that the next scan reads the file once more.
FRESH_NS = 50_000_000
# What SQLite's integers hold. File systems know times before 1677 and after 2262.
_INT64_MAX = (1 << 63) - 1

_KINDS = {
    stat.S_IFLNK: "symlink",
    stat.S_IFIFO: "fifo",
    stat.S_IFSOCK: "socket",
    stat.S_IFCHR: "device",
    stat.S_IFBLK: "device",
}


def walk(root: str, rules: Rules, *, prefixes: tuple[str, ...] | None = None) -> Walk:
    """What is to be indexed below ``root``, or only at and below ``prefixes``.

    A root that is missing, no folder or itself a link has no files.
    """
    walker = _Walker(rules)
    try:
        descriptor = os.open(root, FOLDER)
    except OSError as error:
        if error.errno in GONE | DENIED:
            return Walk(root_missing=True)
        return Walk(unknown=("",))
    try:
        if prefixes is None:
            walker.folder(descriptor, b"", Level(), 0)
        else:
            for prefix in prefixes:
                walker.descend(descriptor, os.fsencode(prefix).split(b"/"))
    finally:
        os.close(descriptor)
    return walker.result()


def read(root: str, file: Seen, *, max_bytes: int) -> Content:
    """The file's bytes with the stamp they were read under; too large a file is not opened."""
    if file.stamp.size > max_bytes:
        return Content(data=None, stamp=file.stamp, skipped="too_large")
    try:
        with opened(root, file.name) as descriptor:
            return _content(descriptor, max_bytes)
    except OSError as error:
        if error.errno in GONE:
            return Content(data=None, stamp=file.stamp)
        why = "unreadable" if error.errno in DENIED else f"unreadable: {error.strerror}"
        # No file has this stamp: as soon as it can be read, it is.
        never = Stamp(size=file.stamp.size, mtime_ns=-1, inode=file.stamp.inode)
        return Content(data=None, stamp=never, skipped=why)


def root_identity(root: str) -> tuple[int, int] | None:
    """Device and inode of the folder; None when it is missing, a link or no folder."""
    try:
        status = os.stat(root, follow_symlinks=False)  # noqa: PTH116  as everything here
    except OSError:
        return None
    return (status.st_dev, status.st_ino) if stat.S_ISDIR(status.st_mode) else None


class _Walker:
    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._files: dict[str, Seen] = {}
        self._skipped: list[Skip] = []
        self._unknown: list[str] = []

    def folder(self, descriptor: int, name: bytes, above: Level, depth: int) -> None:
        label = label_of(name)
        level = self._level(descriptor, label, above)
        try:
            with os.scandir(descriptor) as listing:
                entries = sorted(listing, key=lambda entry: entry.name)
            for entry in entries:
                inside = _joined(name, os.fsencode(entry.name))
                if entry.is_dir(follow_symlinks=False):
                    self._subfolder(descriptor, inside, level, depth + 1)
                elif self._rules.takes(label_of(inside), level):
                    self._file(descriptor, inside)
                elif entry.is_symlink():
                    self._link(entry, label_of(inside), level)
        except OSError as error:
            self._failed(label, error)

    def _link(self, entry: os.DirEntry[str], label: str, level: Level) -> None:
        """Tell of a folder that is left out because it is reached through a link only."""
        if not self._rules.enters(label, level):
            return
        try:
            leads_to_folder = entry.is_dir()
        except OSError:
            return
        if leads_to_folder:
            self._skipped.append(Skip(path=label, why="symlink to a folder"))

    def descend(self, root: int, parts: list[bytes]) -> None:
        """Look at one path as a whole walk would: by the rules of every folder above it."""
        level = self._level(root, "", Level())
        with Descriptors() as held:
            at, name = root, b""
            for part in parts[:-1]:
                name = _joined(name, part)
                if not self._rules.enters(label_of(name), level):
                    return
                try:
                    at = held.open(part, at)
                except OSError as error:
                    self._failed(label_of(name), error)
                    return
                level = self._level(at, label_of(name), level)
            self._one(at, _joined(name, parts[-1]), level, len(parts))

    def result(self) -> Walk:
        kept: dict[tuple[int, int], Seen] = {}
        linked = False
        for file in sorted(self._files.values(), key=lambda file: file.path):
            if file.links > 1:
                linked = True
                first = kept.setdefault((file.device, file.stamp.inode), file)
                if first is not file:
                    self._skipped.append(Skip(path=file.path, why=f"same file as {first.path}"))
                    del self._files[file.path]
        return Walk(
            files=tuple(sorted(self._files.values(), key=lambda file: file.path)),
            skipped=tuple(self._skipped),
            unknown=tuple(self._unknown),
            linked=linked,
        )

    def _one(self, parent: int, name: bytes, level: Level, depth: int) -> None:
        try:
            status = os.stat(os.path.basename(name), dir_fd=parent, follow_symlinks=False)  # noqa: PTH119
        except OSError as error:
            self._failed(label_of(name), error)
            return
        if stat.S_ISDIR(status.st_mode):
            self._subfolder(parent, name, level, depth)
        elif self._rules.takes(label_of(name), level):
            self._file(parent, name)

    def _subfolder(self, parent: int, name: bytes, level: Level, depth: int) -> None:
        label = label_of(name)
        if not self._rules.enters(label, level):
            return
        if depth > MAX_DEPTH:
            self._skipped.append(Skip(path=label, why="too deep"))
            return
        try:
            descriptor = os.open(os.path.basename(name), FOLDER, dir_fd=parent)  # noqa: PTH119
        except OSError as error:
            self._failed(label, error)
            return
        try:
            self.folder(descriptor, name, level, depth)
        finally:
            os.close(descriptor)

    def _file(self, parent: int, name: bytes) -> None:
        label = label_of(name)
        try:
            status = os.stat(os.path.basename(name), dir_fd=parent, follow_symlinks=False)  # noqa: PTH119
        except OSError as error:
            self._failed(label, error)
            return
        kind = _KINDS.get(stat.S_IFMT(status.st_mode))
        if kind is not None:
            self._skipped.append(Skip(path=label, why=kind))
        elif label in self._files and self._files[label].name != name:
            self._skipped.append(Skip(path=label, why="another file has the same label"))
        else:
            self._files[label] = Seen(
                path=label,
                name=name,
                stamp=_stamp(status),
                device=status.st_dev,
                links=status.st_nlink,
            )

    def _level(self, descriptor: int, label: str, above: Level) -> Level:
        if not self._rules.gitignore:
            return above
        return self._rules.below(above, label, _gitignore(descriptor))

    def _failed(self, label: str, error: OSError) -> None:
        if error.errno in GONE:
            return
        if error.errno in DENIED:
            self._skipped.append(Skip(path=label, why="unreadable"))
            return
        self._unknown.append(label)
        self._skipped.append(Skip(path=label, why=f"unreadable: {error.strerror}"))


def _content(descriptor: int, max_bytes: int) -> Content:
    before = os.fstat(descriptor)
    for _ in range(READ_ATTEMPTS):
        if not stat.S_ISREG(before.st_mode):
            return Content(data=None, stamp=_stamp(before), skipped="not a regular file")
        if before.st_size > max_bytes:
            return Content(data=None, stamp=_stamp(before), skipped="too_large")
        data = _all(descriptor, max_bytes)
        after = os.fstat(descriptor)
        if _stamp(after) == _stamp(before) and len(data) == after.st_size:
            return Content(data=data, stamp=_stored(after))
        before = after
    return Content(data=data, stamp=_stored(before), settled=False)


def _all(descriptor: int, max_bytes: int) -> bytes:
    os.lseek(descriptor, 0, os.SEEK_SET)
    parts, size = [], 0
    while size <= max_bytes and (part := os.read(descriptor, 1 << 20)):
        parts.append(part)
        size += len(part)
    return b"".join(parts)


def _gitignore(descriptor: int) -> str | None:
    try:
        file = os.open(".gitignore", FILE, dir_fd=descriptor)
    except OSError:
        return None
    try:
        status = os.fstat(file)
        if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_GITIGNORE_BYTES:
            return None
        return os.read(file, MAX_GITIGNORE_BYTES).decode("utf-8", "replace")
    except OSError:
        return None
    finally:
        os.close(file)


def _joined(folder: bytes, name: bytes) -> bytes:
    return folder + b"/" + name if folder else name


def _stamp(status: os.stat_result) -> Stamp:
    # Inodes are unsigned; SQLite's integers are not.
    inode = status.st_ino & _INT64_MAX
    mtime_ns = max(-_INT64_MAX, min(status.st_mtime_ns, _INT64_MAX))
    return Stamp(size=status.st_size, mtime_ns=mtime_ns, inode=inode)


def _stored(status: os.stat_result) -> Stamp:
    stamp = _stamp(status)
    fresh = abs(time.time_ns() - stamp.mtime_ns) < FRESH_NS
    return replace(stamp, mtime_ns=stamp.mtime_ns - 1) if fresh else stamp
