"""Every reason of a decision is reached, by the step that it belongs to."""

from dataclasses import dataclass, field, replace
from datetime import timedelta

import pytest

from recalld.heartbeat import fingerprint
from recalld.heartbeat.model import (
    ACTS,
    ActState,
    Autonomy,
    Cooldown,
    Message,
    Period,
    Reason,
    Signal,
    Suppressed,
    Tier,
)
from recalld.heartbeat.policy import HeartbeatPolicy, QuietPolicy
from support.heartbeat_scene import (
    POLICY,
    a_deadline,
    a_signal,
    an_act,
    at_hour,
    decided,
    said,
)
from support.snapshots import DAY, HOUR, MINUTE, NOW, a_memory

PENDING = a_signal("pending_work", "p")
OTHER = a_signal("pending_work", "o")
CONFLICT = a_signal("conflicts", "c")
FADING = a_signal("decaying", "d")
OVERDUE = a_deadline("x", -HOUR)
SOON = a_deadline("x", 59 * MINUTE)
TOMORROW = a_deadline("x", 20 * HOUR)
# Four kinds of normal news: 12, what suggest asks for.
TOGETHER = (
    PENDING,
    a_signal("goal_progress", "g"),
    a_signal("knowledge_gaps", "k"),
    a_signal("positive_deltas", "v"),
)
AT_NOON = HeartbeatPolicy(
    timezone="UTC", quiet=QuietPolicy(enabled=True, start="11:00", end="13:00")
)
IDEA = a_memory("idea", "Try the new parser", importance=0.6, created_at=NOW - 30 * DAY)
# A hundred messages between four and nine in the morning.
EARLY_BIRD = tuple(
    Message(at=NOW - DAY - (3 + hour) * HOUR - minute * MINUTE, session="s")
    for hour in range(5)
    for minute in range(20)
)


def a_nudge(ago: timedelta, **changes: object):
    return an_act(ago, reason=Reason.NUDGE, **changes)


def failed(*ago: timedelta):
    return tuple(an_act(one, OTHER, state=ActState.FAILED) for one in ago)


@dataclass(frozen=True, kw_only=True)
class Case:
    reason: Reason
    signals: tuple[Signal, ...] = ()
    scene: dict[str, object] = field(default_factory=dict)
    asked: dict[str, bool] = field(default_factory=dict)
    policy: HeartbeatPolicy = POLICY
    autonomy: Autonomy = Autonomy.SUGGEST


def act(reason: Reason, *signals: Signal, **scene: object) -> Case:
    return Case(reason=reason, signals=signals, scene=scene)


def still(reason: Reason, **scene: object) -> Case:
    """No signals, one memory to speak of, and nobody has spoken for a day."""
    usual = {"memories": {IDEA.id: IDEA}, "messages": (said(DAY),)}
    return Case(reason=reason, scene={**usual, **scene})


