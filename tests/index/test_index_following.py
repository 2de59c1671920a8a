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


async def test_only_the_live_branch_of_a_tree_is_told(tmp_path: Path, root: Path) -> None:
    file = root / "sessions" / "t.jsonl"

    def entry(uid: str, parent: str | None, text: str) -> dict[str, object]:
        message = {"role": "user", "content": text}
        return {"type": "message", "id": uid, "parentId": parent, "message": message}

    head = {"type": "session", "id": "pi-1", "version": 3, "timestamp": "2026-08-01T00:00:00Z"}
    append(
        file,
        lines(
            head, entry("a", None, "root"), entry("b", "a", "left"), entry("c", "b", "more left")
        ),
    )
    async with following(tmp_path / "d", root) as scene:
        assert await scene.look() == ["root", "left", "more left"]
        append(file, lines(entry("d", "a", "right")))
        assert await scene.look() == ["root", "right"]
        append(
            file,
            lines({"type": "label", "id": "e", "parentId": "d"}, entry("f", "e", "more right")),
        )
        assert await scene.look() == ["root", "right", "more right"]
        append(file, lines(entry("g", "c", "left again")))
        assert await scene.look() == ["root", "left", "more left", "left again"]
        assert {each.session for each in await scene.said()} == {"pi-1"}


async def test_a_message_told_in_several_lines_is_one_turn_however_it_arrives(
    tmp_path: Path, root: Path
) -> None:
    file = root / "sessions" / "m.jsonl"
    part = {"message": {"id": "msg-1"}}
    parts = [
        claude("u1", "why is it slow?"),
        claude("u2", [{"type": "text", "text": "It waits."}], role="assistant", **part),
        claude("u3", [{"type": "tool_use", "name": "Bash"}], role="assistant", **part),
        claude("u4", [{"type": "tool_result", "content": "ok"}]),
        claude("u5", [{"type": "text", "text": "For the disk."}], role="assistant", **part),
        claude("u6", "thanks"),
    ]
    async with following(tmp_path / "d", root) as scene:
        for one in parts:
            append(file, lines(one))
            texts = await scene.look()
        assert texts == ["why is it slow?", "It waits.\n\nFor the disk.", "thanks"]
        assert (await scene.progress("sessions/m.jsonl")).turns == 3


async def test_codex_speech_is_told_once_whichever_form_comes_first(
    tmp_path: Path, root: Path
) -> None:
    file = root / "sessions" / "c.jsonl"

    def item(role: str, text: str) -> dict[str, object]:
        content = [{"type": "input_text", "text": text}]
        return {
            "type": "response_item",
            "payload": {"type": "message", "role": role, "content": content},
        }

    meta = {"type": "session_meta", "payload": {"id": "cx", "cwd": "/nowhere"}}
    append(
        file,
        lines(
            meta,
            item("user", "<environment_context>\n<cwd>/x</cwd>\n</environment_context>"),
            item("user", "# AGENTS.md instructions for /x\nBe brief."),
            item("developer", "rules"),
            item("user", "fix the login"),
        ),
    )
    async with following(tmp_path / "d", root) as scene:
        assert await scene.look() == ["fix the login"]
        append(
            file,
            lines(
                {
                    "type": "event_msg",
                    "payload": {"type": "user_message", "message": "fix the login"},
                }
            ),
        )
        assert await scene.look() == ["fix the login"]
        append(
            file,
            lines(
                item("assistant", "done"),
                {"type": "event_msg", "payload": {"type": "agent_message", "message": "done"}},
            ),
        )
        assert await scene.look() == ["fix the login", "done"]
        assert {each.session for each in await scene.said()} == {"cx"}


