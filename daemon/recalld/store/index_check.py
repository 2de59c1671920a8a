"""Whether files, chunks, full-text rows and vectors of a workspace agree."""

from dataclasses import dataclass

import aiosqlite

from recalld.store.bridge import Database

CUT_MS = 5_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """Counted in one snapshot. ``vectors`` are chunks all of whose windows have one.

    ``full_text`` are the rows of the full-text table, ``lexical`` those it was fed from.
    """

    files: int
    chunks: int
    lexical: int
    full_text: int
    vectors: int


async def agreement(database: Database, workspace_id: int, identity: str) -> Agreement:
    """Raise ``Unavailable`` when counting takes more than 5 s."""

    async def job(connection: aiosqlite.Connection) -> Agreement:
        async def count(sql: str, *values: object) -> int:
            rows = await connection.execute_fetchall(sql, values)
            return next((int(number) for (number,) in rows), 0)

        table = f"lex_{int(workspace_id)}_docsize"
        known = await count("SELECT count(*) FROM sqlite_master WHERE name = ?", table)
        chunks = await count("SELECT count(*) FROM chunk WHERE workspace_id = ?", workspace_id)
        return Agreement(
            files=await count(
                "SELECT count(*) FROM file WHERE workspace_id = ? AND skipped IS NULL",
                workspace_id,
            ),
            chunks=chunks,
            lexical=await count(
                "SELECT count(*) FROM chunk c JOIN chunk_lexical l ON l.chunk_id = c.id"
                " WHERE c.workspace_id = ?",
                workspace_id,
            ),
            full_text=await count(f"SELECT count(*) FROM {table}") if known else 0,  # noqa: S608 (a number)
            vectors=chunks - await count(_WITHOUT_VECTORS, identity, workspace_id),
        )

    return await database.read(job, cut_ms=CUT_MS)


_WITHOUT_VECTORS = """
SELECT count(DISTINCT p.chunk_id)
FROM passage p JOIN chunk c ON c.id = p.chunk_id
LEFT JOIN vector v ON v.text_hash = p.text_hash AND v.identity = ?
WHERE c.workspace_id = ? AND v.text_hash IS NULL
"""
