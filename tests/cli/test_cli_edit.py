"""Whatever comments and blanks a list holds, an edit changes one item of it and nothing else."""

import tomllib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recalld.cli._edit import added, listed, removed
from recalld.errors import Refused

NEW = "/new/notes"
SPACES = st.sampled_from(["", " ", "  ", "\t"])
COMMENTS = st.sampled_from(["", "# last", '# "quoted", [x]', "# it's, here ]", "#", "#,"])
FOLDERS = st.lists(
    st.sampled_from(
        ['"/a"', "'/b'", '"/c, d"', "'/e#f'", '"/g]"', "'''/h'''", '{path = "/i", wiki = ["k,]"]}']
    ),
    max_size=4,
    unique=True,
)


@st.composite
def arrays(draw: st.DrawFn) -> str:
    """Any spelling of a list: on one line or many, comments wherever TOML allows one."""
    feed = draw(st.sampled_from(["\n", "\r\n"]))

    def gap() -> str:
        comment = draw(COMMENTS)
        broken = draw(st.booleans()) or comment
        return draw(SPACES) + (comment + feed if broken else "") + draw(SPACES)

    folders = draw(FOLDERS)
    text = "[" + gap()
    for number, folder in enumerate(folders):
        comma = number < len(folders) - 1 or draw(st.booleans())
        text += folder + gap() + ("," + gap() if comma else "")
    return text + "]"


HEADS = st.sampled_from(["", "# mine\n", "\ufeff# mine\n", "recall.agents = []\n"])
TAILS = st.sampled_from(["", "\n", "  # all of it\n", "\n\n[recall.gate]\nextended = true  # x\n"])


@settings(max_examples=400, deadline=None)
@given(head=HEADS, array=arrays(), tail=TAILS)
def test_an_added_folder_is_the_last_item_and_all_else_reads_as_before(
    head: str, array: str, tail: str
):
    text = f"{head}workspaces = {array}{tail}"
    before = tomllib.loads(text.removeprefix("\ufeff"))
    after = added(text, NEW)
    assert after is not None
    assert after.startswith("\ufeff") == text.startswith("\ufeff")
    wanted = {**before, "workspaces": [*before["workspaces"], NEW]}
    assert tomllib.loads(after.removeprefix("\ufeff")) == wanted
    assert after.count("#") == text.count("#")


@settings(max_examples=400, deadline=None)
@given(head=HEADS, array=arrays(), tail=TAILS, which=st.integers(0, 3))
def test_a_removed_folder_is_gone_and_all_else_reads_as_before(
    head: str, array: str, tail: str, which: int
):
    text = f"{head}workspaces = {array}{tail}"
    before = tomllib.loads(text.removeprefix("\ufeff"))
    folders = listed(text)
    if which >= len(folders):
        return
    after = removed(text, folders[which])
    assert after is not None
    left = before["workspaces"][:which] + before["workspaces"][which + 1 :]
    assert tomllib.loads(after.removeprefix("\ufeff")) == {**before, "workspaces": left}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('["/a"  # last\n]', '["/a",  # last\n    "/new/notes",\n]'),
        ('[\n  "/a",\n  "/b"  # last\n]', '[\n  "/a",\n  "/b",  # last\n  "/new/notes",\n]'),
        ('[\n  "/a",\n  # none yet\n]', '[\n  "/a",\n  "/new/notes",\n  # none yet\n]'),
        ("[\n  # none yet\n]", '["/new/notes",\n  # none yet\n]'),
        ('["/a", "/b"]', '["/a", "/b", "/new/notes"]'),
        ("[]", '["/new/notes"]'),
    ],
)
def test_a_new_item_looks_like_the_others(before: str, after: str):
    assert added(f"workspaces = {before}\n", NEW) == f"workspaces = {after}\n"


def test_what_cannot_be_edited_exactly_is_refused():
    with pytest.raises(Refused, match="edit it by hand"):
        added("workspaces = 3\n", NEW)


@pytest.mark.parametrize(
    "text", ["recall.top_k = 4\n[trace]\nkeep = 2\n", "[[subscribe]]\nx = 1\n"]
)
def test_a_list_that_is_not_there_is_made_outside_of_every_table(text: str):
    after = added(text, NEW)
    assert after is not None
    assert tomllib.loads(after) == {**tomllib.loads(text), "workspaces": [NEW]}
