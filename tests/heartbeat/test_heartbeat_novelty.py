"""What was told rests, longer each time, and is never lost."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from recalld.heartbeat import fingerprint
from recalld.heartbeat.cooldown import PACES
from recalld.heartbeat.model import ActState, Autonomy, Reason, Suppressed, Tier
from recalld.heartbeat.novelty import (
    MAX_SURFACINGS,
    history,
    is_critical,
    is_dropped,
    is_new,
    is_resting,
    may_join,
    news_at,
    repeats_topic,
)
from support.heartbeat_scene import a_deadline, a_scene, a_signal, an_act, decided
from support.snapshots import DAY, HOUR, INSTANT, MINUTE, NOW

SUGGEST = PACES[Autonomy.SUGGEST]
OVERDUE = a_deadline("x", -30 * DAY)
PENDING = a_signal("pending_work", "p")
MANY = {"x": MAX_SURFACINGS, "p": MAX_SURFACINGS, "s": MAX_SURFACINGS}


def told_after(signal, *ago: timedelta):
    return history(an_act(one, signal) for one in sorted(ago))


def rest_ends(signal, times: int) -> timedelta:
    """How long ago the last of so many tellings has to be for the signal to be told again."""
    for minutes in range(0, 60 * 48, 5):
        ago = [minutes * MINUTE + one * MINUTE for one in range(times)]
        if not is_resting(signal, told_after(signal, *ago), pace=SUGGEST, now=NOW):
            return minutes * MINUTE
    raise AssertionError("it rests for ever")


def test_a_rest_doubles_up_to_a_day():
    half_hours = [rest_ends(OVERDUE, times) / (30 * MINUTE) for times in range(1, 10)]
    assert half_hours == [1, 2, 4, 8, 16, 32, 48, 48, 48]
    hours = [rest_ends(PENDING, times) / HOUR for times in range(1, 6)]
    assert hours == [4, 8, 16, 24, 24]


def test_what_was_never_told_does_not_rest():
    assert not is_resting(PENDING, {}, pace=SUGGEST, now=NOW)
    assert is_new(PENDING, {}, NOW)


def test_a_rest_is_over_at_the_very_moment():
    for ago, rests in ((30 * MINUTE - INSTANT, True), (30 * MINUTE, False)):
        assert is_resting(OVERDUE, told_after(OVERDUE, ago), pace=SUGGEST, now=NOW) is rests


def test_a_change_of_the_memory_starts_the_doubling_anew():
    told = told_after(OVERDUE, 40 * MINUTE, 50 * MINUTE, 60 * MINUTE)
    assert is_resting(OVERDUE, told, pace=SUGGEST, now=NOW)
    (memory,) = OVERDUE.memories
    changed = replace(OVERDUE, memories=(replace(memory, updated_at=NOW - 10 * MINUTE),))
    assert not is_resting(changed, told, pace=SUGGEST, now=NOW)
    assert is_new(changed, told, NOW)
    # The first rest is kept.
    just = told_after(OVERDUE, 20 * MINUTE)
    assert is_resting(changed, just, pace=SUGGEST, now=NOW)


def test_a_deadline_is_news_once_it_is_within_the_hour():
    soon = a_deadline("x", 30 * MINUTE)
    assert news_at(soon, NOW) == NOW - 30 * MINUTE
    told = told_after(soon, 31 * MINUTE, HOUR, 2 * HOUR, 3 * HOUR)
    assert not is_resting(soon, told, pace=SUGGEST, now=NOW)
    later = a_deadline("x", 90 * MINUTE)
    assert is_resting(later, told, pace=SUGGEST, now=NOW)


def test_a_deadline_is_news_within_the_day_and_when_it_passes():
    for due_in, since in ((10 * HOUR, 14 * HOUR), (HOUR, 23 * HOUR), (-2 * HOUR, 2 * HOUR)):
        assert news_at(a_deadline("x", due_in), NOW) == NOW - since
    many = {"x": MAX_SURFACINGS}
    for due_in, told, dropped in (
        (20 * HOUR, 5 * HOUR, False),  # given up before it came near
        (20 * HOUR, 3 * HOUR, True),
        (-HOUR, 2 * HOUR, False),  # and before it passed
        (-3 * HOUR, 2 * HOUR, True),
    ):
        signal = a_deadline("x", due_in)
        scene = a_scene(signal, topic_surfacings=many)
        assert is_dropped(signal, told_after(signal, told), scene) is dropped


def test_what_is_due_late_waits_longer_from_its_second_telling_on():
    far, near = a_deadline("x", 20 * HOUR), a_deadline("x", 3 * HOUR)
    assert [rest_ends(far, times) / MINUTE for times in (1, 2, 3)] == [30, 150, 150]
    assert [rest_ends(near, times) / MINUTE for times in (1, 2, 3)] == [30, 60, 120]


def test_a_schedule_is_news_each_time_it_is_due():
    told = told_after(a_signal("scheduled", "s"), *(one * HOUR for one in range(1, 9)))
    due = {"due_at": (NOW - 5 * MINUTE).isoformat()}
    assert not is_resting(a_signal("scheduled", "s", detail=due), told, pace=SUGGEST, now=NOW)
    # The one that nobody acknowledged backs off like everything else.
    old = {"due_at": (NOW - DAY).isoformat()}
    assert is_resting(a_signal("scheduled", "s", detail=old), told, pace=SUGGEST, now=NOW)


@pytest.mark.parametrize("since", ["", "soon", 7, None, "2026-06-10T11:55:00"])
def test_a_detail_that_is_no_time_says_nothing(since):
    signal = a_signal("scheduled", "s", detail={"due_at": since})
    expected = since == "2026-06-10T11:55:00"
    assert (news_at(signal, NOW) == NOW - 5 * MINUTE) is expected


@pytest.mark.parametrize(
    ("due_in", "tier", "expected"),
    [
        (HOUR, Tier.IMMEDIATE, False),
        (HOUR - INSTANT, Tier.IMMEDIATE, True),
        (-400 * DAY, Tier.IMMEDIATE, True),
        (-HOUR, Tier.ELEVATED, False),
    ],
)
def test_b3_1_a_deadline_is_critical_below_an_hour(due_in, tier, expected):
    assert is_critical(a_deadline("x", due_in, tier=tier), NOW) is expected


@pytest.mark.parametrize(
    "end", [datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)]
)
def test_no_date_makes_a_tick_fail(end):
    (memory,) = a_deadline("x", HOUR).memories
    odd = replace(memory, expires_at=end, created_at=end, updated_at=end)
    signal = a_signal("deadlines", "x", memories=(odd,), detail={"due_at": end.isoformat()})
    assert decided(signal).act
    assert decided(signal, acts=[an_act(MINUTE, signal)]).reason is Reason.SUPPRESS_STALE


def test_only_deadlines_are_critical():
    (memory,) = OVERDUE.memories
    pending = replace(PENDING, tier=Tier.IMMEDIATE, memories=(memory,))
    assert not is_critical(pending, NOW)
    assert not is_critical(a_signal("deadlines", "x"), NOW)


def test_what_rests_joins_others_after_half_of_it():
    twice = told_after(PENDING, 4 * HOUR, 12 * HOUR)
    assert may_join(PENDING, twice, pace=SUGGEST, now=NOW)
    assert not may_join(PENDING, told_after(PENDING, 239 * MINUTE), pace=SUGGEST, now=NOW)
    assert not may_join(PENDING, {}, pace=SUGGEST, now=NOW)


def test_what_joins_is_never_more_urgent_than_what_it_joins():
    told = [an_act(20 * HOUR + one * HOUR, OVERDUE, PENDING) for one in range(8)]
    alone = decided(a_signal("pending_work", "new"), OVERDUE, PENDING, acts=told)
    assert [one.id for one in alone.signals] == ["pending_work:new", "pending_work:p"]
    urgent = decided(a_deadline("y", HOUR), OVERDUE, PENDING, acts=told)
    names = [one.id for one in urgent.signals]
    assert names == ["deadlines:y", "deadlines:x", "pending_work:p"]


def test_b4_a_topic_is_dropped_after_eight_surfacings():
    told = told_after(PENDING, 30 * DAY)
    for count, dropped in ((7, False), (8, True), (20, True)):
        scene = a_scene(PENDING, topic_surfacings={"p": count})
        assert is_dropped(PENDING, told, scene) is dropped
        decision = decided(PENDING, topic_surfacings={"p": count}, acts=[an_act(2 * DAY, PENDING)])
        assert decision.dropped == ((PENDING.id,) if dropped else ())
        assert decision.act is not dropped


def test_what_is_due_comes_back_a_week_after_its_topic_was_dropped():
    for ago, dropped in ((7 * DAY - INSTANT, True), (7 * DAY, False)):
        scene = a_scene(OVERDUE, topic_surfacings=MANY)
        assert is_dropped(OVERDUE, told_after(OVERDUE, ago), scene) is dropped
        shown = a_scene(OVERDUE, topic_surfacings=MANY, surfaced={"x": NOW - ago})
        assert is_dropped(OVERDUE, {}, shown) is dropped
    assert not is_dropped(OVERDUE, {}, a_scene(OVERDUE, topic_surfacings=MANY))


def test_a_dropped_topic_comes_back_with_news():
    (memory,) = PENDING.memories
    changed = replace(PENDING, memories=(replace(memory, updated_at=NOW - MINUTE),))
    told = told_after(PENDING, HOUR)
    assert is_dropped(PENDING, told, a_scene(PENDING, topic_surfacings=MANY))
    assert not is_dropped(changed, told, a_scene(changed, topic_surfacings=MANY))
    due = a_signal("scheduled", "s", detail={"due_at": (NOW - MINUTE).isoformat()})
    assert not is_dropped(due, told_after(due, HOUR), a_scene(due, topic_surfacings=MANY))


@pytest.mark.parametrize("key", ["p", "pending_work:p"])
def test_a_snooze_ends_at_its_moment(key):
    for until, reason in (
        (NOW + INSTANT, Reason.SUPPRESS_SNOOZED),
        (NOW, Reason.ACT),
    ):
        assert decided(PENDING, snoozed={key: until}).reason is reason


def test_a_snooze_leaves_the_others():
    decision = decided(PENDING, OVERDUE, snoozed={"x": NOW + HOUR})
    assert [one.id for one in decision.signals] == [PENDING.id]


def repeated(signals, *acts, **scene) -> bool:
    return repeats_topic(
        signals, fingerprint.of(signals), acts=acts, snapshot=a_scene(*signals, **scene)
    )


NAMES = tuple("abcdefghijklmnopqrst")


@pytest.mark.parametrize(
    ("ago", "theirs", "expected"),
    [
        (59 * MINUTE, NAMES, True),
        (HOUR, NAMES, False),
        (MINUTE, NAMES[:18], True),
        (MINUTE, NAMES[:17], False),
        (MINUTE, (*NAMES, "u", "v", "w"), True),
        (MINUTE, (*NAMES, "u", "v", "w", "x"), False),
        (MINUTE, (), False),
    ],
)
def test_b10_a_topic_repeats_within_an_hour_above_85_per_cent_of_the_names(ago, theirs, expected):
    other = a_signal("pending_work", "o")
    act = an_act(ago, other, entities=theirs)
    assert repeated((PENDING,), act, entities={"p": NAMES}) is expected


def test_b10_a_topic_repeats_with_the_same_words():
    (memory,) = PENDING.memories
    twin = replace(memory, id="q", content="ABOUT  p")
    again = a_signal("pending_work", "q", memories=(twin,))
    assert repeated((again,), an_act(MINUTE, PENDING))
    assert not repeated((again,), an_act(HOUR, PENDING))
    assert not repeated((a_signal("pending_work", "r"),), an_act(MINUTE, PENDING))


@pytest.mark.parametrize(
    ("ago", "reason", "expected"),
    [
        (2 * HOUR - INSTANT, Reason.SUPPRESS_TOPIC_REPEAT, True),
        (2 * HOUR - INSTANT, Reason.SUPPRESS_STALE, True),
        (2 * HOUR, Reason.SUPPRESS_TOPIC_REPEAT, False),
        # Whoever waited for a turn does not wait again.
        (MINUTE, Reason.SUPPRESS_COOLDOWN, False),
        (MINUTE, Reason.SUPPRESS_TIME_PERIOD, False),
        # A clock that was wrong.
        (-DAY, Reason.SUPPRESS_TOPIC_REPEAT, False),
    ],
)
def test_b9_2_a_footprint_is_counted_from_the_first_time(ago, reason, expected):
    mine = Suppressed(fingerprint=fingerprint.of([PENDING]), first_at=NOW - ago, reason=reason)
    other = replace(mine, fingerprint="0" * 16)
    assert repeated((PENDING,), suppressed=(other, mine)) is expected
    assert not repeated((PENDING,), suppressed=(other,))


def test_acts_of_a_clock_that_was_wrong_do_not_silence_for_years():
    wrong = an_act(-900 * DAY, OVERDUE)
    assert decided(OVERDUE, acts=[wrong]).act
    # An hour is what a clock may be set back by.
    assert not decided(OVERDUE, acts=[an_act(-HOUR, OVERDUE)]).act


def test_failed_acts_told_nobody():
    acts = [an_act(MINUTE, PENDING, state=ActState.FAILED)]
    assert decided(PENDING, acts=acts).act
