"""Transcripts on a real disk: appended to, torn, rotated, cut and rewritten while followed."""

import os
from pathlib import Path

import pytest

from recalld.index.transcripts.lines import MAX_LINE_BYTES
from recalld.index.transcripts.model import Followed
from support.e2e_rows import bug_case, rows_of
from support.following import assistant, claude, following, lines, user


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "w" / "sessions").mkdir(parents=True)
    return tmp_path / "w"


def append(path: Path, data: bytes | str) -> None:
    with path.open("ab") as stream:
        stream.write(data.encode() if isinstance(data, str) else data)


async def test_bc09_a_line_that_is_still_being_written_is_taken_when_it_is_whole(
    tmp_path: Path, root: Path, eval_data: Path
) -> None:
    case = bug_case(eval_data, "bc-09")
    first, _, second, _ = case["steps"]
    file = root / case["file"]
    async with following(tmp_path / "d", root) as scene:
        append(file, first["append"])
        assert await scene.look() == ["book the hall", "hall booked"]
        assert await scene.skipped() == {}
        append(file, second["append"])
        third = "rotate the staging cert on Monday"
        assert await scene.look() == ["book the hall", "hall booked", third]
        assert await scene.look() == ["book the hall", "hall booked", third]
        assert scene.counters.get("transcripts.bad_lines") == 0


async def test_bc11_a_restart_stores_nothing_again(
    tmp_path: Path, root: Path, eval_data: Path
) -> None:
    case = bug_case(eval_data, "bc-11")
    append(root / case["file"], "\n".join(case["lines"]) + "\n")
    seen = []
    for _ in case["steps"]:
        async with following(tmp_path / "d", root) as scene:
            assert len(await scene.look()) == 4
            seen.append([(each.uid, each.text) for each in await scene.said()])
            turns = scene.counters.get("transcripts.turns")
            assert turns == (4 if len(seen) == 1 else 0)
    assert seen[0] == seen[1] == seen[2]


async def test_every_byte_may_be_the_end_of_what_is_written_so_far(
    tmp_path: Path, root: Path
) -> None:
    data = lines(user("buy bread"), assistant("两 loaves"), user("and \\ milk"))
    file = root / "sessions" / "s.jsonl"
    file.touch()
    async with following(tmp_path / "d", root) as scene:
        for at in range(len(data)):
            append(file, data[at : at + 1])
            texts = await scene.look()
            assert texts == ["buy bread", "两 loaves", "and \\ milk"][: len(texts)]
        assert len(texts) == 3
        assert scene.counters.get("transcripts.rewritten") == 0


async def test_a_turn_has_its_neighbours_session_role_and_date(tmp_path: Path, root: Path) -> None:
    file = root / "sessions" / "s7.jsonl"
    append(file, lines({**user("the gate is blue"), "timestamp": "2026-08-01T09:30:00Z"}))
    async with following(tmp_path / "d", root) as scene:
        await scene.look()
        append(file, lines(assistant("noted, blue"), user("paint the fence")))
        await scene.look()
        first, second, third = await scene.said()
        assert first.heading == "s7 · user · 2026-08-01 09:30"
        assert (first.session, first.role, first.date) == ("s7", "user", "2026-08-01T09:30:00Z")
        assert (second.role, third.role) == ("assistant", "user")
        one, two, three = await scene.neighbours()
        assert (one[0], one[2], two[0]) == ("", two[1], one[1])
        assert (two[2], three[0], three[2]) == (three[1], two[1], "")


async def test_append_by_append_gives_what_one_look_gives(
    tmp_path: Path, root: Path, eval_data: Path
) -> None:
    rows = rows_of(eval_data / "transcripts", "transcripts.jsonl")
    row = next(row for row in rows if row["id"] == "dev-09")
    data = row["content"].encode()
    at_once, bit_by_bit = root / "sessions" / "a.jsonl", tmp_path / "v" / "sessions" / "a.jsonl"
    bit_by_bit.parent.mkdir(parents=True)
    at_once.write_bytes(data)
    async with following(tmp_path / "d", root) as scene:
        await scene.look()
        expected = [(each.uid, each.text, each.line) for each in await scene.said()]
        context = await scene.neighbours()
    async with following(tmp_path / "e", tmp_path / "v") as scene:
        for start in range(0, len(data), 7_000):
            append(bit_by_bit, data[start : start + 7_000])
            await scene.look()
        assert [(each.uid, each.text, each.line) for each in await scene.said()] == expected
        assert await scene.neighbours() == context


