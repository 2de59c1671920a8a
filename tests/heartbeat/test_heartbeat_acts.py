"""What an act leaves behind for the decisions after it."""

from dataclasses import replace

import pytest

from recalld.heartbeat import fingerprint
from recalld.heartbeat.acts import (
    answered,
    footprints,
    prepared,
    silenced,
    silent_until,
    topics,
)
from recalld.heartbeat.decide import decide
from recalld.heartbeat.model import ActState, Autonomy, Reason, Suppressed, Tier
from support.heartbeat_scene import POLICY, a_deadline, a_scene, a_signal, an_act, decided, said
from support.snapshots import DAY, HOUR, INSTANT, MINUTE, NOW, a_memory

PENDING = a_signal("pending_work", "p")
VELOCITY = a_signal("memory_velocity")
DUE = a_deadline("x", HOUR)
ACTED = decided(PENDING, VELOCITY, DUE)
HELD = decided(PENDING, acts=[an_act(MINUTE, a_signal("pending_work", "o"))])


def test_a_prepared_act_names_what_it_is_about():
    scene = a_scene(PENDING, DUE, entities={"p": ("importer",), "x": ("importer", "parser")})
    act = prepared(ACTED, scene, "a1")
    assert (act.id, act.owner, act.at, act.state) == ("a1", "default", NOW, ActState.PREPARED)
    assert (act.reason, act.tier) == (ACTED.reason, Tier.IMMEDIATE)
    assert act.fingerprint == fingerprint.of([PENDING, VELOCITY, DUE])
    assert act.signal_ids == ("deadlines:x", "memory_velocity:itself", "pending_work:p")
    assert act.memory_ids == ("x", "p")
    assert act.entities == ("importer", "parser")
    assert act.summary_hash == fingerprint.summary_hash(ACTED.signals)


def test_a_prepared_nudge_names_its_memory_and_has_no_fingerprint():
    idea = a_memory("idea", created_at=NOW - DAY)
    scene = a_scene(memories={"idea": idea}, messages=(said(DAY),))
    decision = decide(scene, (), policy=POLICY, autonomy=Autonomy.SUGGEST)
    act = prepared(decision, scene, "a1")
    assert (act.reason, act.tier, act.memory_ids) == (Reason.NUDGE, Tier.LOW, ("idea",))
    assert (act.fingerprint, act.signal_ids, act.summary_hash) == ("", (), "")
    assert topics(decision) == ("idea",)


def test_what_is_due_by_a_schedule_is_no_topic_to_be_pressed_about():
    both = decided(a_signal("scheduled", "m"), DUE)
    assert len(both.signals) == 2
    assert topics(both) == ("x",)


def test_topics_are_named_once():
    both = decided(PENDING, a_signal("decaying", "p"), VELOCITY)
    assert topics(both) == ("memory_velocity:itself", "p")


def test_b9_2_the_first_time_stands_until_an_act():
    first = footprints((), HELD, NOW)
    assert first == (
        Suppressed(fingerprint=HELD.fingerprint, first_at=NOW, reason=Reason.SUPPRESS_COOLDOWN),
    )
    assert footprints(first, HELD, NOW + HOUR) == first
    other = replace(HELD, fingerprint="0" * 16)
    assert len(footprints(first, other, NOW + HOUR)) == 2
    acted = replace(ACTED, fingerprint=HELD.fingerprint)
    assert footprints(first, acted, NOW + HOUR) == ()


def test_nothing_leaves_no_footprint_and_old_ones_fade():
    nothing = decided(messages=(said(MINUTE),))
    assert footprints((), nothing, NOW) == ()
    first = footprints((), HELD, NOW)
    assert footprints(first, nothing, NOW + 7 * DAY - INSTANT) == first
    assert footprints(first, nothing, NOW + 7 * DAY) == ()


@pytest.mark.parametrize(
    ("act", "answers"),
    [
        (an_act(2 * HOUR, PENDING), True),
        (an_act(2 * HOUR + INSTANT, PENDING), False),
        (an_act(-INSTANT, PENDING), False),
        (an_act(HOUR, PENDING, state=ActState.FAILED), False),
        (an_act(HOUR, PENDING, state=ActState.PREPARED), False),
        (an_act(HOUR, PENDING, answered_at=NOW - 30 * MINUTE), False),
    ],
)
def test_b3_10_an_answer_comes_within_two_hours(act, answers):
    (after,) = answered((act,), NOW)
    assert after == (replace(act, answered_at=NOW) if answers else act)


def test_an_acknowledgement_can_leave_out_what_has_a_schedule():
    act = replace(
        prepared(ACTED, a_scene(PENDING, DUE), "a1"),
        memory_ids=("m1", "m2"),
        signal_ids=("scheduled:m1", "deadlines:m1", "pending_work:m2"),
    )
    assert silenced(act, schedules=False) == ("m2", "deadlines:m1", "pending_work:m2")
    assert silenced(act) == (*act.memory_ids, *act.signal_ids)


def test_an_acknowledgement_silences_what_the_act_was_about():
    act = prepared(ACTED, a_scene(PENDING, DUE), "a1")
    until = silent_until(NOW, 3_600)
    assert until == NOW + HOUR
    assert silent_until(NOW, None) == NOW + DAY
    keys = dict.fromkeys(silenced(act), until)
    assert decided(PENDING, VELOCITY, DUE, snoozed=keys).reason is Reason.SUPPRESS_SNOOZED
    assert decided(PENDING, snoozed=keys, now=NOW + HOUR).act
