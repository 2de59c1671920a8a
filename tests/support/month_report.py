"""A month of ticks as a picture: a row for each day, a sign for each half hour."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime

from recalld.heartbeat.model import ActState, Reason
from support.heartbeat_month import Tick
from support.month_world import AWAY, FIRST, ZONE

HALF_HOURS = 48
# The sign of each reason; what stands first wins where a half hour has several.
SIGNS = {
    Reason.ACT_DEADLINE_CRITICAL: ("D", "said: a deadline, near or past"),
    Reason.ACT: ("A", "said: something new, or due"),
    Reason.ACT_CONFLUENCE: ("C", "said: small things together"),
    Reason.ACT_STALE_ESCALATED: ("E", "said: once more, after a rest"),
    Reason.NUDGE: ("N", "said: a nudge"),
    Reason.FIRST_CONTACT: ("F", "said: a first contact"),
    Reason.DELIVERY_SUSPENDED: ("!", "kept: delivery rests after failures"),
    Reason.SUPPRESS_DAILY_CAP: ("#", "kept: the day's messages are used up"),
    Reason.SUPPRESS_CONVERSATION_LOW: ("t", "kept: the user is talking"),
    Reason.SUPPRESS_TIME_PERIOD: ("q", "kept: not at this time of day"),
    Reason.SUPPRESS_RHYTHM: ("r", "kept: the user is never there at this hour"),
    Reason.SUPPRESS_TOPIC_REPEAT: ("p", "kept: the same topic was just told"),
    Reason.SUPPRESS_COOLDOWN: ("c", "kept: too soon after another"),
    Reason.SUPPRESS_STALE: ("s", "kept: told already"),
    Reason.SUPPRESS_SNOOZED: ("z", "kept: put off by the user"),
    Reason.SUPPRESS_LOW_NO_CONFLUENCE: ("l", "kept: too little"),
    Reason.SUPPRESS_NUDGE_CAP: ("k", "kept: enough nudges today"),
    Reason.SUPPRESS_NUDGE_BACKOFF: ("b", "kept: a nudge too soon"),
    Reason.NO_SIGNALS: (".", "nothing to say"),
}
FAILED = "x"


def report(ticks: Sequence[Tick]) -> str:
    """The strip, the legend, the counts, and every message."""
    return "\n".join([*_strip(ticks), "", *_legend(), "", *_counts(ticks), "", *_messages(ticks)])


def _strip(ticks: Sequence[Tick]) -> Iterator[str]:
    yield f"{'':17}" + "".join(f"{hour:<4}" for hour in range(0, 24, 2))
    for day, rows in _days(ticks):
        signs: dict[int, set[str]] = defaultdict(set)
        for tick in rows:
            local = tick.at.astimezone(ZONE)
            signs[local.hour * 2 + local.minute // 30].add(_sign(tick))
        said = [tick for tick in rows if tick.act is not None]
        heard = sum(one.act is not None and one.act.state is ActState.DELIVERED for one in said)
        strip = "".join(_best(signs[half]) for half in range(HALF_HOURS))
        away = "  away" if (day - FIRST).days in AWAY else ""
        yield f"{day:%a %Y-%m-%d}  |{strip}| {heard:2} said{away}"


def _days(ticks: Sequence[Tick]) -> Iterator[tuple[date, list[Tick]]]:
    days: dict[date, list[Tick]] = defaultdict(list)
    for tick in ticks:
        days[tick.at.astimezone(ZONE).date()].append(tick)
    yield from sorted(days.items())


def _sign(tick: Tick) -> str:
    if tick.act is not None and tick.act.state is ActState.FAILED:
        return FAILED
    return SIGNS[tick.decision.reason][0]


def _best(signs: Iterable[str]) -> str:
    order = [FAILED, *(sign for sign, _ in SIGNS.values())]
    return min(signs, key=order.index, default=" ")


def _legend() -> Iterator[str]:
    yield f"  {FAILED}  said, and the delivery failed"
    for sign, meaning in SIGNS.values():
        yield f"  {sign}  {meaning}"


def _counts(ticks: Sequence[Tick]) -> Iterator[str]:
    counted = Counter(tick.decision.reason for tick in ticks)
    for reason, count in counted.most_common():
        yield f"  {count:6}  {reason}"
    yield f"  {len(ticks):6}  ticks"


def _messages(ticks: Sequence[Tick]) -> Iterator[str]:
    for tick in ticks:
        if tick.act is None:
            continue
        decision = tick.decision
        what = [signal.id for signal in decision.signals]
        what += [] if decision.nudge is None else [f"nudge:{decision.nudge.id}"]
        failed = " FAILED" if tick.act.state is ActState.FAILED else ""
        level = f"level {decision.escalation}"
        yield f"{_local(tick.at)}  {decision.reason}{failed}, {level}: {', '.join(what)}"


def _local(moment: datetime) -> str:
    return f"{moment.astimezone(ZONE):%a %m-%d %H:%M}"
