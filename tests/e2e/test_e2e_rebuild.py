"""The index is derived: made again from the files it ranks as before."""

import pytest

from support.daemon import running
from support.e2e import TOPICS, prompts, until, write_notes

# 50 different questions: what was decided, and the bare topic, in both languages.
QUERIES = [*prompts()[::4][:13], *prompts()[1::4][:12]] + [
    topic[number % 2] for number, topic in enumerate(TOPICS)
]


def ranked(daemon):
    """For each query the ids of its hits in order."""
    return [
        [hit["id"] for hit in daemon.call("search", query=query, limit=20)["hits"]]
        for query in QUERIES
    ]


def has_every_vector(daemon):
    """Whether search is whole: no leg left out, nothing waiting to be embedded."""
    (status,) = daemon.call("index.status")["workspaces"]
    return status["invariants"]["holds"] and "degraded" not in daemon.call("search", query="port")


@pytest.fixture
def world(tmp_path):
    notes = tmp_path / "notes"
    write_notes(notes)
    (notes / "wiki").mkdir()
    (notes / "wiki" / "ports.md").write_text(
        "# Ports\n\n" + "".join(f"- {topic}: {1_000 + n}\n" for n, (topic, _) in enumerate(TOPICS)),
        encoding="utf-8",
    )
    return tmp_path / "d", notes


def test_the_index_deleted_and_rebuilt_ranks_fifty_queries_the_same(world):
    home, notes = world
    assert len(set(QUERIES)) == 50
    with running(home, workspaces=[notes]) as daemon:
        daemon.call("index.sync")
        until(lambda: has_every_vector(daemon), what="a whole index")
        before = ranked(daemon)
        assert daemon.stop() == 0
    assert all(before)
    removed = [file.unlink() for file in (home / "state").glob("index.db*")]
    assert removed
    with running(home, workspaces=[notes]) as daemon:
        daemon.call("index.sync")
        until(lambda: has_every_vector(daemon), what="a whole index")
        assert ranked(daemon) == before
        assert daemon.stop() == 0


def test_an_index_built_piece_by_piece_ranks_like_one_built_at_once(world):
    home, notes = world
    files = sorted(notes.rglob("*.md"))
    kept = {file: file.read_bytes() for file in files}
    for file in files:
        file.unlink()
    with running(home, workspaces=[notes]) as daemon:
        for file in reversed(files):
            file.write_bytes(b"# Draft\n\nnothing yet\n")
        daemon.call("index.sync")
        for start in range(0, len(files), 9):
            for file in files[start : start + 9]:
                file.write_bytes(kept[file])
            daemon.call("index.sync")
        until(lambda: has_every_vector(daemon), what="a whole index")
        grown = ranked(daemon)
        assert daemon.stop() == 0
    for file in (home / "state").glob("index.db*"):
        file.unlink()
    with running(home, workspaces=[notes]) as daemon:
        daemon.call("index.sync")
        until(lambda: has_every_vector(daemon), what="a whole index")
        assert ranked(daemon) == grown
        assert daemon.stop() == 0
