"""Sparse weights in the index: kept by text and identity, gone with the text."""

from pathlib import Path

import aiosqlite

from recalld.store.bridge import Database, open_database, open_loop
from recalld.store.sparse import AT_ONCE, SparseStore

NOW, BEFORE = "bge_m3/a/32", "bge_m3/b/32"


async def add_passage(database: Database, text_hash: bytes) -> None:
    """A window of that hash in an otherwise empty index."""

    async def job(connection: aiosqlite.Connection) -> None:
        await connection.execute("INSERT INTO workspace (root) VALUES ('/w')")
        await connection.execute(
            "INSERT INTO file (workspace_id, path, source, sha256, size, mtime_ns, inode, title,"
            " head_text, head_hash) VALUES (1, 'a.md', 'memory', x'', 0, 0, 0, '', '', x'')"
        )
        await connection.execute(
            "INSERT INTO chunk (uid, workspace_id, file_id, ordinal, start_line, end_line,"
            " heading, text, is_cjk) VALUES ('u', 1, 1, 0, 1, 1, '', 'x', 0)"
        )
        await connection.execute(
            "INSERT INTO passage (chunk_id, ordinal, start_char, end_char, text_hash)"
            " VALUES (1, 0, 0, 1, ?)",
            (text_hash,),
        )

    await database.write(job)


async def test_weights_are_found_by_text_and_identity_only(tmp_path: Path) -> None:
    async with (
        open_loop(),
        open_database(tmp_path / "i.db", migrations="index", synchronous="NORMAL") as database,
    ):
        store = SparseStore(database)
        await store.put(NOW, {b"one": b"1", b"two": b"2"})
        await store.put(BEFORE, {b"one": b"old"})
        many = [b"one", *(b"absent %d" % n for n in range(AT_ONCE)), b"two"]
        assert await store.find(NOW, many) == {b"one": b"1", b"two": b"2"}
        assert await store.known(NOW, many) == {b"one", b"two"}
        assert await store.known(BEFORE, many) == {b"one"}
        await store.put(NOW, {b"one": b"again"})
        assert await store.find(NOW, [b"one"]) == {b"one": b"again"}
        assert await store.find(BEFORE, [b"one"]) == {b"one": b"old"}


async def test_a_sweep_leaves_the_weights_of_present_texts_alone(tmp_path: Path) -> None:
    async with (
        open_loop(),
        open_database(tmp_path / "i.db", migrations="index", synchronous="NORMAL") as database,
    ):
        store = SparseStore(database)
        await add_passage(database, b"here")
        await store.put(NOW, {b"here": b"1", b"gone": b"2"})
        await store.put(BEFORE, {b"here": b"3"})
        assert await store.sweep(NOW) == 2
        assert await store.find(NOW, [b"here", b"gone"]) == {b"here": b"1"}
        assert await store.find(BEFORE, [b"here"]) == {}
