"""A file's bytes to everything the index writes about it. Pure; seconds for megabytes."""

import hashlib
from collections import Counter

from recalld.index.chunking import Limits, chunk_file
from recalld.index.decode import decode
from recalld.index.lexical import lexical_rows, path_words
from recalld.index.model import (
    Chunk,
    ChunkRecord,
    Document,
    FileRecord,
    Lexical,
    Passage,
    Stamp,
)
from recalld.search.model import Source
from recalld.text.clean import blank_own_blocks
from recalld.text.language import is_cjk
from recalld.text.passages import passages
from recalld.text.redact import redact


def content_hash(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


def prepare(path: str, data: bytes, *, source: Source, stamp: Stamp, limits: Limits) -> FileRecord:
    """The record of a file. Own blocks are out and secrets redacted before anything is derived.

    A dated file counts as one session, whose key is its path. ``skipped`` names why a file that
    is no text has no chunks.
    """
    digest = content_hash(data)
    decoded = decode(data)
    if decoded.text is None:
        return FileRecord(
            path=path, source=source, sha256=digest, stamp=stamp, skipped=decoded.skipped
        )
    clean = redact(blank_own_blocks(decoded.text))
    document = chunk_file(path, clean.text, limits=limits)
    warnings = [w for w in (decoded.warning, *document.warnings) if w]
    head = head_text(path, document)
    return FileRecord(
        path=path,
        source=source,
        sha256=digest,
        stamp=stamp,
        title=document.title,
        date=document.date,
        session=path if document.date is not None else None,
        head_text=head,
        head_hash=text_hash(head),
        warning=", ".join(warnings) or None,
        chunks=chunk_records(path, document),
        redacted=clean.kinds,
    )


def chunk_records(path: str, document: Document) -> tuple[ChunkRecord, ...]:
    rows = lexical_rows(path, document)
    seen: Counter[tuple[str, str]] = Counter()
    records = []
    for chunk, lexical in zip(document.chunks, rows, strict=True):
        seen[chunk.heading, chunk.text] += 1
        records.append(_record(path, chunk, lexical, seen[chunk.heading, chunk.text]))
    return tuple(records)


def head_text(path: str, document: Document) -> str:
    """``file name. title``; '' for a file of turns, whose name says nothing about them."""
    if document.chunks and all(c.speaker is not None or c.bare for c in document.chunks):
        return ""
    name = path_words(path.rsplit("/", 1)[-1])
    return f"{name}. {document.title}" if document.title else name


def text_hash(text: str) -> bytes:
    """blake2b-16, the key of a text's vector."""
    return hashlib.blake2b(text.encode(), digest_size=16).digest()


def uid_of(path: str, chunk: Chunk, occurrence: int) -> str:
    """The same over every rebuild, for the same text at the same path under the same heading.

    ``occurrence`` counts from 1 and tells repeats in one file apart.
    """
    parts = (path, chunk.heading, chunk.text, str(occurrence))
    return hashlib.blake2b("\0".join(parts).encode(), digest_size=12).hexdigest()


def _record(path: str, chunk: Chunk, lexical: Lexical, occurrence: int) -> ChunkRecord:
    windows = () if chunk.bare else passages(chunk.text)
    return ChunkRecord(
        uid=uid_of(path, chunk, occurrence),
        chunk=chunk,
        is_cjk=is_cjk(chunk.text),
        lexical=lexical,
        passages=tuple(
            Passage(start_char=start, end_char=end, text_hash=text_hash(chunk.text[start:end]))
            for start, end in windows
        ),
    )
