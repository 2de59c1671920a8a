"""Questions from one's own notes: each has an answer, and the answer is where it came from."""

from pathlib import Path

import pytest

from recalld.errors import BadRequest
from recalld.evaluate.gate_eval import load_messages
from recalld.evaluate.git_log import Change, changes_in, parse_log
from recalld.evaluate.self_questions import MAX_SECTIONS, questions, sections_of
from recalld.search.model import ChunkDetail

LOG = """\x1eaaa\tMove the kiln

diff --git a/memory/k.md b/memory/k.md
index 1..2 100644
--- a/memory/k.md
+++ b/memory/k.md
@@ -3 +3,2 @@ ## Kiln
--- the kiln is in the cellar
+++ the kiln is in the hall
+and it is warm there
@@ -9,1 +10,0 @@
-gone for good
\\ No newline at end of file
\x1ebbb\tAdd a name with a blank
diff --git a/a b.md b/a b.md
--- /dev/null
+++ b/a b.md\t
@@ -0,0 +1 @@
+@@ not a hunk
"""


def test_lines_that_look_like_headers_are_lines_of_their_hunk() -> None:
    moved, gone, added = parse_log(LOG.split("\n"))
    assert (moved.commit, moved.subject, moved.path) == ("aaa", "Move the kiln", "memory/k.md")
    assert moved.removed == ("-- the kiln is in the cellar",)
    assert moved.added == ("++ the kiln is in the hall", "and it is warm there")
    assert (gone.removed, gone.added) == (("gone for good",), ())
    assert (added.path, added.added) == ("a b.md", ("@@ not a hunk",))


async def test_a_folder_without_git_has_no_history(tmp_path: Path) -> None:
    assert await changes_in(tmp_path) is None


def chunk(path: str, first: int, last: int, heading: str, text: str) -> ChunkDetail:
    nothing: dict[str, str] = dict.fromkeys(("own", "prev", "next", "head"), "")
    return ChunkDetail(
        id=first,
        uid=f"{path}{first}",
        path=path,
        start_line=first,
        end_line=last,
        source="memory",
        heading=heading,
        text=text,
        speaker=None,
        date=None,
        session=None,
        mtime_ns=0,
        windows=(),
        **nothing,
    )


CHUNKS = (
    chunk("k.md", 1, 4, "Where the kiln is", "## Where the kiln is\nthe kiln is in the hall"),
    chunk("k.md", 5, 9, "Where the kiln is", "and the second piece of that section"),
    chunk("k.md", 10, 12, "2026-05-11", "## 2026-05-11\nshort day"),
    chunk("z.md", 1, 2, "Where the kiln is", "## Where the kiln is\nelsewhere"),
)


def test_the_pieces_of_a_long_section_are_one_section() -> None:
    sections = sections_of(reversed(CHUNKS))
    assert [(one.id, one.last) for one in sections["k.md"]] == [("k.md#L1", 9), ("k.md#L10", 12)]


def test_the_same_heading_in_two_files_is_one_question_with_two_answers() -> None:
    (asked,) = questions(sections_of(CHUNKS), (), most=10)
    assert (asked.text, asked.category) == ("Where the kiln is", "heading")
    assert asked.gold == {"k.md#L1", "z.md#L1"}
    assert asked.gold_sessions == {"k.md", "z.md"}


def edit(**fields: object) -> Change:
    given = {"commit": "aaa", "subject": "Move the kiln at last", "path": "k.md", **fields}
    return Change(**given)  # type: ignore[arg-type]


def asked_of(*changes: Change) -> dict[tuple[str, str], frozenset[str]]:
    found = questions(sections_of(CHUNKS), changes, most=10)
    return {(one.category, one.text): one.gold for one in found if one.category != "heading"}


def test_an_edit_asks_the_old_words_and_the_section_of_the_new_ones_answers() -> None:
    now, before = "the kiln is in the hall", "- the kiln is in the cellar"
    assert asked_of(edit(removed=(before,), added=(now,))) == {
        ("commit", "Move the kiln at last"): {"k.md#L1"},
        ("edit", "the kiln is in the cellar"): {"k.md#L1"},
    }


@pytest.mark.parametrize(
    "change",
    [
        {"added": ("a line that was changed again since",)},
        {"added": ("the kiln is in the hall",), "path": "gone.md"},
        {"added": ("##",)},
    ],
    ids=["no longer there", "another file", "too short to tell"],
)
def test_what_is_no_longer_there_asks_nothing(change: dict[str, object]) -> None:
    assert asked_of(edit(removed=("what it was before",), **change)) == {}


def test_a_commit_that_is_about_everything_asks_nothing() -> None:
    many = [
        chunk("m.md", n, n, f"Part number {n}", f"this is line {n}.")
        for n in range(1, MAX_SECTIONS + 2)
    ]
    change = edit(path="m.md", added=tuple(one.text for one in many))
    found = questions(sections_of(many), [change], most=100)
    assert {one.category for one in found} == {"heading"}


def test_fewer_questions_are_taken_evenly() -> None:
    many = [chunk("m.md", n, n, f"Heading number {n:02d}", "text") for n in range(40)]
    found = questions(sections_of(many), (), most=4)
    assert [one.text[-2:] for one in found] == ["00", "10", "20", "30"]


def test_a_message_that_is_none_is_named_by_line(tmp_path: Path) -> None:
    assert load_messages(tmp_path) == ()
    (tmp_path / "gate").mkdir()
    (tmp_path / "gate" / "gate.jsonl").write_text(
        '{"id": "a", "text": "t", "label": "yes"}\n\n{"id": "b"}\n'
    )
    with pytest.raises(BadRequest, match=r"gate\.jsonl:3"):
        load_messages(tmp_path)
