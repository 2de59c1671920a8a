"""A checkpoint outlives compaction, kills, restarts and other sessions; a hand edit wins."""

import json
import time
from functools import partial

import pytest

from recalld.continuity.schedule import PAUSE_S
from support.continuing import LEXICAL, NEXT, OBJECTIVE, STATE, TASK, Talk, counter
from support.daemon import running
from support.e2e import until

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
ORDINARY = "please rename the variable in the footer"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "w").mkdir()
    return tmp_path / "w"


@pytest.fixture
def home(tmp_path):
    return tmp_path / "d"


def says(talk, step):
    return step in talk.read().current_step


def serving(home, folder, config=LEXICAL):
    return running(home, workspaces=[folder], config=config)


def test_no_start_is_needed_and_a_prompt_needs_no_turn_before_it(home, folder):
    with serving(home, folder) as daemon:
        talk = Talk(daemon=daemon, root=folder)
        assert talk.recovery("what were we doing?") is not None
        assert not talk.file.exists()
        talk.work()
        assert "authentication" in talk.until_active().objective


def test_after_a_compaction_the_next_prompt_is_told_once(home, folder):
    with serving(home, folder) as daemon:
        talk = Talk(daemon=daemon, root=folder)
        talk.write(STATE)
        assert talk.compact("before")["checkpoint"]["objective"] == OBJECTIVE
        assert talk.recovery(ORDINARY) is None
        assert talk.compact("after")["checkpoint"]["next_action"] == NEXT
        assert talk.other().recovery(ORDINARY) is None
        assert OBJECTIVE in talk.recovery(ORDINARY)
        assert talk.recovery(ORDINARY) is None


@pytest.mark.parametrize("order", [("after", "start"), ("start", "after")])
def test_a_start_after_the_compaction_tells_it_and_then_no_prompt_does(home, folder, order):
    with serving(home, folder) as daemon:
        talk = Talk(daemon=daemon, root=folder)
        talk.write(STATE)
        talk.compact("before")
        for event in order:
            if event == "start":
                assert OBJECTIVE in talk.start("compact")["recovery"]
            else:
                talk.compact("after")
        assert talk.recovery(ORDINARY) is None
        # The next compaction is another one.
        talk.compact("before")
        talk.compact("after")
        assert OBJECTIVE in talk.recovery(ORDINARY)


def test_a_snapshot_is_owed_over_a_kill(home, folder):
    with serving(home, folder) as daemon:
        talk = Talk(daemon=daemon, root=folder)
        talk.write(STATE)
        talk.compact("after")
        daemon.child.kill()
        daemon.ended()
    with serving(home, folder) as daemon:
        talk = Talk(daemon=daemon, root=folder, key=talk.key)
        assert OBJECTIVE in talk.recovery(ORDINARY)
        assert talk.recovery(ORDINARY) is None
        assert daemon.stop() == 0
    with serving(home, folder) as daemon:
        assert Talk(daemon=daemon, root=folder, key=talk.key).recovery(ORDINARY) is None


def test_without_any_compaction_event_a_kill_loses_no_turn(home, folder):
    with serving(home, folder) as daemon:
        talk = Talk(daemon=daemon, root=folder)
        talk.work()
        # Killed as soon as the last turn is acknowledged: no checkpoint can be there yet.
        daemon.child.kill()
        daemon.ended()
    assert not talk.file.exists()
    with serving(home, folder) as daemon:
        talk = Talk(daemon=daemon, root=folder)
        assert "authentication" in talk.until_active().objective
        recovery = talk.start()["recovery"]
        assert "authentication" in recovery
        assert "/auth/refresh" in recovery
        assert daemon.stop() == 0
    before = talk.file.read_bytes()
    with serving(home, folder) as daemon:
        # What became a checkpoint is not made into one again.
        talk = Talk(daemon=daemon, root=folder)
        talk.write("# Current State\n\n## Objective\nNone\n")
        daemon.call("ping")
        until(lambda: daemon.call("status")["parts"]["continuity"]["up_to_date"], what="a look")
        assert not talk.read().active
    assert b"authentication" in before


def test_a_stop_makes_what_was_acknowledged_last_into_a_checkpoint(tmp_path):
    """At the stop where the disk lets it, which it does once in a few times; else at the start."""
    at_once = []
    for number in range(4):
        home, folder = tmp_path / f"d{number}", tmp_path / f"w{number}"
        folder.mkdir()
        with serving(home, folder) as daemon:
            talk = Talk(daemon=daemon, root=folder)
            talk.work()
            assert daemon.stop() == 0
        at_once.append("authentication" in talk.read().objective)
        if at_once[-1]:
            return
        with serving(home, folder) as daemon:
            talk = Talk(daemon=daemon, root=folder)
            assert "authentication" in talk.until_active().objective
    assert any(at_once)


