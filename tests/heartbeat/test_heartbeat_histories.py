"""What holds for any history: the caps, the windows, and that a decision is a function."""

import itertools
from collections import Counter
from dataclasses import replace
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from hypothesis import given, settings
from hypothesis import strategies as st

from recalld.heartbeat import fingerprint
from recalld.heartbeat.acts import answered, footprints, prepared, topics
from recalld.heartbeat.decide import decide
from recalld.heartbeat.model import (
    ACTS,
    ENRICHED,
    Act,
    ActState,
    Autonomy,
    Decision,
    Message,
    Reason,
    Signal,
    Snapshot,
    Suppressed,
    Tier,
)
from recalld.heartbeat.periods import day
from recalld.heartbeat.policy import HeartbeatPolicy, QuietPolicy
from support.heartbeat_scene import TIERS, a_deadline, a_scene, a_signal, an_act, said
from support.snapshots import DAY, HOUR, MINUTE, NOW

ZONES = ("UTC", "Asia/Tokyo", "America/St_Johns", "Europe/Berlin")
NAMES = tuple("abcde")

ago = st.integers(-90, 14 * 24 * 60).map(lambda minutes: minutes * MINUTE)


@st.composite
def some_signal(draw: st.DrawFn) -> Signal:
    check = draw(st.sampled_from(list(TIERS)))
    name = draw(st.sampled_from(("", *NAMES)))
    tier = draw(st.sampled_from([TIERS[check], *Tier]))
    if check == "deadlines" and name:
        return a_deadline(name, draw(st.integers(-50, 24)) * HOUR / 2, tier=tier)
    detail = {"due_at": (NOW - draw(ago)).isoformat()} if check == "scheduled" else {}
    return a_signal(check, name, tier=tier, detail=detail)


signal_sets = st.lists(some_signal(), max_size=6).map(tuple)


@st.composite
def some_act(draw: st.DrawFn) -> Act:
    signals = draw(signal_sets)
    reasons = sorted(ENRICHED if signals else ACTS - ENRICHED)
    named = draw(st.booleans())
    act = an_act(
        draw(ago),
        *signals,
        reason=draw(st.sampled_from(reasons)),
        state=draw(st.sampled_from(ActState)),
        attempts=draw(st.integers(0, 4)),
        entities=tuple(draw(st.lists(st.sampled_from(NAMES), max_size=3))),
    )
    return act if named else replace(act, signal_ids=())


histories = st.lists(some_act(), max_size=8).map(
    lambda acts: tuple(sorted(acts, key=lambda act: act.at, reverse=True))
)


@st.composite
def some_policy(draw: st.DrawFn) -> HeartbeatPolicy:
    start, end = (f"{draw(st.integers(0, 23)):02}:{draw(st.integers(0, 59)):02}" for _ in "ab")
    return HeartbeatPolicy(
        max_messages_per_day=draw(st.integers(0, 14)),
        quiet=QuietPolicy(enabled=draw(st.booleans()), start=start, end=end),
    )


@st.composite
def some_scene(draw: st.DrawFn) -> tuple[Snapshot, tuple[Signal, ...]]:
    signals = draw(signal_sets)
    held = [
        Suppressed(
            fingerprint=fingerprint.of(draw(signal_sets)),
            first_at=NOW - draw(ago),
            reason=draw(st.sampled_from(Reason)),
        )
        for _ in range(draw(st.integers(0, 3)))
    ]
    spoken = sorted((said(one) for one in draw(st.lists(ago, max_size=5))), key=lambda m: m.at)
    return a_scene(
        *signals,
        acts=draw(histories),
        now=NOW + draw(st.integers(0, 24 * 60)) * MINUTE,
        zone=ZoneInfo(draw(st.sampled_from(ZONES))),
        messages=tuple(spoken),
        suppressed=tuple(held),
        store_size=draw(st.sampled_from([0, 4, 5, 50])),
        in_conversation=draw(st.booleans()),
        snoozed={name: NOW + draw(ago) for name in draw(st.sets(st.sampled_from(NAMES)))},
        surfaced={name: NOW - draw(ago) for name in draw(st.sets(st.sampled_from(NAMES)))},
        topic_surfacings=dict.fromkeys(
            draw(st.sets(st.sampled_from(NAMES))), draw(st.integers(0, 12))
        ),
    ), signals


policies = some_policy()
autonomies = st.sampled_from(Autonomy)


@settings(deadline=None)
@given(some_scene(), policies, autonomies, st.booleans())
def test_a_decision_is_a_function_and_always_whole(scene, policy, autonomy, only):
    snapshot, signals = scene
    decision = decide(snapshot, signals, policy=policy, autonomy=autonomy, signals_only=only)
    assert decision == decide(
        snapshot, signals, policy=policy, autonomy=autonomy, signals_only=only
    )
    assert decision.act is (decision.reason in ACTS)
    assert (decision.nudge is not None) is (decision.reason is Reason.NUDGE)
    assert (decision.reason in ENRICHED) <= bool(decision.signals)
    assert decision.reason is not Reason.SUPPRESS_LLM
    if decision.act:
        assert decision.fingerprint == fingerprint.of(decision.signals)
        assert decision.tier == min((one.tier for one in decision.signals), default=None)
    names = [one.id for one in decision.signals]
    assert len(names) == len(set(names))
    assert set(names) <= {one.id for one in signals}
    assert not only or not decision.act


