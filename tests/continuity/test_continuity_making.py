"""Turns of a session over a file that another session, or a hand, wrote."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import orjson

from recalld.continuity.making import Heard, Old, finished, ruling_of
from recalld.continuity.model import Checkpoint, Origin, Parsed
from recalld.continuity.surfacing.results import Lines
from recalld.store.model import KeptTurn

AT = datetime(2026, 5, 4, 10, 0, tzinfo=UTC)
OWN = Checkpoint(
    objective="Port the query parser to Rust",
    current_step="The lexer is ported.",
    key_decisions=("Decided to keep the old grammar",),
    next_action="benchmark the grammar",
    blockers="waiting for the ARM runner",
    updated_at=AT,
)
OTHERS = Checkpoint(
    objective="Write onboarding docs for new support staff",
    current_step="Chapter 1 is written.",
    next_action="chapter 2",
    updated_at=AT + timedelta(minutes=1),
)


def _heard(*said: tuple[str, str]) -> Heard:
    kept = [
        KeptTurn(
            seq=place,
            session_key="agent:main:main",
            at=AT + timedelta(minutes=2 + place),
            received_at=AT + timedelta(minutes=2 + place),
            payload=orjson.dumps({"user": user, "assistant": assistant}),
        )
        for place, (user, assistant) in enumerate(said)
    ]
    return Heard(kept=kept, is_no_user=lambda _key, _text: False)


def _ruled(file: Checkpoint, base: Checkpoint, *said: tuple[str, str]) -> Checkpoint | None:
    old = Old(parsed=Parsed(checkpoint=file), base=base, origin=Origin.MACHINE, modified_at=AT)
    return ruling_of(old, _heard(*said), ignore=(), lines=Lines(), again=False).write


def test_a_session_keeps_what_it_has_nothing_new_for_though_another_wrote_in_between():
    made = _ruled(
        OTHERS, OWN, ("how far is it?", "The parser is still being compiled, 40% so far.")
    )
    assert made is not None
    assert replace(made, current_step="", updated_at=None) == replace(
        OWN, current_step="", updated_at=None
    )
    assert "40%" in made.current_step


def test_what_is_over_does_not_come_back_from_before_the_other_session():
    made = _ruled(OTHERS, OWN, ("ok", "The ARM runner is available. It takes 12 ms, down from 50."))
    assert made is not None
    assert (made.objective, made.next_action, made.blockers) == (OWN.objective, "", "")


def test_a_step_of_a_hand_that_was_done_in_other_words_is_told_as_done():
    hand = replace(OWN, next_action="the settings screen, with a switch")
    heard = _heard(("ok", "The settings screen has a switch for dark mode now."))
    done = finished(hand, heard, modified_at=AT)
    assert done is not None
    assert done.said == "The settings screen has a switch for dark mode now."


def test_other_work_done_since_is_not_the_step_of_a_hand():
    hand = replace(OWN, next_action="the settings screen, with a switch")
    heard = _heard(("ok", "Chapter 2 is written."), ("go on", "The address column is split now."))
    assert finished(hand, heard, modified_at=AT) is None
