"""An answer that nobody took is told again: notes, snapshots and results of sub-agents."""

import pytest

from support.continuing import LEXICAL, OBJECTIVE, STATE, Talk, counter
from support.daemon import request, running
from support.e2e import until

ASKED = "/recall what did we decide about the upload queue?"
NOTE = "# Plan\n\n## Upload queue\n\nWe decided that the upload queue retries five times.\n"
ORDINARY = "please rename the variable in the footer"
FOUND = "the scan found three open ports"


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    home = tmp_path_factory.mktemp("undelivered")
    root = home / "w"
    (root / "memory").mkdir(parents=True)
    (root / "memory" / "plan.md").write_text(NOTE, encoding="utf-8")
    with running(home / "d", workspaces=[root], config=LEXICAL) as daemon:
        daemon.call("index.sync")
        yield daemon, root


@pytest.fixture
def talk(world):
    daemon, root = world
    return Talk(daemon=daemon, root=root)


def given_up(talk, method, counted, *, batch=False, **params):
    """The host asks and is gone before the reply is written."""
    before = counter(talk.daemon, counted)
    line = request(method, session=talk.session, **params)
    with talk.daemon.peer() as peer:
        peer.say(b"[" + line.strip() + b"]\n" if batch else line)
    until(lambda: counter(talk.daemon, counted) > before, what=f"{counted} of {method}")


@pytest.mark.parametrize("batch", [False, True])
def test_notes_of_an_answer_that_nobody_took_are_shown_again(talk, batch):
    given_up(talk, "session.prompt", "recall.undelivered", text=ASKED[8:], batch=batch)
    assert talk.prompt(ASKED[8:])["hits"]
    assert talk.prompt(ASKED[8:])["hits"] == []


def test_what_a_session_has_stays_known_when_a_later_answer_is_lost(talk):
    assert talk.prompt(ASKED[8:])["hits"]
    given_up(talk, "session.prompt", "recall.undelivered", text=ORDINARY)
    assert talk.prompt(ASKED[8:])["hits"] == []


def test_results_and_snapshots_that_nobody_took_are_told_again(talk):
    talk.write(STATE)
    talk.child("a", FOUND)
    talk.compact("after")
    given_up(talk, "session.prompt", "continuity.undelivered", text=ORDINARY)
    recovery = talk.recovery(ORDINARY)
    assert FOUND in recovery
    assert OBJECTIVE in recovery
    assert talk.recovery(ORDINARY) is None


def test_a_start_that_nobody_took_leaves_what_is_owed(talk):
    talk.write(STATE)
    talk.child("a", FOUND)
    given_up(talk, "session.start", "continuity.undelivered", source="compact")
    talk.compact("after")
    recovery = talk.recovery(ORDINARY)
    assert FOUND in recovery
    assert OBJECTIVE in recovery
    assert talk.recovery(ORDINARY) is None