@settings(deadline=None)
@given(some_scene(), policies, autonomies, st.randoms(use_true_random=False))
def test_the_order_of_the_signals_changes_nothing_but_their_order(scene, policy, autonomy, draw):
    snapshot, signals = scene
    # Of two with one id the more urgent counts, of two alike the first.
    unique = list({one.id: one for one in signals}.values())
    mixed = draw.sample(unique, len(unique))
    one, other = (
        decide(snapshot, some, policy=policy, autonomy=autonomy) for some in (unique, mixed)
    )
    assert (one.reason, one.fingerprint, one.tier) == (other.reason, other.fingerprint, other.tier)
    assert sorted(a.id for a in one.signals) == sorted(b.id for b in other.signals)


@settings(deadline=None)
@given(some_scene(), policies, autonomies)
def test_no_act_exceeds_the_day_whatever_was_said_before(scene, policy, autonomy):
    snapshot, signals = scene
    today = day(snapshot.now, snapshot.zone)
    seen = sum(
        day(act.at, snapshot.zone) == today and act.state is not ActState.FAILED
        for act in snapshot.acts
    )
    decision = decide(snapshot, signals, policy=policy, autonomy=autonomy)
    assert not decision.act or seen < policy.max_messages_per_day


@settings(deadline=None)
@given(some_scene(), policies, autonomies)
def test_nothing_said_within_half_an_hour_is_said_again(scene, policy, autonomy):
    snapshot, signals = scene
    decision = decide(snapshot, signals, policy=policy, autonomy=autonomy)
    if decision.reason not in ENRICHED:
        return
    recent = [
        act
        for act in snapshot.acts
        if act.state is not ActState.FAILED
        and act.reason in ENRICHED
        and timedelta(0) <= snapshot.now - act.at < 30 * MINUTE
    ]
    assert decision.fingerprint not in {act.fingerprint for act in recent}
    told = {name for act in recent for name in act.signal_ids}
    assert not told & {one.id for one in decision.signals}


steps = st.lists(
    st.tuples(
        st.integers(1, 6 * 60),
        signal_sets,
        st.sampled_from([ActState.DELIVERED] * 3 + [ActState.FAILED, ActState.PREPARED]),
        st.booleans(),
    ),
    min_size=5,
    max_size=40,
)


def lived(steps, policy: HeartbeatPolicy, autonomy: Autonomy, zone: ZoneInfo):
    """Ticks one after the other, each with what those before left: when, decision, act."""
    now = NOW
    acts: tuple[Act, ...] = ()
    held: tuple[Suppressed, ...] = ()
    counts: Counter[str] = Counter()
    surfaced: dict[str, datetime] = {}
    messages: list[Message] = []
    for number, (minutes, signals, state, speaks) in enumerate(steps):
        now += minutes * MINUTE
        if speaks:
            messages.append(Message(at=now, session="s"))
            acts = answered(acts, now)
            counts.clear()
        snapshot = a_scene(
            *signals,
            acts=acts,
            suppressed=held,
            now=now,
            zone=zone,
            messages=tuple(messages),
            surfaced=surfaced,
            topic_surfacings=counts,
        )
        decision = decide(snapshot, signals, policy=policy, autonomy=autonomy)
        held = footprints(held, decision, now)
        act = None
        if decision.act:
            act = replace(prepared(decision, snapshot, f"{number}"), state=state)
            acts = (act, *acts)
            if state is ActState.DELIVERED:
                counts.update(topics(decision))
                surfaced = surfaced | dict.fromkeys(act.memory_ids, now)
        yield now, decision, act


@settings(max_examples=60, deadline=None)
@given(steps, policies, autonomies, st.sampled_from(ZONES))
def test_any_life_has_its_caps_and_its_windows(steps, policy, autonomy, name):
    zone = ZoneInfo(name)
    heard: list[tuple[Decision, Act]] = [
        (decision, act)
        for _, decision, act in lived(steps, policy, autonomy, zone)
        if act is not None and act.state is not ActState.FAILED
    ]
    days = Counter(day(act.at, zone) for _, act in heard)
    assert all(count <= policy.max_messages_per_day for count in days.values())
    prints: dict[str, list[Act]] = {}
    for decision, act in heard:
        if decision.reason in ENRICHED:
            prints.setdefault(act.fingerprint, []).append(act)
    for same in prints.values():
        for one, other in itertools.pairwise(same):
            assert other.at - one.at >= 30 * MINUTE


@settings(max_examples=40, deadline=None)
@given(signal_sets.filter(bool), autonomies, st.integers(5, 30))
def test_what_is_due_is_always_told_again(signals, autonomy, minutes):
    """Whatever else there is, and as long as the user says something now and then: an overdue
    plan is never silent for more than a day and a night."""
    due = a_deadline("due", -DAY)
    found = (due, *(one for one in signals if one.id != due.id))
    steps = [
        (minutes, found, ActState.DELIVERED, number % 12 == 0)
        for number in range(4 * 24 * 60 // minutes)
    ]
    policy = HeartbeatPolicy(quiet=QuietPolicy(enabled=True), max_messages_per_day=12)
    last = NOW
    for now, _, act in lived(steps, policy, autonomy, ZoneInfo("UTC")):
        if act is not None and due.id in act.signal_ids:
            last = now
        assert now - last <= 34 * HOUR + minutes * MINUTE
