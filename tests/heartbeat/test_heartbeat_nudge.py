"""What a nudge is about, and how seldom it comes."""

from datetime import timedelta

import pytest

from recalld.heartbeat.model import ActState, Autonomy, Reason
from recalld.memories.model import Memory, MemoryState, MemoryType, Origin
from support.heartbeat_scene import a_signal, an_act, at_hour, decided, said
from support.snapshots import DAY, HOUR, INSTANT, MINUTE, NOW, a_memory

OLD = NOW - 30 * DAY


def a_thing(name: str, **changes: object) -> Memory:
    usual = {
        "type": MemoryType.EVENT,
        "importance": 0.3,
        "created_at": OLD,
        "updated_at": OLD,
        "accessed_at": OLD,
    }
    return a_memory(name, **{**usual, **changes})  # type: ignore[arg-type]


PLAIN = a_thing("plain")
GRAND = a_thing("grand", importance=0.9)
WORK = a_thing("work", type=MemoryType.PLAN, importance=0.5)
NEAR = a_thing("near")
USUAL = a_thing("usual")
# What is written last holds the topic, and is not to be spoken of itself.
TOPIC = a_thing("topic", state=MemoryState.STALE, created_at=NOW - DAY)
NAMED = {"topic": ("importer", "parser"), "near": ("parser",)}


def nudged(*memories: Memory, signals=(), **scene: object):
    usual = {"messages": (said(DAY),), "memories": {one.id: one for one in memories}}
    return decided(*signals, **{**usual, **scene})  # type: ignore[arg-type]


def pick(*memories: Memory, **scene: object) -> str | None:
    found = nudged(*memories, **scene).nudge
    return None if found is None else found.id


def test_b4_content_is_searched_in_order():
    pattern = a_signal("patterns", memories=(USUAL,))
    every = [PLAIN, GRAND, WORK, NEAR, USUAL, TOPIC]
    order = []
    while (found := pick(*every, entities=NAMED, signals=(pattern,))) is not None:
        order.append(found)
        every = [one for one in every if one.id != found]
        if found == "usual":
            pattern = a_signal("patterns")
    assert order == ["usual", "near", "work", "grand", "plain"]


def test_b4_neighbours_are_of_the_last_act_first():
    far = a_thing("far")
    act = an_act(DAY, a_signal("pending_work", "x"), entities=("runner",))
    named = {**NAMED, "far": ("runner",)}
    assert pick(NEAR, far, TOPIC, entities=named, acts=[act]) == "far"
    closest = a_thing("closest")
    shared = {**NAMED, "closest": ("importer", "parser")}
    assert pick(NEAR, closest, TOPIC, entities=shared) == "closest"


def test_who_the_user_is_comes_last():
    kinds = (MemoryType.IDENTITY, MemoryType.PREFERENCE, MemoryType.RELATIONSHIP)
    traits = [a_thing(kind.value, type=kind, importance=1.0) for kind in kinds]
    small = a_thing("small", type=MemoryType.CONTEXT, importance=0.1)
    assert pick(*traits, small) == "small"
    assert pick(*traits) in kinds


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({}, True),
        ({"importance": 0.49}, False),
        ({"access_count": 2}, True),
        ({"access_count": 3}, False),
        ({"type": MemoryType.ACTIVITY}, True),
        ({"type": MemoryType.IDENTITY}, False),
    ],
)
def test_b4_work_is_open_important_enough_and_hardly_looked_at(changes, found):
    work = a_thing("work", **{"type": MemoryType.PLAN, "importance": 0.5, **changes})
    rival = a_thing("rival", importance=0.6)
    assert pick(work, rival) == ("work" if found else "rival")


@pytest.mark.parametrize(
    "changes",
    [
        {"state": MemoryState.STALE},
        {"state": MemoryState.RESOLVED},
        {"state": MemoryState.ARCHIVED},
        {"origin": Origin.HEARTBEAT},
        {"type": MemoryType.EPHEMERAL},
        {"tags": ("cron:daily:09:00",)},
        {"owner": "somebody else"},
        {"created_at": NOW + DAY},
    ],
)
def test_some_memories_are_never_spoken_of(changes):
    assert pick(a_thing("m", **changes)) is None


@pytest.mark.parametrize(
    ("scene", "found"),
    [
        ({"surfaced": {"plain": NOW - 4 * HOUR + INSTANT}}, False),
        ({"surfaced": {"plain": NOW - 4 * HOUR}}, True),
        ({"snoozed": {"plain": NOW + INSTANT}}, False),
        ({"snoozed": {"plain": NOW}}, True),
        ({"topic_surfacings": {"plain": 8}}, False),
        ({"topic_surfacings": {"plain": 7}}, True),
        ({"acts": [an_act(7 * DAY, reason=Reason.NUDGE, memory_ids=("plain",))]}, True),
        ({"acts": [an_act(6 * DAY, reason=Reason.NUDGE, memory_ids=("plain",))]}, False),
    ],
)
def test_what_was_shown_put_off_or_given_up_is_not_picked(scene, found):
    assert (pick(PLAIN, **scene) is not None) is found


def test_ties_go_to_the_newest_and_then_by_id():
    newer = a_thing("newer", created_at=OLD + DAY)
    assert pick(PLAIN, newer) == "newer"
    assert pick(a_thing("b"), a_thing("a")) == "a"


