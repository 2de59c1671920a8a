"""What is in the way, and what says that it is no more."""

from datetime import UTC, datetime, timedelta
from time import process_time

import pytest

from recalld.continuity.extract import from_turns, settled
from recalld.continuity.model import Checkpoint, Turn
from recalld.continuity.obstacles import unblocked

AT = datetime(2026, 5, 4, 10, 0, tzinfo=UTC)
KEYS = "we have no sandbox keys from the provider yet"
DESIGN = "the design for the cancel button is missing"
CLEARS = """
the sandbox keys from the provider arrived|Here are the sandbox keys: see the vault
I got the sandbox keys from the provider|the keys are in the vault now
The provider sent us sandbox keys this morning.|you have the sandbox keys of the provider now
The sandbox keys of the provider work.|沙箱的 keys 收到了
"""
KEEPS = """
still no sandbox keys|The provider has not sent the sandbox keys yet|Did the sandbox keys arrive?
Once the sandbox keys arrived, I will wire the button.|The button is done.|go on
I need the sandbox keys.|If the keys arrive tomorrow we can go on|The unit tests pass.
We would have the keys by Monday|Next: ask for the sandbox keys|> the sandbox keys arrived
The provider's sandbox keys have expired|The provider rejected the request for sandbox keys
沙箱的 keys 过期了|The log says "the sandbox keys arrived".|还没收到 keys|等 keys 到了再继续
"""


def _turn(user: str = "ok", assistant: str = "", minutes: int = 1, *, success: bool = True) -> Turn:
    at = AT + timedelta(minutes=minutes)
    return Turn(user=user, assistant=assistant, at=at, success=success)


def _blocked(text: str) -> Checkpoint:
    return Checkpoint(objective="Add a payment button", blockers=text, updated_at=AT)


def _rows(table: str) -> list[str]:
    return [row for row in table.replace("\n", "|").split("|") if row]


@pytest.mark.parametrize("said", _rows(CLEARS))
def test_it_is_away_whoever_says_so(said: str):
    assert unblocked(_blocked(KEYS), [_turn(said)])
    assert unblocked(_blocked(KEYS), [_turn("ok", said)])


@pytest.mark.parametrize("said", _rows(KEEPS))
def test_it_stays_where_nothing_says_so(said: str):
    assert not unblocked(_blocked(KEYS), [_turn(said, "Sure.")])
    assert not unblocked(_blocked(KEYS), [_turn("ok", said)])


@pytest.mark.parametrize(
    "said",
    [
        "**Blockers:** none", "## Blockers\nNone", "阻塞：无", "- 阻塞：暂无",
        "We are no longer blocked by it: the sandbox keys work",
    ],
)  # fmt: skip
def test_it_is_away_where_nothing_is_in_the_way(said: str):
    assert unblocked(_blocked(KEYS), [_turn("ok", said)])


def test_all_of_it_must_be_away():
    both = _blocked(f"{KEYS}; {DESIGN}")
    keys, design = _turn("the sandbox keys arrived"), _turn("the design is in Figma now", minutes=2)
    assert not unblocked(both, [keys])
    assert unblocked(both, [design, keys])


def test_the_users_word_is_what_it_waits_for():
    waits = _blocked("I need your approval before touching the production config")
    assert unblocked(waits, [_turn("yes, do it")])
    assert not unblocked(waits, [_turn("what would it change?", "Two lines.")])
    assert unblocked(_blocked("需要你确认上线时间"), [_turn("周五晚上")])


def test_only_later_turns_that_did_not_fail_count():
    said = "the sandbox keys arrived"
    assert not unblocked(_blocked(KEYS), [_turn(said, minutes=0)])
    assert not unblocked(_blocked(KEYS), [_turn("ok", said, success=False)])
    assert not unblocked(_blocked(KEYS), [])
    assert not unblocked(Checkpoint(objective="x", updated_at=AT), [_turn(said)])


def test_a_turn_that_only_clears_it_makes_a_checkpoint():
    turns = [_turn("the sandbox keys arrived", "Great.")]
    assert settled(_blocked(KEYS), turns) == {"blockers"}
    made = from_turns(_blocked(KEYS), turns)
    assert made is not None
    assert made.blockers == ""
    assert from_turns(_blocked(KEYS), [_turn("I see", "Great.")]) is None


def test_an_offer_is_over_once_it_was_answered():
    offer = Checkpoint(objective="x y z", next_action="Shall I run the check?", updated_at=AT)
    assert settled(offer, [_turn("yes", "Running.")]) == {"next_action"}
    assert settled(offer, [_turn("what does it do?", "It counts rows.")]) == frozenset()
    plain = Checkpoint(objective="x y z", next_action="run the check", updated_at=AT)
    assert settled(plain, [_turn("yes", "Running.")]) == frozenset()


@pytest.mark.parametrize(
    "said",
    [
        "I fixed the worker that was stuck on the lock.", "It could be blocked by the audit rules.",
        "If the CI is blocked by the linter, say so.", "Are you waiting for the keys?",
        "We are no longer blocked by the provider.", "`Blocked by: the keys`",
        "The endpoint blocks users after five tries.", "会不会被防火墙挡住？", "不再阻塞了",
    ],
)  # fmt: skip
def test_what_only_speaks_of_obstacles_is_none(said: str):
    made = from_turns(None, [_turn("Add a payment button to the page", f"Built it. {said}")])
    assert made is not None
    assert made.blockers == ""


def test_long_turns_are_searched_fast():
    started = process_time()
    for piece in ("the sandbox keys ", "blocked ", "等", "arrived, ", "no "):
        unblocked(_blocked(KEYS), [_turn(piece * 5_000, piece * 5_000)])
    assert process_time() - started < 2
