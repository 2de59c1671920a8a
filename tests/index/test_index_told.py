"""What is told of followed conversations: whose, in what form, and what is left out."""

import os
from pathlib import Path

import pytest

from support.following import assistant, claude, following, lines, user


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "w" / "sessions").mkdir(parents=True)
    return tmp_path / "w"


def append(path: Path, data: bytes | str) -> None:
    with path.open("ab") as stream:
        stream.write(data.encode() if isinstance(data, str) else data)


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