def test_turns_in_a_burst_become_one_checkpoint(home, folder):
    with serving(home, folder) as daemon:
        talk = Talk(daemon=daemon, root=folder)
        began = time.monotonic()
        with daemon.peer() as peer:
            for number in range(30):
                said = {"user": TASK[0][0], "assistant": f"Step {number} done.\n\nNext: step x."}
                peer.result("session.turn", session=talk.session, **said)
        talk.until_active()
        until(lambda: "29" in talk.read().current_step, what="the last turn in the checkpoint")
        # One behind the first of them, one behind the last, and one for each pause between.
        took_s = time.monotonic() - began
        assert counter(daemon, "continuity.written") <= 3 + took_s / PAUSE_S


def test_every_step_of_a_session_is_in_the_checkpoint_as_it_is_taken(home, folder):
    with serving(home, folder) as daemon:
        talk = Talk(daemon=daemon, root=folder)
        for number, asked in enumerate([TASK[0][0], "go on", "continue", "ok, go on"]):
            answer = f"Part {number} of the module is written.\n\nNext: the rest of the module."
            talk.turn(asked, answer)
            told = f"Part {number}"
            until(partial(says, talk, told), what=f"{told} in the file")
            assert talk.read().next_action == "the rest of the module"
        assert counter(daemon, "continuity.refused") == 0


def test_an_edit_by_hand_is_told_at_once_and_no_turn_overrides_it(home, folder):
    with serving(home, folder) as daemon:
        talk = Talk(daemon=daemon, root=folder)
        talk.work()
        talk.until_active()
        talk.write(STATE)
        assert OBJECTIVE in talk.recovery("continue")
        talk.turn("and now translate the manual into French", "I'll translate it.\n\nNext: page 1.")
        until(lambda: counter(daemon, "continuity.refused") > 0, what="a refusal")
        assert talk.file.read_text("utf-8") == STATE
        edited = STATE.replace(NEXT, "Switch the exporter over on Monday")
        talk.write(edited)
        for _ in range(2):
            assert "on Monday" in talk.recovery("continue")
        assert talk.compact("before")["checkpoint"]["origin"] == "hand"
        talk.end()
        assert talk.file.read_text("utf-8") == edited
        rows = daemon.call("checkpoint.history", workspace=str(folder))["versions"]
        assert "hand" in {row["origin"] for row in rows}
        assert any("authentication" in row["objective"] for row in rows)


def test_a_session_goes_on_where_another_stopped_in_the_same_workspace(home, folder):
    with serving(home, folder) as daemon:
        first = Talk(daemon=daemon, root=folder)
        first.work()
        first.end("logout")
        second = first.other()
        begun = second.start("new")
        assert "/auth/refresh" in begun["recovery"]
        assert begun["checkpoint"]["origin"] == "machine"
        assert "/auth/refresh" in second.recovery("继续")


def test_a_session_in_a_folder_nobody_configured_is_told_nothing_and_nothing_is_kept(home, folder):
    elsewhere = folder.parent / "elsewhere"
    elsewhere.mkdir()
    with serving(home, folder) as daemon:
        talk = Talk(daemon=daemon, root=elsewhere)
        assert {**talk.start(), "trace_id": ""} == {
            "recovery": None,
            "checkpoint": None,
            "trace_id": "",
        }
        talk.work()
        assert talk.recovery("what were we doing") is None
        assert talk.compact("before") == talk.compact("after") == {"checkpoint": None}
        assert (talk.reset(), talk.end(), talk.child("c", "x")) == (None, None, 0)
        for method in ("read", "write", "history"):
            with daemon.peer() as peer:
                error = peer.ask(f"checkpoint.{method}", workspace=str(elsewhere))["error"]
            assert error["code"] == -32004
        assert daemon.stop() == 0
    assert list(elsewhere.iterdir()) == []
    assert not (folder / "memory").exists()


