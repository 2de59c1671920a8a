"""Reads of the derived index for search: a few statements each, one transaction each.

Every token reaches the full-text engine quoted, so nothing a user types is read as an operator.
"""

import json
from collections.abc import Sequence
from typing import Any

import aiosqlite

from recalld.search.model import ChunkDetail, ChunkRow, FileRow, LexicalHits, LexicalQuery
from recalld.store.bridge import Database

_FILES = """
SELECT f.id, f.path, f.source, f.session, CASE f.head_text WHEN '' THEN x'' ELSE f.head_hash END,
  ifnull(min(c.id), 0), ifnull(max(c.id), 0), count(c.id), f.mtime_ns
FROM file f LEFT JOIN chunk c ON c.file_id = f.id
WHERE f.workspace_id = ? AND f.skipped IS NULL GROUP BY f.id ORDER BY f.path
"""
_CHUNKS = """
SELECT c.id, c.file_id, c.ordinal, c.speaker, c.is_cjk, c.date,
  CASE WHEN instr(c.text, '?') OR instr(c.text, '？') THEN c.text ELSE '' END FROM chunk c
WHERE c.file_id IN (SELECT value FROM json_each(?)) ORDER BY c.id
"""
_CHUNK_TEXTS = "SELECT id, text FROM chunk WHERE id IN (SELECT value FROM json_each(?))"
_PASSAGES = """
SELECT p.chunk_id, p.text_hash FROM chunk c JOIN passage p ON p.chunk_id = c.id
WHERE c.file_id IN (SELECT value FROM json_each(?)) ORDER BY p.chunk_id, p.ordinal
"""
_RANKED = """
SELECT {kind}, rowid, rank, '' FROM (
  SELECT rowid, bm25(lex_{id}, {weights}) AS rank FROM lex_{id}
  WHERE lex_{id} MATCH ? {allowed} ORDER BY rank, rowid LIMIT {best})
"""
_ALLOWED = """AND rowid IN (SELECT c.id FROM file f JOIN chunk c ON c.file_id = f.id
  WHERE f.workspace_id = {id} AND f.source IN (SELECT value FROM json_each(?)))"""
_COUNTS = """
SELECT 2, 0, doc, term FROM lexv_{id} WHERE term IN (SELECT value FROM json_each(?))
"""
_DETAILS = """
SELECT c.id, c.uid, f.path, c.start_line, c.end_line, f.source, c.heading, c.text, c.speaker,
  c.date, f.session, f.mtime_ns, l.own, l.prev, l.next, l.head,
  (SELECT json_group_array(json_array(p.start_char, p.end_char)) FROM
    (SELECT start_char, end_char FROM passage WHERE chunk_id = c.id ORDER BY ordinal) p)
FROM chunk c JOIN file f ON f.id = c.file_id JOIN chunk_lexical l ON l.chunk_id = c.id
WHERE c.id IN (SELECT value FROM json_each(?))
"""
FILES_AT_ONCE = 400