async def test_a_transcript_belongs_where_its_session_worked(tmp_path: Path) -> None:
    one, two, far = tmp_path / "one", tmp_path / "two", tmp_path / "home" / "p"
    for folder in (one / "sessions", two, far):
        folder.mkdir(parents=True)
    append(one / "sessions" / "a.jsonl", lines(user("no folder named")))
    append(far / "b.jsonl", lines(claude("b", "worked in two", cwd=str(two / "src"))))
    append(far / "c.jsonl", lines(claude("c", "worked elsewhere", cwd="/elsewhere")))
    patterns = (str(tmp_path / "home" / "*" / "*.jsonl"),)
    async with following(tmp_path / "d", one, two, patterns=patterns) as scene:
        assert sorted(await scene.look()) == ["no folder named", "worked in two"]
        rows = {row.path: row.workspace_id for row in await scene.store.known()}
        ids = {workspace.root: workspace.id for workspace in scene.indexer.workspaces}
        assert rows == {
            "sessions/a.jsonl": ids[str(one)],
            str(far / "b.jsonl"): ids[str(two)],
        }
        assert [(skip.path, skip.why) for skip in scene.follower.skips] == [
            (str(far / "c.jsonl"), "no workspace")
        ]
        # The files of a workspace are looked at without touching its transcripts.
        await scene.indexer.sync()
        assert sorted(await scene.texts()) == ["no folder named", "worked in two"]


async def test_unknown_formats_are_left_out_and_say_why(tmp_path: Path, root: Path) -> None:
    append(root / "sessions" / "log.jsonl", lines({"level": "info", "event": "started"}))
    append(root / "sessions" / "empty.jsonl", b"")
    append(root / "sessions" / "torn.jsonl", b'{"role":"user","cont')
    append(root / "sessions" / "note.txt", b"no transcript")
    (root / "sessions" / "link.jsonl").symlink_to("/etc/passwd")
    os.mkfifo(root / "sessions" / "pipe.jsonl")
    async with following(tmp_path / "d", root) as scene:
        assert await scene.look() == []
        assert await scene.skipped() == {"sessions/log.jsonl": "unknown format"}
        append(root / "sessions" / "torn.jsonl", b'ent":"hello there"}\n')
        assert await scene.look() == ["hello there"]


async def test_secrets_and_own_blocks_are_not_stored(tmp_path: Path, root: Path) -> None:
    secret = "sk-" + "live-Zx81QmPd77TyLw02KcVb93HnRr45"
    block = "<recall-context>\n- the old note\n</recall-context>\nWhat is left?"
    append(root / "sessions" / "s.jsonl", lines(user(block), assistant(f"the key is {secret} ok")))
    async with following(tmp_path / "d", root) as scene:
        question, answer = await scene.look()
        assert question == "What is left?"
        assert secret not in answer
        assert "[redacted:" in answer
    assert not any(secret.encode() in path.read_bytes() for path in (tmp_path / "d").iterdir())


async def test_what_only_repeats_an_injection_is_not_stored(tmp_path: Path, root: Path) -> None:
    append(
        root / "sessions" / "s.jsonl",
        lines(
            user("what about billing?"),
            assistant("billing retries use 5 attempts"),
            assistant("As noted, billing retries use 5 attempts. I left the job as it was before."),
            assistant("No: billing retries now use 7 attempts"),
        ),
    )
    async with following(tmp_path / "d", root) as scene:
        scene.echoes.note(["billing retries use 5 attempts"])
        assert await scene.look() == [
            "what about billing?",
            "I left the job as it was before.",
            "No: billing retries now use 7 attempts",
        ]
        assert scene.counters.get("transcripts.echo") == 1


async def test_long_turns_are_cut_into_pieces_of_one_line(tmp_path: Path, root: Path) -> None:
    text = "\n".join(f"sentence number {number} of the long answer." for number in range(400))
    append(root / "sessions" / "s.jsonl", lines(assistant(text), user("short")))
    async with following(tmp_path / "d", root) as scene:
        *pieces, last = await scene.look()
        assert "\n".join(pieces) == text
        assert all(len(piece) <= 4_000 for piece in pieces)
        assert {each.line for each in await scene.said()} == {1, 2}
        assert last == "short"
        assert (await scene.progress("sessions/s.jsonl")).turns == 2


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