async def test_a_renamed_file_is_the_same_and_the_new_one_is_followed_too(
    tmp_path: Path, root: Path
) -> None:
    file = root / "sessions" / "s.jsonl"
    append(file, lines(user("one"), user("two")))
    async with following(tmp_path / "d", root) as scene:
        await scene.look()
        before = {each.text: each.uid for each in await scene.said()}
        append(file, lines(user("three, just before the rotation")))
        file.rename(root / "sessions" / "s.jsonl.1")
        append(file, lines(user("four")))
        assert sorted(await scene.look()) == [
            "four",
            "one",
            "three, just before the rotation",
            "two",
        ]
        after = {each.text: each.uid for each in await scene.said()}
        assert before.items() <= after.items()
        assert scene.counters.get("transcripts.turns") == 4
        # And once more, in a chain.
        (root / "sessions" / "s.jsonl.1").rename(root / "sessions" / "s.jsonl.2")
        file.rename(root / "sessions" / "s.jsonl.1")
        append(file, lines(user("five")))
        assert len(await scene.look()) == 5
        assert scene.counters.get("transcripts.turns") == 5
        assert {each.path for each in await scene.said()} == {
            "sessions/s.jsonl",
            "sessions/s.jsonl.1",
            "sessions/s.jsonl.2",
        }


async def test_copy_and_truncate_tells_no_line_twice_and_loses_none(
    tmp_path: Path, root: Path
) -> None:
    file, copy = root / "sessions" / "s.jsonl", root / "sessions" / "s.jsonl.1"
    append(file, lines(user("one"), user("two")))
    async with following(tmp_path / "d", root) as scene:
        await scene.look()
        copy.write_bytes(file.read_bytes())
        assert await scene.look() == ["one", "two"]
        os.truncate(file, 0)
        assert await scene.look() == ["one", "two"]
        append(file, lines(user("three")))
        assert sorted(await scene.look()) == ["one", "three", "two"]


async def test_a_writer_that_goes_on_at_its_old_place_leaves_a_hole_that_is_passed_over(
    tmp_path: Path, root: Path
) -> None:
    file = root / "sessions" / "s.jsonl"
    append(file, lines(user("one")))
    async with following(tmp_path / "d", root) as scene:
        await scene.look()
        file.write_bytes(b"\0" * (MAX_LINE_BYTES + 10) + lines(user("behind the hole")))
        assert await scene.look() == ["behind the hole"]
        append(file, lines(user("and on")))
        assert await scene.look() == ["behind the hole", "and on"]
        assert scene.counters.get("transcripts.bad_lines") == 0


@pytest.mark.parametrize(
    ("after", "texts"),
    [
        (lines(user("new one")), ["new one"]),
        (
            lines(user("new"), user("two"), user("three"), user("four")),
            ["new", "two", "three", "four"],
        ),
        (lines(user("one"), user("twp"), user("three")), ["one", "twp", "three"]),
        (b"", []),
    ],
    ids=["shorter", "other head", "other tail", "empty"],
)
async def test_a_rewritten_file_is_read_anew(
    tmp_path: Path, root: Path, after: bytes, texts: list[str]
) -> None:
    file = root / "sessions" / "s.jsonl"
    append(file, lines(user("one"), user("two")))
    inode = file.stat().st_ino
    async with following(tmp_path / "d", root) as scene:
        assert await scene.look() == ["one", "two"]
        file.write_bytes(after)
        assert file.stat().st_ino == inode
        assert await scene.look() == texts


