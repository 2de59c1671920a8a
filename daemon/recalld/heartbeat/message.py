"""What is said to the user, or to the agent that speaks to the user. Pure.

In the language of what it tells: labels are Chinese where most of that is, or half of it and the
foremost.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from recalld.heartbeat.escape import LINE_CHARS, line, tagless
from recalld.heartbeat.labels import (
    CHECK_NAMES,
    LABELS,
    MODES,
    OTHER,
    PERIODS,
    URGENCIES,
    VOICES,
    tone,
)
from recalld.heartbeat.model import Decision, Signal
from recalld.heartbeat.telling import (
    BRIEF_CHARS,
    MAX_ACTIONS,
    SPOKEN_CHARS,
    Telling,
    bullets,
    clock,
    distinct,
    related_bullets,
    said_once,
    shown,
    total,
)
from recalld.heartbeat.urgency import Urgency, least
from recalld.heartbeat.wording import Phrase, prefers_chinese
from recalld.text.language import is_cjk

SUMMARY_CHARS = 500
BULLET_CHARS = 120
MAX_DELTAS = 3
# What "… and N more" may take.
_REST_CHARS = 24
DELTAS = "positive_deltas"
VELOCITY = "memory_velocity"


def message(telling: Telling) -> str:
    """The whole text; empty: say nothing. It begins with a bracket and has no angle brackets.

    With an analysis: urgency and brief, actions, what to tell the user, urgency and mode. Without
    one: what is foremost, urgency, tone, what has changed, a summary of at most 500 characters of
    all signals where there is more than the foremost, what of the past is related, the time.
    """
    if not telling.speaks:
        return ""
    lines = _analysed if telling.analysis is not None else _unanalysed
    return "\n".join(lines(telling, _Words(chinese=_is_chinese(telling))))


@dataclass(frozen=True, slots=True)
class _Words:
    """Labels of one language."""

    chinese: bool

    def of(self, phrase: Phrase, *values: object) -> str:
        return phrase[int(self.chinese)].format(*values)

    def label(self, name: str, *values: object) -> str:
        return self.of(LABELS[name], *values)

    def check(self, name: str) -> str:
        return self.of(CHECK_NAMES.get(name, OTHER))


def _analysed(telling: Telling, words: _Words) -> Iterator[str]:
    asked = telling.analysis
    if asked is None:
        return
    urgency = words.of(URGENCIES[Urgency(asked.urgency)])
    yield f"[{urgency.upper()}] {line(asked.action_brief, BRIEF_CHARS, sign=tagless)}"
    actions = list(bullets(asked.recommended_actions, most=MAX_ACTIONS, sign=tagless))
    yield from [words.label("actions"), *actions] if actions else []
    spoken = line(asked.user_facing, SPOKEN_CHARS, sign=tagless)
    yield from [words.label("tell", spoken)] if spoken else []
    yield words.label("last", urgency, words.of(MODES[asked.autonomy]))


def _unanalysed(telling: Telling, words: _Words) -> Iterator[str]:
    decision = telling.decision
    signals = distinct(decision.signals)
    foremost = _foremost(signals)
    others = [signal for signal in signals if signal is not foremost]
    yield _first_line(decision, foremost, words)
    yield words.label("urgency", words.of(URGENCIES[least(decision)]))
    how = words.of(tone(decision.escalation))
    yield words.label("tone", how, words.of(VOICES[telling.autonomy]))
    yield from (_titled(one) for one in others if one.check == VELOCITY)
    yield from (f"[+] {_titled(one)}" for one in _of(others, DELTAS)[:MAX_DELTAS])
    if total(signals) > 1:
        yield from [words.label("signals"), *_summary(signals, words)]
    past = said_once(telling.related)
    related = list(related_bullets(past, decision.signals, sign=tagless, chinese=words.chinese))
    yield from [words.label("linked"), *related] if related else []
    yield words.label("time", clock(telling.snapshot), words.of(PERIODS[decision.period]))


def _first_line(decision: Decision, foremost: Signal | None, words: _Words) -> str:
    if decision.nudge is not None:
        said = line(decision.nudge.content, LINE_CHARS, sign=tagless)
        return f"[{words.label('nudge')}] {said}"
    told = words.label("welcome") if foremost is None else _titled(foremost)
    return f"[{words.label('priority')}] {told}"


def _foremost(signals: Sequence[Signal]) -> Signal | None:
    """The most urgent that is not merely a change for the better, or much that is new."""
    weighty = (one for one in signals if one.check not in (DELTAS, VELOCITY))
    return next(weighty, signals[0] if signals else None)


def _summary(signals: Sequence[Signal], words: _Words) -> Iterator[str]:
    """The signals by check, as many as fit in ``SUMMARY_CHARS``, and how many did not."""
    checks = list(dict.fromkeys(one.check for one in signals))
    room, told = SUMMARY_CHARS - _REST_CHARS, 0
    for check in checks:
        several = _of(signals, check)
        heading = words.label("check", words.check(check), total(several))
        for place, one in enumerate(several):
            lines = [] if place else [heading]
            lines.append(f"- {_titled(one, BULLET_CHARS - 2)}")
            room -= sum(len(each) + 1 for each in lines)
            if room < 0:
                yield words.label("more", total(signals) - told)
                return
            told += 1
            yield from lines
    if told < total(signals):
        yield words.label("more", total(signals) - told)


def _titled(signal: Signal, limit_chars: int = LINE_CHARS) -> str:
    return line(signal.title, limit_chars, sign=tagless)


def _of(signals: Iterable[Signal], check: str) -> list[Signal]:
    return [signal for signal in signals if signal.check == check]


def _is_chinese(telling: Telling) -> bool:
    if telling.analysis is not None:
        return is_cjk(telling.analysis.action_brief)
    decision = telling.decision
    told = [signal.title for signal in shown(decision.signals)]
    told += [] if decision.nudge is None else [decision.nudge.content]
    if not told:
        return prefers_chinese(telling.snapshot)
    chinese = sum(map(is_cjk, told))
    return 2 * chinese > len(told) or (2 * chinese == len(told) and is_cjk(told[0]))
