"""The mistakes that a heartbeat before this one made; each has a test that would find it."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from recalld.heartbeat.acts import footprints, prepared
from recalld.heartbeat.checks import memory_velocity
from recalld.heartbeat.decide import decide
from recalld.heartbeat.model import (
    Act,
    ActState,
    Autonomy,
    Decision,
    Message,
    Reason,
    Signal,
    State,
    Suppressed,
)
from recalld.heartbeat.policy import HeartbeatPolicy
from recalld.memories.model import Origin
from support.heartbeat_scene import POLICY, a_deadline, a_scene, a_signal, an_act, decided, said
from support.snapshots import DAY, HOUR, MINUTE, NOW, a_memory

PENDING = a_signal("pending_work", "p")
CONFLICT = a_signal("conflicts", "c")
TOGETHER = (
    PENDING,
    a_signal("goal_progress", "g"),
    a_signal("knowledge_gaps", "k"),
    a_signal("positive_deltas", "v"),
)
# Three answers, so that the pace is the usual one.
ANSWERED = tuple(
    an_act(one * DAY, a_signal("pending_work", "z"), answered_at=NOW - one * DAY)
    for one in (2, 3, 4)
)
FIVE_MINUTES = 5 * MINUTE


def ticks(
    signals: Callable[[datetime], tuple[Signal, ...]],
    *,
    count: int,
    state: ActState = ActState.DELIVERED,
    autonomy: Autonomy = Autonomy.SUGGEST,
    policy: HeartbeatPolicy = POLICY,
    **scene: object,
) -> list[Decision]:
    """So many ticks from ``NOW`` on, five minutes apart, each with what the ones before did."""
    acts: tuple[Act, ...] = ANSWERED
    held: tuple[Suppressed, ...] = ()
    decisions = []
    for number in range(count):
        now = NOW + number * FIVE_MINUTES
        found = signals(now)
        view = {"acts": acts, "suppressed": held, "messages": (), "now": now, **scene}
        snapshot = a_scene(*found, **view)  # type: ignore[arg-type]
        decision = decide(snapshot, found, policy=policy, autonomy=autonomy)
        held = footprints(held, decision, now)
        if decision.act:
            acts = (replace(prepared(decision, snapshot, f"a{number}"), state=state), *acts)
        decisions.append(decision)
    return decisions


def acted(decisions: list[Decision]) -> list[int]:
    """The minutes at which something was said."""
    return [5 * number for number, decision in enumerate(decisions) if decision.act]


def always(*signals: Signal) -> Callable[[datetime], tuple[Signal, ...]]:
    return lambda _: signals


def test_b9_1_many_new_memories_since_the_last_act_are_a_signal():
    new = tuple(a_memory(f"n{one}", created_at=NOW - one * MINUTE) for one in range(1, 6))
    last = State(at=NOW - HOUR, memories=0)
    scene = a_scene(memories={one.id: one for one in new}, last_state=last)
    (signal,) = memory_velocity.CHECK.find(scene)
    reason = decide(scene, (signal,), policy=POLICY, autonomy=Autonomy.SUGGEST).reason
    assert reason is Reason.ACT


def test_b9_2_what_was_held_back_comes_back_though_ticks_are_short():
    # Held back as a repetition over and over: the footprint must not renew itself.
    other = a_signal("pending_work", "o")
    said_before = an_act(MINUTE, other, entities=("importer",))
    acts: tuple[Act, ...] = (said_before, *ANSWERED)
    held: tuple[Suppressed, ...] = ()
    reasons = []
    for number in range(30):
        now = NOW + number * FIVE_MINUTES
        scene = a_scene(
            CONFLICT, acts=acts, suppressed=held, now=now, entities={"c": ("importer",)}
        )
        decision = decide(scene, (CONFLICT,), policy=POLICY, autonomy=Autonomy.SUGGEST)
        held = footprints(held, decision, now)
        reasons.append(decision.reason)
        if decision.act:
            break
    # Half an hour of cooldown, then a repetition, for two hours from the first time.
    assert reasons[:6] == [Reason.SUPPRESS_COOLDOWN] * 6
    assert set(reasons[6:-1]) == {Reason.SUPPRESS_TOPIC_REPEAT}
    assert reasons[-1] is Reason.ACT
    assert held == ()


def test_b9_2_a_stale_signal_is_told_again():
    decisions = ticks(always(PENDING), count=12 * 5)
    assert acted(decisions) == [0, 240]
    assert decisions[48].reason is Reason.ACT_STALE_ESCALATED


def test_b9_3_a_confluence_is_said_once():
    decisions = ticks(always(*TOGETHER), count=12 * 3)
    assert acted(decisions) == [0]
    assert decisions[0].reason is Reason.ACT_CONFLUENCE
    later = {decision.reason for decision in decisions[1:]}
    assert later == {Reason.SUPPRESS_COOLDOWN, Reason.SUPPRESS_STALE}


def test_b9_3_a_confluence_of_news_waits_for_the_short_cooldown():
    def more(now: datetime) -> tuple[Signal, ...]:
        again = tuple(
            replace(one, id=f"{one.id}2", memories=a_signal(one.check, f"{one.id}2").memories)
            for one in TOGETHER
        )
        return TOGETHER if now < NOW + 10 * MINUTE else (*TOGETHER, *again)

    assert acted(ticks(more, count=12)) == [0, 30]


def test_b9_6_what_failed_comes_back_at_the_next_tick():
    decisions = ticks(always(PENDING), count=2, state=ActState.FAILED)
    assert [decision.reason for decision in decisions] == [Reason.ACT, Reason.ACT]
    assert decisions[0].fingerprint == decisions[1].fingerprint


def test_b9_6_what_nobody_confirmed_comes_back_after_half_an_hour():
    overdue = a_deadline("x", -DAY)
    decisions = ticks(always(overdue), count=8, state=ActState.PREPARED)
    assert acted(decisions) == [0, 30]


def test_b9_6_what_is_on_its_way_is_not_said_by_a_second_tick():
    scene = a_scene(PENDING)
    first = decide(scene, (PENDING,), policy=POLICY, autonomy=Autonomy.SUGGEST)
    act = prepared(first, scene, "a")
    assert act.state is ActState.PREPARED
    second = decided(PENDING, acts=[act])
    assert (first.act, second.act) == (True, False)


def test_b9_7_a_nudge_does_not_hold_back_signals():
    nudged = an_act(MINUTE, reason=Reason.NUDGE, memory_ids=("p",))
    assert decided(PENDING, acts=[nudged]).reason is Reason.ACT
    greeted = an_act(MINUTE, reason=Reason.FIRST_CONTACT)
    assert decided(PENDING, acts=[greeted]).reason is Reason.ACT
    # The same moment with an act about signals.
    spoke = an_act(MINUTE, a_signal("pending_work", "o"))
    assert decided(PENDING, acts=[spoke]).reason is Reason.SUPPRESS_COOLDOWN


def test_b9_7_a_nudge_is_timed_by_the_clock_it_is_given():
    long_ago = datetime.fromisoformat("1999-06-09T12:00:00+00:00")
    idea = a_memory("idea", created_at=long_ago - DAY, importance=0.6)
    scene = {"memories": {"idea": idea}, "now": long_ago, "messages": ()}
    assert decided(**scene).reason is Reason.NUDGE  # type: ignore[arg-type]
    just = replace(an_act(HOUR, reason=Reason.NUDGE), at=long_ago - HOUR)
    assert decided(acts=[just], **scene).reason is Reason.NO_SIGNALS  # type: ignore[arg-type]


def test_b9_8_the_users_hours_are_counted_on_the_users_clock():
    # Always between nine and two in Tokyo, which is midnight to five in UTC.
    messages = tuple(
        Message(at=NOW.replace(hour=hour) - DAY + minute * MINUTE, session="s")
        for hour in range(5)
        for minute in range(20)
    )
    tokyo = ZoneInfo("Asia/Tokyo")
    at_ten = NOW.replace(hour=1)
    at_four = NOW.replace(hour=7)
    assert decided(PENDING, messages=messages, now=at_ten, zone=tokyo).reason is Reason.ACT
    assert (
        decided(PENDING, messages=messages, now=at_four, zone=tokyo).reason
        is Reason.SUPPRESS_RHYTHM
    )


def test_b9_9_what_heartbeats_said_is_no_signal():
    own = a_memory("h", "You asked about the importer", origin=Origin.HEARTBEAT)
    echo = replace(a_signal("pending_work", "h"), memories=(own,))
    assert decided(echo).reason is Reason.NO_SIGNALS
    with_echo = replace(PENDING, memories=(*PENDING.memories, own))
    decision = decided(with_echo, echo)
    assert decision.fingerprint == decided(PENDING).fingerprint
    assert [one.id for signal in decision.signals for one in signal.memories] == ["p"]


def test_b9_10_an_overdue_plan_backs_off():
    overdue = a_deadline("x", -DAY)
    decisions = ticks(always(overdue), count=12 * 24 * 3)
    assert {one.reason for one in decisions if one.act} == {Reason.ACT_DEADLINE_CRITICAL}
    # Half an hour, doubled each time, then once a day; the night puts it off to seven.
    hours = [minutes / 60 for minutes in acted(decisions)]
    assert hours == [0, 0.5, 1.5, 3.5, 7.5, 19, 43, 67]


def test_b9_10_two_overdue_plans_come_to_one_message():
    one, other = a_deadline("x", -DAY), a_deadline("y", -DAY)

    def both(now: datetime) -> tuple[Signal, ...]:
        return (one,) if now < NOW + 20 * MINUTE else (one, other)

    decisions = ticks(both, count=12 * 24 * 7)
    last_days = [decision for decision in decisions[12 * 24 * 3 :] if decision.act]
    assert len(last_days) == 4
    assert all(len(decision.signals) == 2 for decision in last_days)


def test_b9_11_a_first_contact_is_made_once():
    decisions = ticks(always(), count=12 * 24, store_size=0)
    assert acted(decisions) == []
    fresh = decided(store_size=0)
    assert fresh.reason is Reason.FIRST_CONTACT
    for state in (ActState.DELIVERED, ActState.PREPARED):
        greeted = an_act(30 * DAY, reason=Reason.FIRST_CONTACT, state=state)
        assert not decided(acts=[greeted], store_size=0).act
    assert not decided(store_size=0, last_state=State(at=NOW - 400 * DAY, memories=0)).act
    unheard = an_act(MINUTE, reason=Reason.FIRST_CONTACT, state=ActState.FAILED)
    assert decided(acts=[unheard], store_size=0).reason is Reason.FIRST_CONTACT


def test_b9_12_a_tick_beside_another_finds_its_act():
    scene = a_scene(CONFLICT, PENDING, messages=(said(HOUR),))
    signals = (CONFLICT, PENDING)
    first = decide(scene, signals, policy=POLICY, autonomy=Autonomy.SUGGEST)
    beside = replace(
        scene, acts=(prepared(first, scene, "a"),), now=scene.now + timedelta(milliseconds=1)
    )
    second = decide(beside, signals, policy=POLICY, autonomy=Autonomy.SUGGEST)
    assert (first.act, second.act) == (True, False)


def test_who_talks_all_day_and_sleeps_all_night_hears_of_small_things_too():
    """Held back while talking by day and by the rhythm at all other hours, it passes on the
    second day."""
    begin = NOW - 14 * DAY
    messages = tuple(
        Message(at=begin.replace(hour=9) + number * DAY + minute * MINUTE, session="s")
        for number in range(20)
        for minute in range(0, 9 * 60, 10)
    )
    acts: tuple[Act, ...] = ANSWERED
    held: tuple[Suppressed, ...] = ()
    reasons = []
    for number in range(12 * 48):
        now = NOW + number * FIVE_MINUTES
        said_so_far = tuple(one for one in messages if one.at <= now)
        scene = a_scene(PENDING, acts=acts, suppressed=held, now=now, messages=said_so_far)
        decision = decide(scene, (PENDING,), policy=POLICY, autonomy=Autonomy.SUGGEST)
        held = footprints(held, decision, now)
        reasons.append(decision.reason)
        if decision.act:
            break
    assert set(reasons[:-1]) >= {Reason.SUPPRESS_CONVERSATION_LOW, Reason.SUPPRESS_RHYTHM}
    assert reasons[-1] is Reason.ACT
    assert DAY <= len(reasons) * FIVE_MINUTES <= DAY + 7 * HOUR
