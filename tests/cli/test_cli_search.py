"""``recalld search``: what it says where it found nothing, and where it looked."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from support.answering import HIT, answering, recalld
from support.scripted import ScriptedDaemon


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[ScriptedDaemon]:
    with answering(tmp_path) as daemon:
        yield daemon


@pytest.mark.parametrize(
    ("roots", "where", "says"),
    [
        ([], [], "nothing is remembered yet: add a folder with 'recalld workspace add DIR'"),
        (["/home/maya/notes"], ["-w", "/nope"], "/nope is in no remembered folder; "),
        (["/home/maya/notes"], ["-w", "/home/maya/notes/memory"], None),
        (["/home/maya/notes"], [], None),
    ],
)
def test_a_search_that_looked_nowhere_says_so(daemon, capsys, roots, where, says):
    daemon.answers["search"] = {"hits": []}
    daemon.answers["index.status"] = {"workspaces": [{"workspace": root} for root in roots]}
    assert recalld(daemon, "search", "x", *where) == 0
    _, *more = capsys.readouterr().out.rstrip("\n").split("\n")
    assert len(more) == (says is not None)
    assert says is None or more[0].startswith(says)


def test_a_search_explained_names_the_place_of_each_hit_of_a_route(daemon, capsys):
    rows = [{"id": "u1", "rank": 1, "raw_score": 0.91}, {"id": "u9", "rank": 2, "raw_score": 0.1}]
    daemon.answers["search"] = {"hits": [HIT], "explain": {"literal": rows}}
    assert recalld(daemon, "search", "x", "--explain") == 0
    *_, first, second = capsys.readouterr().out.rstrip("\n").split("\n")
    assert first.split() == ["1", "0.91", "memory/2026-05-11.md:8-11"]
    assert second.split() == ["2", "0.1", "-"]


def test_a_source_that_is_none_is_named_with_those_there_are(daemon, capsys):
    assert recalld(daemon, "search", "x", "--sources", "memory, mails") == 2
    assert capsys.readouterr().err == (
        "recalld: --sources: 'mails' is none of memory, documents, wiki, sessions\n"
    )
    assert recalld(daemon, "search", "x", "--sources", "memory, wiki") == 0
    assert [each["sources"] for each in daemon.seen("search")] == [["memory", "wiki"]]
