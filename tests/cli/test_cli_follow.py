"""Following a trace file loses no line and repeats none."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recalld.cli._follow import Follower


def rotate(path: Path, *, keep: int = 3) -> None:
    for number in range(keep - 1, 0, -1):
        older = path.with_name(f"{path.name}.{number}")
        if older.exists():
            older.rename(path.with_name(f"{path.name}.{number + 1}"))
    path.rename(path.with_name(f"{path.name}.1"))


def append(path: Path, text: str) -> None:
    with path.open("a", encoding="utf-8") as stream:
        stream.write(text)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "traces.jsonl"


def test_a_file_that_comes_later_is_followed_from_its_start(path: Path):
    follower = Follower(path, last=10)
    assert list(follower.lines()) == []
    append(path, "1\n2\n")
    assert list(follower.lines()) == [b"1", b"2"]
    follower.close()


def test_half_a_line_waits_for_its_end(path: Path):
    append(path, "1\n2")
    follower = Follower(path, last=0)
    assert list(follower.lines()) == []
    append(path, "3\n")
    assert list(follower.lines()) == [b"23"]
    follower.close()


def test_lines_written_just_before_a_rotation_are_not_lost(path: Path):
    append(path, "1\n")
    follower = Follower(path, last=10)
    assert list(follower.lines()) == [b"1"]
    append(path, "2\n")
    rotate(path)
    append(path, "3\n")
    assert list(follower.lines()) == [b"2", b"3"]
    follower.close()


def test_several_rotations_between_two_looks_lose_nothing(path: Path):
    append(path, "1\n")
    follower = Follower(path, last=10)
    assert list(follower.lines()) == [b"1"]
    for number in range(2, 5):
        rotate(path)
        append(path, f"{number}\n")
    assert list(follower.lines()) == [b"2", b"3", b"4"]
    follower.close()


def test_a_truncated_file_is_read_from_its_start(path: Path):
    append(path, "1\n2\n3\n")
    follower = Follower(path, last=0)
    path.write_text("4\n", encoding="utf-8")
    assert list(follower.lines()) == [b"4"]
    follower.close()


@pytest.mark.parametrize(
    ("last", "shown"), [(0, ""), (1, "5"), (2, "45"), (4, "2345"), (9, "12345")]
)
def test_the_last_lines_reach_back_into_rotated_files(path: Path, last: int, shown: str):
    append(path, "1\n2\n")
    rotate(path)
    append(path, "3\n")
    rotate(path)
    append(path, "4\n5\n")
    follower = Follower(path, last=last)
    assert b"".join(follower.lines()).decode() == shown
    assert list(follower.lines()) == []
    follower.close()


def test_a_line_without_end_is_dropped_and_the_next_one_read(path: Path):
    append(path, "x" * (5 << 20))
    follower = Follower(path, last=0)
    append(path, "\nafter\n")
    assert list(follower.lines())[-1] == b"after"
    follower.close()


@settings(max_examples=60, deadline=None)
@given(steps=st.lists(st.sampled_from(["write", "rotate", "look", "half"]), max_size=30))
def test_any_order_of_writes_rotations_and_looks_gives_every_line_once(
    tmp_path_factory: pytest.TempPathFactory, steps: list[str]
):
    path = tmp_path_factory.mktemp("follow") / "t.jsonl"
    append(path, "")
    follower = Follower(path, last=0)
    seen: list[bytes] = []
    written = 0
    half = False
    for step in steps:
        if step == "write" or (half and step in {"rotate", "half"}):
            append(path, "\n" if half else f"{written}\n")
            written, half = written + 1, False
        elif step == "half":
            append(path, f"{written}")
            half = True
        elif step == "rotate":
            rotate(path, keep=100)
            append(path, "")
        else:
            seen += follower.lines()
    if half:
        append(path, "\n")
        written += 1
    seen += follower.lines()
    follower.close()
    assert seen == [str(number).encode() for number in range(written)]