class IndexReader:
    """The index's reading side; each method is one read."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def workspaces(self) -> tuple[int, ...]:
        """Ids of the workspaces that are indexed."""

        async def job(connection: aiosqlite.Connection) -> tuple[int, ...]:
            rows = await connection.execute_fetchall("SELECT id FROM workspace ORDER BY id")
            return tuple(key for (key,) in rows)

        return await self._database.read(job)

    async def files(self, workspace_id: int) -> tuple[FileRow, ...]:
        """Every file that is not skipped, in order of path."""

        async def job(connection: aiosqlite.Connection) -> tuple[FileRow, ...]:
            rows = await connection.execute_fetchall(_FILES, (workspace_id,))
            return tuple(_file(*row) for row in rows)

        return await self._database.read(job)

    async def chunks(self, file_ids: Sequence[int]) -> tuple[ChunkRow, ...]:
        """The chunks of at most ``FILES_AT_ONCE`` files, with the hashes of their windows."""
        wanted = (json.dumps(list(file_ids)),)

        async def job(connection: aiosqlite.Connection) -> tuple[ChunkRow, ...]:
            passages: dict[int, list[bytes]] = {}
            for chunk_id, text_hash in await connection.execute_fetchall(_PASSAGES, wanted):
                passages.setdefault(chunk_id, []).append(text_hash)
            rows = await connection.execute_fetchall(_CHUNKS, wanted)
            return tuple(_chunk(row, tuple(passages.get(row[0], ()))) for row in rows)

        return await self._database.read(job)

    async def texts(self, chunk_ids: Sequence[int]) -> dict[int, str]:
        """The texts of chunks by id; those that are gone are left out."""
        wanted = (json.dumps(list(chunk_ids)),)

        async def job(connection: aiosqlite.Connection) -> dict[int, str]:
            rows = await connection.execute_fetchall(_CHUNK_TEXTS, wanted)
            return {int(key): str(text) for key, text in rows}

        return await self._database.read(job)

    async def lexical(self, query: LexicalQuery) -> LexicalHits:
        """Both full-text queries and the document frequencies, in one statement."""
        statement, parameters = lexical_statement(query)

        async def job(connection: aiosqlite.Connection) -> LexicalHits:
            hits = LexicalHits(own={}, expansion={}, counts={})
            if not statement:
                return hits
            rows = await connection.execute_fetchall(statement, parameters)
            for kind, chunk_id, value, term in rows:
                if kind == 2:
                    hits.counts[term] = value
                else:
                    (hits.expansion if kind else hits.own)[chunk_id] = -value
            return hits

        return await self._database.read(job)

    async def details(self, chunk_ids: Sequence[int]) -> dict[int, ChunkDetail]:
        """By chunk id; chunks that are gone meanwhile are left out."""
        wanted = (json.dumps(list(chunk_ids)),)

        async def job(connection: aiosqlite.Connection) -> dict[int, ChunkDetail]:
            rows = await connection.execute_fetchall(_DETAILS, wanted)
            return {row[0]: _detail(tuple(row)) for row in rows}

        return await self._database.read(job)


def match_of(tokens: Sequence[str]) -> str:
    """An OR of quoted tokens. A question of single CJK characters looks for bigrams with them."""
    lone = all(len(token) == 1 and not token.isascii() for token in tokens)
    return " OR ".join(_quoted(token) + ("*" if lone else "") for token in tokens)


def _quoted(token: str) -> str:
    return '"' + token.replace('"', '""') + '"'


def lexical_statement(query: LexicalQuery) -> tuple[str, tuple[str, ...]]:
    """The statement and its parameters; no statement when there is nothing to look for."""
    parts: list[str] = []
    parameters: list[str] = []
    for kind, tokens in enumerate((query.own, query.expansion)):
        if tokens:
            parts.append(_ranked(query, kind))
            parameters.append(match_of(tokens))
            if query.sources is not None:
                parameters.append(json.dumps(query.sources))
    if query.own:
        parts.append(_COUNTS.format(id=query.workspace_id))
        parameters.append(json.dumps(query.own))
    return " UNION ALL ".join(parts), tuple(parameters)


def _ranked(query: LexicalQuery, kind: int) -> str:
    allowed = "" if query.sources is None else _ALLOWED.format(id=query.workspace_id)
    return _RANKED.format(
        kind=kind,
        id=query.workspace_id,
        weights=", ".join(f"{weight:g}" for weight in query.weights),
        allowed=allowed,
        best=query.best,
    )


def _file(*row: Any) -> FileRow:
    key, path, source, session, head_hash, first, last, chunks, mtime_ns = row
    return FileRow(
        id=key,
        path=path,
        source=source,
        session=session,
        head_hash=head_hash,
        first_chunk=first,
        last_chunk=last,
        chunks=chunks,
        mtime_ns=mtime_ns,
    )


def _chunk(row: Any, passages: tuple[bytes, ...]) -> ChunkRow:
    key, file_id, ordinal, speaker, is_cjk, date, asking = row
    return ChunkRow(
        id=key,
        file_id=file_id,
        ordinal=ordinal,
        speaker=speaker,
        is_cjk=bool(is_cjk),
        passages=passages,
        date=date,
        asking=asking,
    )


def _detail(row: tuple[Any, ...]) -> ChunkDetail:
    names = tuple(ChunkDetail.__dataclass_fields__)
    values = dict(zip(names, row, strict=True))
    values["windows"] = tuple((start, end) for start, end in json.loads(values["windows"]))
    return ChunkDetail(**values)