async def test_another_file_with_the_inode_of_a_deleted_one_is_another_file(
    tmp_path: Path, root: Path
) -> None:
    first, second = root / "sessions" / "a.jsonl", root / "sessions" / "b.jsonl"
    append(first, lines(user("one")))
    async with following(tmp_path / "d", root) as scene:
        await scene.look()
        # The same inode for sure: the file is renamed and written over in place.
        first.rename(second)
        second.write_bytes(lines(user("someone else's first line"), user("x")))
        assert await scene.look() == ["someone else's first line", "x"]
        assert {each.path for each in await scene.said()} == {"sessions/b.jsonl"}


async def test_a_deleted_file_takes_its_turns_with_it_and_one_that_copied_them_tells_them(
    tmp_path: Path, root: Path
) -> None:
    old, new = root / "sessions" / "old.jsonl", root / "sessions" / "resumed.jsonl"
    history = lines(claude("u1", "the first question"), claude("u2", "an answer", role="assistant"))
    append(old, history)
    async with following(tmp_path / "d", root) as scene:
        await scene.look()
        # A resumed session begins with a copy of the one it goes on from.
        append(new, history + lines(claude("u3", "the next question", sessionId="s2")))
        assert await scene.look() == ["the first question", "an answer", "the next question"]
        assert (await scene.progress("sessions/resumed.jsonl")).copied == 2
        old.unlink()
        assert await scene.look() == ["the first question", "an answer", "the next question"]
        assert {each.path for each in await scene.said()} == {"sessions/resumed.jsonl"}


async def test_bad_and_huge_lines_are_counted_and_cost_nothing_else(
    tmp_path: Path, root: Path
) -> None:
    file = root / "sessions" / "s.jsonl"
    huge = lines(user("x" * (MAX_LINE_BYTES + 1)))
    append(file, lines(user("one")) + b'{"role": \n"text"\n\xff\xfe\n' + huge + lines(user("two")))
    async with following(tmp_path / "d", root) as scene:
        assert await scene.look() == ["one", "two"]
        progress = await scene.progress("sessions/s.jsonl")
        assert (progress.bad, progress.huge, progress.turns) == (3, 1, 2)
        assert [each.line for each in await scene.said()] == [1, 6]
        # A huge line that is not whole yet is not read from its beginning at every look.
        append(file, huge[:-1])
        await scene.look()
        inside = await scene.progress("sessions/s.jsonl")
        assert inside.inside
        assert inside.place.position == file.stat().st_size
        append(file, b"\n" + lines(user("three")))
        assert await scene.look() == ["one", "two", "three"]
        assert (await scene.progress("sessions/s.jsonl")).huge == 2


async def test_a_disk_that_hangs_keeps_nobody_waiting_and_is_told_of(
    tmp_path: Path, root: Path
) -> None:
    append(root / "sessions" / "s.jsonl", lines(user("one")))
    async with following(tmp_path / "d", root, patience_s=0.1) as scene:
        lane = scene.follower.kit.lane
        lane.begin("a step that hangs")
        await lane.limiter.acquire_on_behalf_of("a thread")
        assert await scene.follower.look() == Followed()
        assert [skip.why for skip in scene.follower.skips] == ["the disk does not answer"]
        lane.limiter.release_on_behalf_of("a thread")
        assert await scene.look() == ["one"]
        assert scene.follower.skips == ()


async def test_a_turn_that_cannot_be_read_costs_only_its_own_file(
    tmp_path: Path, root: Path
) -> None:
    def heard(text: str) -> str:
        if text == "poison":
            raise ValueError(text)
        return text

    append(root / "sessions" / "a.jsonl", lines(user("poison")))
    append(root / "sessions" / "b.jsonl", lines(user("fine")))
    async with following(tmp_path / "d", root, heard=heard) as scene:
        assert await scene.look() == ["fine"]
        assert [(skip.path, skip.why) for skip in scene.follower.skips] == [
            (str(root / "sessions" / "a.jsonl"), "failed: ValueError")
        ]


async def test_nothing_is_written_when_nothing_changed(tmp_path: Path, root: Path) -> None:
    append(root / "sessions" / "s.jsonl", lines(user("one")))
    async with following(tmp_path / "d", root) as scene:
        await scene.look()
        assert scene.changed == [1]
        wal = await scene.database.wal_bytes()
        for _ in range(3):
            await scene.look()
        assert scene.changed == [1]
        assert await scene.database.wal_bytes() == wal