CASES = {
    # 0
    "a store of four": act(Reason.FIRST_CONTACT, OVERDUE, store_size=4),
    "a store of five": act(Reason.NO_SIGNALS, store_size=5),
    "a store of four in quiet hours": Case(
        reason=Reason.NO_SIGNALS, scene={"store_size": 4}, policy=AT_NOON
    ),
    # 1
    "overdue": act(Reason.ACT_DEADLINE_CRITICAL, OVERDUE),
    "due in 59 minutes": act(Reason.ACT_DEADLINE_CRITICAL, SOON),
    "due in an hour": act(Reason.ACT, a_deadline("x", HOUR)),
    "due within the hour in quiet hours": Case(
        reason=Reason.ACT_DEADLINE_CRITICAL, signals=(SOON,), policy=AT_NOON
    ),
    "due within the hour while talking": act(
        Reason.ACT_DEADLINE_CRITICAL, SOON, in_conversation=True
    ),
    "overdue and marked as less urgent": act(
        Reason.ACT, replace(OVERDUE, tier=Tier.ELEVATED), acts=()
    ),
    # 2
    "low in the evening": act(Reason.SUPPRESS_TIME_PERIOD, FADING, now=at_hour(17)),
    "normal in the evening": act(Reason.ACT, PENDING, now=at_hour(17)),
    "normal late": act(Reason.SUPPRESS_TIME_PERIOD, PENDING, now=at_hour(21)),
    "elevated late": act(Reason.ACT, CONFLICT, now=at_hour(21)),
    "elevated in quiet hours": Case(
        reason=Reason.SUPPRESS_TIME_PERIOD, signals=(CONFLICT,), policy=AT_NOON
    ),
    # 2b
    "normal at an hour when nobody is there": act(
        Reason.SUPPRESS_RHYTHM, PENDING, messages=EARLY_BIRD
    ),
    "elevated at an hour when nobody is there": act(Reason.ACT, CONFLICT, messages=EARLY_BIRD),
    # 3, 4
    "normal while talking": act(Reason.SUPPRESS_CONVERSATION_LOW, PENDING, in_conversation=True),
    "normal 14 minutes after a message": act(
        Reason.SUPPRESS_CONVERSATION_LOW, PENDING, messages=(said(14 * MINUTE),)
    ),
    "normal 15 minutes after a message": act(Reason.ACT, PENDING, messages=(said(15 * MINUTE),)),
    "normal where the host says so": Case(
        reason=Reason.SUPPRESS_CONVERSATION_LOW,
        signals=(PENDING,),
        asked={"in_conversation": True},
    ),
    "elevated while talking": act(Reason.ACT, CONFLICT, in_conversation=True),
    "much that is new while talking": act(
        Reason.ACT, PENDING, a_signal("memory_velocity"), in_conversation=True
    ),
    "nothing while talking": still(Reason.NO_SIGNALS, in_conversation=True),
    # The nudge path
    "nothing for a day": still(Reason.NUDGE),
    "nothing, and nothing to speak of": still(Reason.NO_SIGNALS, memories={}),
    "nothing in the evening": still(Reason.NO_SIGNALS, now=at_hour(17)),
    "nothing for three hours": still(Reason.NO_SIGNALS, messages=(said(3 * HOUR),)),
    "three nudges today": still(
        Reason.SUPPRESS_NUDGE_CAP, acts=[a_nudge(one * HOUR) for one in (9, 10, 11)]
    ),
    "a nudge seven hours ago": still(Reason.SUPPRESS_NUDGE_BACKOFF, acts=[a_nudge(7 * HOUR)]),
    "a nudge eight hours ago": still(Reason.NUDGE, acts=[a_nudge(8 * HOUR)]),
    "only what fades, for a day": act(
        Reason.NUDGE, FADING, messages=(said(DAY),), memories={IDEA.id: IDEA}
    ),
    # 8
    "immediate": act(Reason.ACT, TOMORROW),
    "immediate, told 29 minutes ago": act(
        Reason.SUPPRESS_STALE, TOMORROW, acts=[an_act(29 * MINUTE, TOMORROW)]
    ),
    "immediate, told 30 minutes ago": act(
        Reason.ACT, TOMORROW, acts=[an_act(30 * MINUTE, TOMORROW)]
    ),
    "immediate, told by a tick that named nothing": act(
        Reason.SUPPRESS_STALE, TOMORROW, acts=[an_act(29 * MINUTE, TOMORROW, signal_ids=())]
    ),
    # 9
    "normal things together, within the cooldown": act(
        Reason.ACT_CONFLUENCE, *TOGETHER, acts=[an_act(30 * MINUTE, OTHER)]
    ),
    "normal things together, within the short cooldown": act(
        Reason.SUPPRESS_COOLDOWN, *TOGETHER, acts=[an_act(29 * MINUTE, OTHER)]
    ),
    "an elevated one among them": act(
        Reason.ACT, *TOGETHER, CONFLICT, acts=[an_act(30 * MINUTE, OTHER)]
    ),
    # 9b
    "low alone": act(Reason.SUPPRESS_LOW_NO_CONFLUENCE, FADING),
    # 11
    "normal within two hours of another act": act(
        Reason.SUPPRESS_COOLDOWN, PENDING, acts=[an_act(119 * MINUTE, OTHER)]
    ),
    "normal two hours after another act": act(Reason.ACT, PENDING, acts=[an_act(2 * HOUR, OTHER)]),
    # 12
    "normal, told two hours ago": act(
        Reason.SUPPRESS_STALE, PENDING, acts=[an_act(2 * HOUR, PENDING)]
    ),
    "normal, told four hours ago": act(
        Reason.ACT_STALE_ESCALATED, PENDING, acts=[an_act(4 * HOUR, PENDING)]
    ),
    "normal, told four hours ago by a tick that named nothing": act(
        Reason.ACT_STALE_ESCALATED, PENDING, acts=[an_act(4 * HOUR, PENDING, signal_ids=())]
    ),
    "elevated, told four hours ago, while talking": act(
        Reason.SUPPRESS_STALE,
        CONFLICT,
        acts=[an_act(4 * HOUR, CONFLICT)],
        in_conversation=True,
    ),
    # 13
    "the same words under another name": act(
        Reason.SUPPRESS_TOPIC_REPEAT,
        CONFLICT,
        acts=[an_act(31 * MINUTE, OTHER, summary_hash=fingerprint.summary_hash([CONFLICT]))],
    ),
    "held back as a repetition an hour ago": act(
        Reason.SUPPRESS_TOPIC_REPEAT,
        CONFLICT,
        suppressed=(
            Suppressed(
                fingerprint=fingerprint.of([CONFLICT]),
                first_at=NOW - HOUR,
                reason=Reason.SUPPRESS_TOPIC_REPEAT,
            ),
        ),
    ),
    # 14
    "normal": act(Reason.ACT, PENDING),
    # The user and the limits
    "put off": act(Reason.SUPPRESS_SNOOZED, OVERDUE, snoozed={"x": NOW + MINUTE}),
    "no longer put off": act(Reason.ACT_DEADLINE_CRITICAL, OVERDUE, snoozed={"x": NOW}),
    "the day's messages are used up": Case(
        reason=Reason.SUPPRESS_DAILY_CAP,
        signals=(OVERDUE,),
        scene={"acts": [an_act(HOUR, OTHER), an_act(2 * HOUR, OTHER)]},
        policy=HeartbeatPolicy(max_messages_per_day=2),
    ),
    "no messages at all": Case(
        reason=Reason.SUPPRESS_DAILY_CAP,
        signals=(OVERDUE,),
        policy=HeartbeatPolicy(max_messages_per_day=0),
    ),
    "three failed deliveries": act(
        Reason.DELIVERY_SUSPENDED, PENDING, acts=failed(59 * MINUTE, 2 * HOUR, 3 * HOUR)
    ),
    "three failed deliveries, an hour ago": act(
        Reason.ACT, PENDING, acts=failed(HOUR, 2 * HOUR, 3 * HOUR)
    ),
    "three failed deliveries and a deadline": act(
        Reason.ACT_DEADLINE_CRITICAL, OVERDUE, acts=failed(MINUTE, 2 * HOUR, 3 * HOUR)
    ),
    "three failed deliveries and a host that asks": Case(
        reason=Reason.ACT,
        signals=(PENDING,),
        scene={"acts": failed(MINUTE, 2 * HOUR, 3 * HOUR)},
        asked={"delivers": False},
    ),
    "only the signals": Case(
        reason=Reason.SIGNALS_ONLY, signals=(OVERDUE,), asked={"signals_only": True}
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_b3_a_scene_has_its_reason(case: Case):
    decision = decided(
        *case.signals,
        policy=case.policy,
        autonomy=case.autonomy,
        asked=case.asked,
        **case.scene,  # type: ignore[arg-type]
    )
    assert decision.reason is case.reason
    assert decision.act is (case.reason in ACTS)
    assert (decision.nudge is not None) is (case.reason is Reason.NUDGE)


def test_b3_every_reason_of_a_decision_has_a_scene():
    # A language model is asked after the decision.
    assert {case.reason for case in CASES.values()} == set(Reason) - {Reason.SUPPRESS_LLM}


@pytest.mark.parametrize(
    ("autonomy", "signals", "reason"),
    [
        # 8, 12 and 20 together: act needs 8, suggest 12, observe 20.
        (Autonomy.ACT, TOGETHER[:3], Reason.ACT_CONFLUENCE),
        (Autonomy.SUGGEST, TOGETHER[:3], Reason.SUPPRESS_COOLDOWN),
        (Autonomy.SUGGEST, TOGETHER, Reason.ACT_CONFLUENCE),
        (Autonomy.OBSERVE, TOGETHER, Reason.SUPPRESS_COOLDOWN),
    ],
)
def test_b4_how_much_must_come_together_depends_on_the_autonomy(autonomy, signals, reason):
    short = {Autonomy.ACT: 16, Autonomy.SUGGEST: 31, Autonomy.OBSERVE: 121}[autonomy] * MINUTE
    assert decided(*signals, acts=[an_act(short, OTHER)], autonomy=autonomy).reason is reason


@pytest.mark.parametrize(
    ("tier", "signal", "minutes"),
    [
        (Autonomy.OBSERVE, PENDING, 240),
        (Autonomy.OBSERVE, CONFLICT, 120),
        (Autonomy.SUGGEST, PENDING, 120),
        (Autonomy.SUGGEST, CONFLICT, 30),
        (Autonomy.ACT, PENDING, 30),
        (Autonomy.ACT, CONFLICT, 15),
    ],
)
def test_b4_a_cooldown_is_as_long_as_autonomy_and_tier_say(tier, signal, minutes):
    short, over = (minutes * MINUTE - MINUTE, minutes * MINUTE)
    last = [an_act(one, OTHER) for one in (short, over)]
    assert decided(signal, acts=last[:1], autonomy=tier).reason is Reason.SUPPRESS_COOLDOWN
    assert decided(signal, acts=last[1:], autonomy=tier).reason is Reason.ACT


@pytest.mark.parametrize(
    ("hour", "minutes"), [(7, 60), (9, 60), (10, 120), (16, 120), (17, 180), (20, 180)]
)
def test_b2_a_cooldown_is_shorter_in_the_morning_and_longer_in_the_evening(hour, minutes):
    now = at_hour(hour)
    for ago, reason in ((minutes - 1, Reason.SUPPRESS_COOLDOWN), (minutes, Reason.ACT)):
        last = an_act(NOW - now + ago * MINUTE, OTHER)
        assert decided(PENDING, acts=[last], now=now).reason is reason


def test_b3_a_cooldown_is_twice_as_long_for_a_user_who_never_answers():
    ignored = [an_act(one * DAY, OTHER) for one in (1, 2, 3)]
    for minutes, reason in ((239, Reason.SUPPRESS_COOLDOWN), (240, Reason.ACT)):
        acts = [an_act(minutes * MINUTE, OTHER), *ignored]
        decision = decided(PENDING, acts=acts)
        assert (decision.reason, decision.response_rate) == (reason, 0.0)


@pytest.mark.parametrize(
    ("signals", "acts", "state"),
    [
        ((OVERDUE,), [an_act(MINUTE, OTHER)], Cooldown.BYPASSED),
        (TOGETHER, [an_act(31 * MINUTE, OTHER)], Cooldown.BYPASSED),
        (TOGETHER, [], Cooldown.EXPIRED),
        ((PENDING,), [an_act(MINUTE, OTHER)], Cooldown.ACTIVE),
        ((PENDING,), [an_act(2 * HOUR, OTHER)], Cooldown.EXPIRED),
        ((), [an_act(MINUTE, OTHER)], Cooldown.ACTIVE),
        ((), [], Cooldown.EXPIRED),
    ],
)
def test_b3_the_state_of_the_cooldown_is_told(signals, acts, state):
    assert decided(*signals, acts=acts).cooldown is state


def test_a_decision_tells_what_it_saw():
    decision = decided(FADING, PENDING, OVERDUE, topic_surfacings={"x": 2, "p": 5})
    assert decision.tier is Tier.IMMEDIATE
    assert [one.id for one in decision.signals] == ["deadlines:x", "pending_work:p", "decaying:d"]
    assert decision.fingerprint == fingerprint.of(decision.signals)
    assert (decision.confluence, decision.period) == (14.0, Period.WORKING)
    # The topic of the most urgent one, this time included.
    assert decision.escalation == 3


def test_an_act_leaves_out_what_may_not_pass_now():
    talking = decided(CONFLICT, PENDING, FADING, in_conversation=True)
    assert [one.id for one in talking.signals] == [CONFLICT.id]
    evening = decided(CONFLICT, PENDING, FADING, now=at_hour(18))
    assert [one.id for one in evening.signals] == [CONFLICT.id, PENDING.id]


def test_what_is_held_back_is_told_whole():
    decision = decided(PENDING, FADING, in_conversation=True)
    assert not decision.act
    assert [one.id for one in decision.signals] == [PENDING.id, FADING.id]


def test_what_rests_does_not_hide_what_does_not():
    overdue = a_deadline("x", -DAY)
    told = [an_act((4 + one) * HOUR, overdue) for one in range(5)]
    decision = decided(overdue, PENDING, acts=told)
    assert decision.reason is Reason.ACT
    assert [one.id for one in decision.signals] == [PENDING.id]
    assert decision.tier is Tier.NORMAL