def test_switched_off_it_says_nothing_and_writes_nothing_until_it_is_switched_on(home, folder):
    off = f'workspaces = ["{folder}"]\n{LEXICAL}[continuity]\nenabled = false\n'
    with running(home, config=off) as daemon:
        talk = Talk(daemon=daemon, root=folder)
        talk.work()
        begun = talk.start()
        assert (begun["recovery"], begun["checkpoint"]) == (None, None)
        assert talk.recovery("what were we doing") is None
        assert talk.compact("before") == talk.compact("after") == {"checkpoint": None}
        assert (talk.reset(), talk.end(), talk.child("c", "x")) == (None, None, 0)
        with daemon.peer() as peer:
            error = peer.ask("checkpoint.write", objective="x")["error"]
            assert (error["code"], "continuity.enabled" in error["message"]) == (-32005, True)
            assert peer.result("checkpoint.read")["active"] is False
        assert not (folder / "memory").exists()
        (home / "config.toml").write_text(off.replace("false", "true"), encoding="utf-8")
        assert daemon.call("config.reload")["changed"] == ["continuity.enabled"]
        # What was said while it was off stays unsaid.
        assert talk.recovery("what were we doing") is not None
        assert not talk.read().active
        talk.work()
        assert "authentication" in talk.until_active().objective


def test_without_safety_writes_no_turn_becomes_a_checkpoint(home, folder):
    config = f"{LEXICAL}[continuity]\nsafety_write = false\n"
    with serving(home, folder, config) as daemon:
        talk = Talk(daemon=daemon, root=folder)
        talk.work()
        assert talk.compact("before")["checkpoint"]["active"] is False
        assert talk.end() is None
        assert daemon.stop() == 0
    assert not talk.read().active


def test_subscribers_hear_of_their_workspace_alone(home, folder):
    other = folder.parent / "other"
    other.mkdir()
    with running(home, workspaces=[folder, other], config=LEXICAL) as daemon, daemon.peer() as peer:
        peer.result("events.subscribe", kinds=["checkpoint"], workspace=str(folder))
        Talk(daemon=daemon, root=other).end()
        talk = Talk(daemon=daemon, root=folder)
        talk.write(STATE)
        path = talk.reset()
        talk.recovery("continue")
        heard = [peer.hear()["params"] for _ in range(2)]
        assert [event["kind"] for event in heard] == ["checkpoint"] * 2
        archived, recovered = (event["data"] for event in heard)
        assert (archived["what"], archived["detail"]) == ("archived", path)
        assert (recovered["what"], recovered["session"]) == ("recovered", talk.key)
        daemon.call("checkpoint.write", workspace=str(folder), blockers=f"key {SECRET}")
        written = peer.hear()["params"]["data"]
        assert (written["what"], written["checkpoint"]["objective"]) == ("written", OBJECTIVE)
        assert SECRET not in json.dumps(written)


def test_a_secret_in_the_file_leaves_in_no_answer(home, folder):
    with serving(home, folder) as daemon:
        talk = Talk(daemon=daemon, root=folder)
        talk.write(STATE.replace(NEXT, f"Use the token {SECRET}"))
        said = [talk.start(), talk.compact("before"), talk.prompt("continue")]
        said += [daemon.call("checkpoint.read"), daemon.call("checkpoint.history")]
        assert SECRET not in json.dumps(said)
        assert all("token" in json.dumps(each) for each in said[:-1])


def test_archived_copies_are_counted_named_in_utc_and_moved_by_age(home, folder):
    config = f"{LEXICAL}[continuity]\narchive_count = 3\ncold_after_days = 1\n"
    with serving(home, folder, config) as daemon:
        talk = Talk(daemon=daemon, root=folder)
        (folder / "memory" / "session_archive").mkdir(parents=True)
        old = folder / "memory" / "session_archive" / "2020-01-01_00-00-00.md"
        for name in ("2019-01-01_00-00-00.md", old.name, "notes-of-mine.md"):
            old.with_name(name).write_text(STATE, encoding="utf-8")
        for number in range(2):
            talk.write(STATE.replace(NEXT, f"step {number}"))
            assert talk.reset() is not None
        assert talk.reset() == talk.end() == f"memory/session_archive/{talk.archived()[-2].name}"
        assert (old.parent / "cold" / old.name).exists()
        names = [path.name for path in talk.archived()]
        assert names[-1] == "notes-of-mine.md"
        assert len(names) == 3
        rows = daemon.call("checkpoint.history")["versions"]
        assert [row["cold"] for row in rows if row["name"] == old.name] == [True]
        restored = daemon.call("checkpoint.restore", name=old.name)
        assert (restored["next_action"], restored["origin"]) == (NEXT, "hand")
        for name in ("../CURRENT_STATE.md", "notes-of-mine.md", "v999", "2021-01-01_00-00-00.md"):
            with daemon.peer() as peer:
                assert peer.ask("checkpoint.restore", name=name)["error"]["code"] == -32004
        assert [path.name for path in (old.parent / "cold").iterdir()] == [old.name]
