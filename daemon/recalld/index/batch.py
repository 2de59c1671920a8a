"""Files read and prepared, so many at a time. Blocking; run in a thread."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from recalld.counters import Counters
from recalld.index import scan
from recalld.index.chunking import Limits
from recalld.index.model import FileRecord, KnownFile, Touched
from recalld.index.policy import IndexPolicy
from recalld.index.prepare import content_hash, prepare
from recalld.index.scan_model import Content, Seen
from recalld.index.source import Sources

# One transaction and one step of a worker thread: long enough to pay, short enough to leave
# readers and other work their turn.
BATCH_FILES = 64
BATCH_BYTES = 512 * 1024


@dataclass(slots=True)
class Batch:
    """``used`` files were read; those in ``again`` are gone or changed meanwhile."""

    put: list[FileRecord] = field(default_factory=list)
    touched: list[Touched] = field(default_factory=list)
    again: set[str] = field(default_factory=set)
    used: int = 0


class BatchReader:
    """The files of one workspace.

    Counted: ``index.prepare_failed``.
    """

    def __init__(
        self, root: str, sources: Sources, *, policy: IndexPolicy, counters: Counters
    ) -> None:
        self._root = root
        self._sources = sources
        self._max_bytes = policy.max_file_bytes
        self._counters = counters
        self._limits = Limits(
            max_chunk_chars=policy.max_chunk_chars, max_line_chars=policy.max_line_chars
        )

    def read(self, files: tuple[Seen, ...], known: Mapping[str, KnownFile], *, anew: bool) -> Batch:
        """As many of ``files`` as make a batch, from the first on; ``anew``: the same bytes too."""
        batch, size = Batch(), 0
        for file in files[:BATCH_FILES]:
            if size >= BATCH_BYTES:
                break
            content = scan.read(self._root, file, max_bytes=self._max_bytes)
            size += len(content.data or b"")
            batch.used += 1
            if not content.settled or (content.data is None and content.skipped is None):
                batch.again.add(os.fsdecode(file.name))
            row = known.get(file.path)
            if row is not None and not anew and _same(row, content):
                if row.stamp != content.stamp:
                    batch.touched.append(Touched(id=row.id, stamp=content.stamp))
            elif content.data is not None or content.skipped is not None:
                batch.put.append(self._record(file, content))
        return batch

    def _record(self, file: Seen, content: Content) -> FileRecord:
        source = self._sources.of(file.path)
        failed = FileRecord(
            path=file.path,
            source=source,
            sha256=b"",
            stamp=content.stamp,
            skipped=content.skipped or "failed",
        )
        if content.data is None:
            return failed
        try:
            return prepare(
                file.path, content.data, source=source, stamp=content.stamp, limits=self._limits
            )
        # A parser that gives up on one file must not cost the others; nothing of it is stored.
        except (ValueError, LookupError, RecursionError, MemoryError) as error:
            self._counters.add("index.prepare_failed")
            return replace(
                failed,
                sha256=content_hash(content.data),
                skipped=f"failed: {type(error).__name__}",
            )


def _same(row: KnownFile, content: Content) -> bool:
    if content.data is None:
        return row.skipped is not None and row.skipped == content.skipped
    return row.sha256 == content_hash(content.data)