@pytest.mark.parametrize(
    ("autonomy", "hours"), [(Autonomy.OBSERVE, None), (Autonomy.SUGGEST, 4), (Autonomy.ACT, 2)]
)
def test_b4_silence_lasts_as_long_as_the_autonomy_says(autonomy, hours):
    for ago in (1, 2, 4, 24):
        decision = nudged(PLAIN, messages=(said(ago * HOUR),), autonomy=autonomy)
        expected = hours is not None and ago >= hours
        assert decision.reason is (Reason.NUDGE if expected else Reason.NO_SIGNALS)


@pytest.mark.parametrize(
    "scene",
    [
        {"messages": (said(3 * HOUR),)},
        {"acts": [an_act(3 * HOUR, a_signal("pending_work", "x"))]},
        {"acts": [an_act(DAY, answered_at=NOW - 3 * HOUR)]},
        {"acts": [an_act(DAY, acknowledged_at=NOW - 3 * HOUR)]},
    ],
)
def test_any_sign_of_life_ends_the_silence(scene):
    assert nudged(PLAIN, **scene).reason is Reason.NO_SIGNALS


def test_a_memory_made_just_now_is_a_sign_of_life():
    assert nudged(PLAIN, a_thing("new", created_at=NOW - HOUR)).reason is Reason.NO_SIGNALS


def test_a_store_where_nobody_ever_spoke_is_silent_too():
    assert nudged(PLAIN, messages=()).reason is Reason.NUDGE


@pytest.mark.parametrize(
    ("hour", "reason"),
    [
        (6, Reason.NO_SIGNALS),
        (7, Reason.NUDGE),
        (16, Reason.NUDGE),
        (17, Reason.NO_SIGNALS),
        (22, Reason.NO_SIGNALS),
    ],
)
def test_b4_nudges_come_in_the_morning_and_while_working(hour, reason):
    assert nudged(PLAIN, now=at_hour(hour), messages=(said(2 * DAY),)).reason is reason


def a_nudge(ago: timedelta):
    """One that was answered."""
    return an_act(ago, reason=Reason.NUDGE, answered_at=NOW - ago)


@pytest.mark.parametrize(
    ("autonomy", "before", "hours"),
    [
        (Autonomy.SUGGEST, (), 8),
        (Autonomy.SUGGEST, (23,), 16),
        (Autonomy.SUGGEST, (24,), 8),
        # Never longer than a day, or two.
        (Autonomy.SUGGEST, (10, 11), 24),
        (Autonomy.ACT, (), 4),
        (Autonomy.ACT, (10, 11, 12), 32),
        (Autonomy.ACT, (10, 11, 12, 13), 48),
    ],
)
def test_b4_the_interval_doubles_with_each_nudge_of_a_day(autonomy, before, hours):
    for ago, over in ((hours * HOUR - INSTANT, False), (hours * HOUR, True)):
        acts = [a_nudge(ago), *(a_nudge(ago + one * HOUR) for one in before)]
        decision = nudged(PLAIN, acts=acts, autonomy=autonomy, messages=(said(7 * DAY),))
        assert decision.reason is (Reason.NUDGE if over else Reason.SUPPRESS_NUDGE_BACKOFF)


def test_b4_a_user_who_never_answers_is_nudged_half_as_often():
    ignored = [an_act(one * DAY, a_signal("pending_work", f"{one}")) for one in (3, 4, 5)]
    assert nudged(PLAIN, acts=[a_nudge(8 * HOUR)], messages=(said(3 * DAY),)).act
    for ago, reason in (
        (15 * HOUR + 59 * MINUTE, Reason.SUPPRESS_NUDGE_BACKOFF),
        (16 * HOUR, Reason.NUDGE),
    ):
        acts = [an_act(ago, reason=Reason.NUDGE), *ignored]
        assert nudged(PLAIN, acts=acts, messages=(said(3 * DAY),)).reason is reason


@pytest.mark.parametrize(("autonomy", "most"), [(Autonomy.SUGGEST, 3), (Autonomy.ACT, 8)])
def test_b4_a_day_has_so_many_nudges(autonomy, most):
    acts = [a_nudge(4 * HOUR + one * HOUR) for one in range(most)]
    for some, capped in ((acts, True), (acts[1:], False)):
        reason = nudged(PLAIN, acts=some, autonomy=autonomy, messages=(said(3 * DAY),)).reason
        assert (reason is Reason.SUPPRESS_NUDGE_CAP) is capped


def test_a_nudge_that_nobody_confirmed_is_not_said_again():
    lost = an_act(HOUR, reason=Reason.NUDGE, state=ActState.PREPARED, memory_ids=("other",))
    assert nudged(PLAIN, acts=[lost]).reason is Reason.NO_SIGNALS


def test_what_is_put_off_does_not_keep_others_from_being_spoken_of():
    waiting = a_signal("pending_work", "p")
    scene = {"snoozed": {"p": NOW + DAY}}
    assert nudged(PLAIN, signals=(waiting,), **scene).reason is Reason.NUDGE
    recent = nudged(PLAIN, signals=(waiting,), messages=(said(HOUR),), **scene)
    assert recent.reason is Reason.SUPPRESS_SNOOZED


def test_a_nudge_is_about_no_signal():
    fading = a_signal("decaying", "d")
    decision = nudged(PLAIN, signals=(fading,))
    assert decision.reason is Reason.NUDGE
    assert (decision.signals, decision.fingerprint, decision.tier) == ((), "", None)
