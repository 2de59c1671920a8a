"""What went wrong elsewhere with working continuity, and does not here."""

from pathlib import Path

import pytest

from support.continuing import CHATTER, FILE, NEXT, OBJECTIVE, STATE, Checks, Talk, many_workspaces

PITFALLS = Checks()


@pytest.fixture(scope="module")
def fresh(tmp_path_factory):
    with many_workspaces(tmp_path_factory.mktemp("pitfalls"), count=12) as talks:
        yield talks


@pytest.fixture
def talk(fresh):
    return next(fresh)


@PITFALLS.row("c6.1")
def sections_of_several_lines_and_of_none_are_read_as_they_are(talk: Talk) -> None:
    talk.write(
        "# Current State\n\n## Objective\nfirst line\nsecond line\n\n## Current Step\n\n"
        "## Key Decisions\n- one\n- two\n\n## Next Action\nlast step\n"
    )
    read = talk.daemon.call("checkpoint.read", workspace=str(talk.root))
    assert read["objective"] == "first line\nsecond line"
    assert (read["current_step"], read["key_decisions"]) == ("", ["one", "two"])
    assert (read["next_action"], read["blockers"]) == ("last step", "")


@PITFALLS.row("c6.2")
def a_session_of_small_words_overwrites_nothing(talk: Talk) -> None:
    talk.work()
    before = talk.until_active()
    fresh = talk.other()
    fresh.start("new")
    for user, assistant in CHATTER * 2:
        fresh.turn(user, assistant)
    fresh.end()
    assert talk.read().objective == before.objective
    assert talk.read().next_action == before.next_action


@PITFALLS.row("c6.3")
def what_the_user_saw_is_no_unsurfaced_result(talk: Talk) -> None:
    talk.work()
    talk.until_active()
    talk.end()
    assert talk.read().unsurfaced_results == ""


@PITFALLS.row("c6.4")
def the_workspace_is_the_sessions_and_not_the_daemons(talk: Talk) -> None:
    elsewhere = talk.root.parent / "not-configured-yet"
    talk.other(root=elsewhere).work()
    talk.work()
    talk.until_active()
    assert not elsewhere.exists()
    assert not Path(FILE).exists()


@PITFALLS.row("c6.5")
def what_a_host_puts_around_a_message_is_no_objective(talk: Talk) -> None:
    wrapper = (
        'Conversation info (untrusted metadata):\n```json\n{"message_id": "42"}\n```\n\n'
        'Sender (untrusted metadata):\n```json\n{"label": "Kim"}\n```\n\n'
    )
    talk.turn(
        wrapper + "Please build the stock counter for the northern warehouse.",
        "I'll build the stock counter.\n\nNext: model the shelves.",
    )
    objective = talk.until_active().objective
    assert "stock counter" in objective
    assert not any(word in objective for word in ("untrusted", "message_id", "Kim"))


@PITFALLS.row("c6.6")
def a_failed_login_is_no_objective(talk: Talk) -> None:
    for user, assistant in (
        ("Not logged in · Please run /login", "Not logged in · Please run /login"),
        ("/login", "Session expired"),
        ("登录已过期，请重新登录", "登录失败"),
    ):
        talk.turn(user, assistant, success=False)
    assert talk.compact("before")["checkpoint"]["active"] is False
    with talk.daemon.peer() as peer:
        poison = {"objective": "Not logged in · Please run /login"}
        reply = peer.ask("checkpoint.write", workspace=str(talk.root), **poison)
    assert reply["error"]["code"] == -32005
    assert talk.read().objective == ""


@PITFALLS.row("c6.8")
def a_version_is_found_by_its_listing_alone(talk: Talk) -> None:
    talk.write(STATE)
    talk.reset()
    hostile = ("../CURRENT_STATE.md", "/etc/passwd", "(a+)+$" * 30, "%s%n", "*", "..\\x.md")
    for name in hostile:
        with talk.daemon.peer() as peer:
            reply = peer.ask("checkpoint.restore", workspace=str(talk.root), name=name)
        assert reply["error"]["code"] == -32004, name
    assert talk.file.read_text("utf-8") == STATE


@PITFALLS.row("c6.9")
def nothing_depends_on_an_agent_that_reads_the_file(talk: Talk) -> None:
    talk.work()
    talk.until_active()
    assert "authentication" in talk.other().start("new")["recovery"]


@PITFALLS.row("c6.10")
def comments_and_markers_are_no_content(talk: Talk) -> None:
    marker = "<!-- compaction: 2026-05-04T10:05:00Z -->"
    talk.write(f"{STATE}\n{marker}\n")
    recovery = talk.recovery("continue")
    assert OBJECTIVE in recovery
    assert "compaction" not in recovery
    assert talk.compact("before")["checkpoint"]["unsurfaced_results"] == ""


@PITFALLS.row("c6.7")
def two_copies_of_one_second_are_two_and_they_are_bounded(talk: Talk) -> None:
    for number in range(25):
        talk.write(STATE.replace(NEXT, f"step number {number}"))
        assert f"step number {number}" in (talk.root / talk.reset()).read_text("utf-8")
    names = [path.name for path in talk.archived()]
    assert len(names) == 20
    assert "step number 24" in talk.archived()[-1].read_text("utf-8")


KNOWN = [f"c6.{number}" for number in range(1, 11)]


@pytest.mark.parametrize("name", KNOWN)
def test_the_pitfall_is_avoided(talk, name):
    PITFALLS[name](talk)


def test_every_pitfall_is_there_and_no_other():
    assert sorted(PITFALLS) == sorted(KNOWN)
