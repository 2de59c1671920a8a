"""The events of a session: each does its work once, and none leaves a secret behind."""

import pytest

from support.continuing import ARCHIVE, OBJECTIVE, STATE, many_workspaces
from support.daemon import request
from support.e2e import TOPICS, YES, write_notes
from support.e2e_rows import holders

ORDINARY = "please rename the variable in the footer"
SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
EVENTS: dict[str, dict[str, str]] = {
    "session.start": {"source": "startup"},
    "session.compact": {"phase": "after"},
    "session.reset": {"reason": "new"},
    "session.end": {"reason": "logout"},
    "subagent.end": {"child": "c", "outcome": "ok", "result": "the scan is done"},
}
Wrong = tuple[tuple[str, dict[str, object], str], ...]
WRONG: Wrong = (
    ("session.compact", {"phase": "during"}, "params.phase"),
    ("session.compact", {"phase": "before", "trigger": 1}, "params.trigger"),
    ("session.reset", {"reason": "bored"}, "params.reason"),
    ("session.end", {}, "params.reason"),
    ("subagent.end", {"child": "", "outcome": "ok"}, "params.child"),
    ("subagent.end", {"child": "c", "outcome": "fine"}, "params.outcome"),
    ("subagent.end", {"child": "c", "outcome": "ok", "results": ""}, "params.results"),
)
WRONG_CALLS: Wrong = (
    ("checkpoint.write", {"objectiv": "x"}, "params.objectiv"),
    ("checkpoint.write", {"key_decisions": "x"}, "params.key_decisions"),
    ("checkpoint.write", {"objective": 1}, "params.objective"),
    ("checkpoint.history", {"limit": 0}, "params.limit"),
    ("checkpoint.restore", {}, "params.name"),
    ("checkpoint.read", {"workspace": "notes"}, "params.workspace"),
)


@pytest.fixture(scope="module")
def fresh(tmp_path_factory):
    with many_workspaces(tmp_path_factory.mktemp("events"), count=50, config="") as talks:
        yield talks


@pytest.fixture
def talk(fresh):
    return next(fresh)


@pytest.mark.parametrize("method", EVENTS)
def test_the_same_event_again_gets_the_first_answer_and_does_nothing(talk, method):
    talk.write(STATE)
    first = talk.told(method, event_id="e", **EVENTS[method])
    assert "duplicate" not in first
    told = talk.recovery(ORDINARY)
    talk.write(STATE.replace("Key Decisions", "Notes"))
    copies = talk.archived()
    for _ in range(2):
        again = talk.told(method, event_id="e", **EVENTS[method])
        assert again == {**first, "duplicate": True}
    assert talk.archived() == copies
    assert talk.recovery(ORDINARY) is None
    owing = method in {"session.compact", "subagent.end"}
    assert (told is not None) == owing
    # The id is its session's own.
    assert "duplicate" not in talk.other().told(method, event_id="e", **EVENTS[method])


@pytest.mark.parametrize("method", EVENTS)
def test_of_many_at_once_one_does_the_work(talk, method):
    talk.write(STATE)
    with talk.daemon.peer() as peer:
        params = {"session": talk.session, "event_id": "e", **EVENTS[method]}
        peer.say(b"".join(request(method, number, **params) for number in range(8)))
        answers = [peer.hear()["result"] for _ in range(8)]
    firsts = [answer for answer in answers if "duplicate" not in answer]
    assert len(firsts) == 1
    assert all(
        answer == {**firsts[0], "duplicate": True} for answer in answers if answer not in firsts
    )


@pytest.mark.parametrize(("method", "params", "key"), WRONG)
def test_what_is_wrong_with_an_event_is_named(talk, method, params, key):
    error = talk.asked(method, **params)["error"]
    assert (error["code"], error["data"]["key"]) == (-32602, key)


@pytest.mark.parametrize(("method", "params", "key"), WRONG_CALLS)
def test_what_is_wrong_with_a_call_is_named(fresh, method, params, key):
    daemon = next(fresh).daemon
    with daemon.peer() as peer:
        error = peer.ask(method, **params)["error"]
    assert (error["code"], error["data"]["key"]) == (-32602, key)


@pytest.mark.parametrize("method", ["read", "write", "history", "restore"])
def test_a_call_that_names_none_of_many_workspaces_is_told_so(talk, method):
    params = {"name": "v1"} if method == "restore" else {}
    for place in ({}, {"workspace": "/nowhere"}):
        with talk.daemon.peer() as peer:
            assert peer.ask(f"checkpoint.{method}", **place, **params)["error"]["code"] == -32004


def test_what_was_shown_is_shown_again_after_the_context_was_emptied(talk):
    write_notes(talk.root)
    talk.daemon.call("index.sync", workspace=str(talk.root))
    question = YES[0].format(TOPICS[0][0])
    for empty in (
        lambda: talk.compact("after"),
        talk.reset,
        talk.end,
        lambda: talk.start("clear"),
    ):
        assert "9100" in talk.prompt(question)["context"]
        assert "9100" not in (talk.prompt(question)["context"] or "")
        empty()


def test_a_secret_that_an_event_tells_is_in_no_file(talk):
    said = f"deploy the exporter module with the token {SECRET} today"
    talk.turn(f"Please {said}", f"I'll {said}.\n\nNext: {said}.")
    talk.child("c", said)
    talk.compact("before", trigger="auto", summary=said)
    talk.daemon.call("checkpoint.write", workspace=str(talk.root), blockers=said)
    talk.until_lines("deploy the exporter")
    talk.end(said)
    assert "exporter" in talk.file.read_text("utf-8")
    assert (talk.root / ARCHIVE).is_dir()
    assert holders([SECRET], [talk.root, talk.daemon.state, talk.daemon.log]) == []


def test_a_checkpoint_with_nothing_to_say_is_neither_memory_nor_news(talk):
    talk.compact("before")
    synced = talk.daemon.call("index.sync", workspace=str(talk.root))
    assert (synced["files"], synced["skipped"]) == (0, [])
    talk.write(STATE)
    talk.reset()
    synced = talk.daemon.call("index.sync", workspace=str(talk.root))
    assert (synced["files"], synced["added"], synced["skipped"]) == (0, 0, [])


def test_events_of_one_workspace_at_once_are_done_one_after_another(talk):
    talk.write(STATE)
    writes = [
        request("checkpoint.write", number, workspace=str(talk.root), blockers=f"reason {number}")
        for number in range(12)
    ]
    compact = request("session.compact", 99, session=talk.session, phase="before")
    with talk.daemon.peer() as peer:
        peer.say(b"".join([*writes, compact]))
        replies = [peer.hear() for _ in range(13)]
    assert all("result" in reply for reply in replies)
    rows = talk.daemon.call("checkpoint.history", workspace=str(talk.root), limit=50)["versions"]
    # Every write is a version of its own, and each was made of the one before.
    assert len(rows) == 13
    assert all(row["objective"] == OBJECTIVE for row in rows)
    assert [len(row["changed"]) for row in rows[:-1]] == [1] * 12


def test_two_sessions_and_their_owed_snapshots_are_told_apart(talk):
    talk.write(STATE)
    other = talk.other()
    talk.compact("after")
    assert other.recovery(ORDINARY) is None
    other.compact("after")
    assert OBJECTIVE in talk.recovery(ORDINARY)
    assert OBJECTIVE in other.recovery(ORDINARY)
