"""What a host's memory search is asked, and what of its output becomes a hit."""

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recalld.fallback.answers import Context, filled, read_answer
from recalld.fallback.policy import FallbackPolicy
from recalld.search.model import Source

COMMAND = ["openclaw", "memory", "search", "--query", "{query}", "--max-results", "{limit}"]
SECRET = "ghp_" + "a1B2c3D4e5" * 4


def by_path(path: str) -> Source:
    return Source.MEMORY if path.startswith("memory/") else Source.DOCUMENTS


HERE = Context(workspace_id=7, root="/home/u/notes", source_of=by_path)


def row(**changes):
    base = {
        "path": "memory/a.md",
        "startLine": 3,
        "endLine": 9,
        "score": 0.7,
        "snippet": "the note",
        "source": "sessions",
    }
    return {**base, **changes}


def read(value, limit=5):
    return read_answer(orjson.dumps(value), HERE, limit=limit)


def test_the_command_gets_query_and_limit_as_one_argument_each():
    assert filled(COMMAND, query='a "b"; rm -rf $HOME', limit=5) == [
        *("openclaw", "memory", "search", "--query"),
        'a "b"; rm -rf $HOME',
        *("--max-results", "5"),
    ]


@pytest.mark.parametrize(
    ("part", "query", "argument"),
    [
        ("{query}", "--agent=other", "agent=other"),
        ("{query}", " -x", "x"),
        ("{query}", "a\0b\nc", "a b c"),
        ("--query={query}", "-x", "--query=x"),
        ("{query} {limit}", "{limit}", "{limit} 5"),
        ("{limit}:{query}", "{query}", "5:{query}"),
        ("plain", "x", "plain"),
    ],
)
def test_a_query_is_never_an_option_or_a_placeholder(part, query, argument):
    assert filled(["p", part], query=query, limit=5) == ["p", argument]


@pytest.mark.parametrize("value", [{"results": [row()]}, [row()], {"results": [row()], "stale": 1}])
def test_an_object_and_a_bare_list_are_read(value):
    (hit,) = read(value).found
    assert (hit.path, hit.start_line, hit.end_line) == ("memory/a.md", 3, 9)
    assert (hit.workspace_id, hit.text, hit.raw_score) == (7, "the note", 0.7)
    assert hit.uid.startswith("command:")


@pytest.mark.parametrize(
    ("lines", "start", "end"),
    [
        ({"line": 4}, 4, 4),
        ({"lineStart": 4, "lineEnd": 6}, 4, 6),
        ({"startLine": 4, "endLine": 6}, 4, 6),
        ({"startLine": 6, "endLine": 4}, 6, 6),
        ({}, 1, 1),
        ({"line": 0}, 1, 1),
        ({"line": True}, 1, 1),
        ({"line": "4"}, 1, 1),
        ({"line": 10**18}, 1, 1),
    ],
)
def test_lines_are_read_under_each_of_their_names(lines, start, end):
    given_row = {key: value for key, value in row().items() if "Line" not in key}
    (hit,) = read([{**given_row, **lines}]).found
    assert (hit.start_line, hit.end_line) == (start, end)


@pytest.mark.parametrize(
    ("path", "shown", "source"),
    [
        ("memory/a.md", "memory/a.md", Source.MEMORY),
        ("./memory/a.md", "memory/a.md", Source.MEMORY),
        ("memory\\a.md", "memory/a.md", Source.MEMORY),
        ("/home/u/notes/memory/a.md", "memory/a.md", Source.MEMORY),
        ("/home/u/other/a.md", "/home/u/other/a.md", Source.DOCUMENTS),
        ("docs/a.md", "docs/a.md", Source.DOCUMENTS),
    ],
)
def test_the_path_alone_tells_the_source(path, shown, source):
    (hit,) = read([row(path=path)]).found
    assert (hit.path, hit.source) == (shown, source)


@pytest.mark.parametrize(
    ("score", "raw"), [(0.7, 0.7), (-3, 0.0), (1, 1.0), (9.5, 1.0), (10**400, 1)]
)
def test_the_score_is_clamped(score, raw):
    printed = b'[{"path":"a.md","score":%s,"snippet":"x"}]' % str(score).encode()
    answer = read_answer(printed, HERE, limit=5)
    assert answer is None or [hit.raw_score for hit in answer.found] == [raw]


@pytest.mark.parametrize(
    "bad",
    [
        7,
        None,
        [],
        {},
        row(path=""),
        row(path=7),
        row(path="a\nb"),
        row(path="p" * 2_000),
        row(snippet=" "),
        row(snippet=None),
        row(score=None),
        row(score="0.7"),
        row(score=True),
    ],
)
def test_a_bad_row_drops_itself_and_is_counted(bad):
    answer = read({"results": [row(), bad, row(path="b.md")]})
    assert ([hit.path for hit in answer.found], answer.refused) == (["memory/a.md", "b.md"], 1)


def test_hits_come_best_first_and_no_more_than_asked():
    answer = read([row(path=f"{n}.md", score=n / 10) for n in range(9)], limit=3)
    assert [hit.path for hit in answer.found] == ["8.md", "7.md", "6.md"]


def test_secrets_and_blocks_of_our_own_do_not_come_back():
    text = f"key {SECRET}\n<recall-context>\nold\n</recall-context>\nend"
    (hit,) = read([row(snippet=text)]).found
    assert SECRET not in hit.text
    assert "old" not in hit.text


@pytest.mark.parametrize("before", [b"", b"Config warning: x\n", b"[info] starting\n{x}\n"])
def test_lines_before_the_answer_are_passed_over(before):
    answer = read_answer(before + orjson.dumps({"results": [row()]}) + b"\n", HERE, limit=5)
    assert answer is not None
    assert len(answer.found) == 1


@pytest.mark.parametrize(
    "printed",
    [b"", b"No matches.", b"{}", b"7", b'{"results":{}}', b"[1,", b"\xff\xfe", b"\n" * 9_000],
)
def test_anything_else_is_no_answer(printed):
    assert read_answer(printed, HERE, limit=5) is None


def test_no_hits_is_an_answer():
    assert read({"results": []}).found == ()


@given(st.binary(max_size=200))
def test_no_output_raises(printed):
    read_answer(printed, HERE, limit=5)


@pytest.mark.parametrize(
    "command",
    [
        ("",),
        ("", "{query}"),
        ("{query}",),
        ("{query}", "{query}"),
        ("search", "--json"),
        ("search", "a\0b", "{query}"),
    ],
)
def test_a_command_without_program_or_query_is_refused(command):
    with pytest.raises(ValueError, match=r"search\.fallback_command"):
        FallbackPolicy(fallback_command=command)
