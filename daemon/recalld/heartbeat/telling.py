"""A tick that is to be told, and the lines that every way of telling it has. Pure."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from recalld.heartbeat.enrich import IN_ALL
from recalld.heartbeat.escape import LINE_CHARS, Sign, line, plain, quotation
from recalld.heartbeat.fingerprint import folded, subject
from recalld.heartbeat.labels import BELONGS, RESOLVED, chinese_age
from recalld.heartbeat.model import (
    Analysis,
    Autonomy,
    Decision,
    Enrichment,
    Reason,
    Related,
    Signal,
    Snapshot,
)
from recalld.heartbeat.wording import local
from recalld.memories.model import MemoryState
from recalld.text.quote import escaped

MAX_SIGNALS = 20
MAX_GRAPH = 15
MAX_ACTIONS = 5
# Of a language model's words: what is the matter, and what the user is to be told.
BRIEF_CHARS = 300
SPOKEN_CHARS = 600
# Under which a check says how many more it found.
LEFT_OUT = "left_out"
PENDING = "pending_work"
_AGE_CHARS = 32
_TITLE_CHARS = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Telling:
    """What is told of a tick. ``analysis``: None where no model was asked, or none answered.

    ``link``: whether what is related is told where no model explains it.
    """

    snapshot: Snapshot
    decision: Decision
    autonomy: Autonomy
    enrichment: Enrichment = field(default_factory=Enrichment)
    analysis: Analysis | None = None
    link: Literal["local", "off"] = "local"

    @property
    def speaks(self) -> bool:
        """Whether there is anything to say: an act with something to it, unless a model that
        was asked said no or found no words."""
        if not self.decision.act or not self._has_matter():
            return False
        asked = self.analysis
        return asked is None or (asked.should_act and bool(plain(asked.action_brief, BRIEF_CHARS)))

    @property
    def related(self) -> tuple[Related, ...]:
        """What hosts and users are told of the past: nothing where no model explains it and
        ``link`` is off."""
        linked = self.analysis is not None or self.link == "local"
        return self.enrichment.related if linked else ()

    @property
    def is_linked_locally(self) -> bool:
        return self.analysis is None and bool(self.related)

    def _has_matter(self) -> bool:
        if self.decision.reason is Reason.NUDGE:
            return self.decision.nudge is not None
        return self.decision.reason is Reason.FIRST_CONTACT or bool(self.decision.signals)


def distinct(signals: Sequence[Signal]) -> tuple[Signal, ...]:
    """Without what merely says that something is pending of which another signal says more."""
    others = {subject(signal) for signal in signals if signal.check != PENDING}
    return tuple(one for one in signals if one.check != PENDING or subject(one) not in others)


def shown(signals: Sequence[Signal], most: int = MAX_SIGNALS) -> tuple[Signal, ...]:
    """At most ``most``, in their order: the first of every check, then the foremost."""
    first: dict[str, int] = {}
    for place, signal in enumerate(signals):
        first.setdefault(signal.check, place)
    ranked = sorted(range(len(signals)), key=lambda at: (first[signals[at].check] != at, at))
    return tuple(signals[at] for at in sorted(ranked[:most]))


def total(signals: Sequence[Signal]) -> int:
    """How many there are, with those that their checks left out."""
    left_out = (signal.detail.get(LEFT_OUT) for signal in signals)
    return len(signals) + sum(count for count in left_out if isinstance(count, int))


def clock(snapshot: Snapshot) -> str:
    """Now, as the user's clock shows it, and which clock that is."""
    # A zone that was read from a file has no name of its own.
    zone = snapshot.zone.key or f"{snapshot.now.astimezone(snapshot.zone):%Z}"
    return f"{local(snapshot.now, snapshot.zone)} ({line(zone, 40)})"


def related_bullets(
    related: Sequence[Related],
    signals: Iterable[Signal],
    *,
    sign: Sign = escaped,
    chinese: bool = False,
) -> Iterator[str]:
    """One an item, at most nine of at most 200 characters: its age in brackets, its words quoted.

    Behind that, whether it is resolved; and where several signals have something, which one it
    belongs to. ``chinese``: all but the words themselves.
    """
    told = related[:IN_ALL]
    several = len({one.signal_id for one in told}) > 1
    titles = {signal.id: signal.title for signal in signals}
    for one in told:
        age = chinese_age(one.age) if chinese else one.age
        head = f"- [{line(age, _AGE_CHARS, sign=sign)}] "
        notes = [RESOLVED] if one.memory.state is MemoryState.RESOLVED else []
        about = line(titles.get(one.signal_id, ""), _TITLE_CHARS, sign=sign) if several else ""
        notes += [BELONGS] if about else []
        tail = _in_brackets([note[int(chinese)].format(about) for note in notes])
        yield head + quotation(one.memory.content, LINE_CHARS - len(head + tail), sign=sign) + tail


def said_once(found: Iterable[Related]) -> tuple[Related, ...]:
    """The first of those that are the same but for case, width and spaces: a meeting of every
    week says no more to a reader four times than once."""
    first: dict[str, Related] = {}
    for one in found:
        first.setdefault(folded(one.memory.content), one)
    return tuple(first.values())


def _in_brackets(notes: Sequence[str]) -> str:
    return f" ({'; '.join(notes)})" if notes else ""


def bullets(
    texts: Iterable[str], *, most: int, limit_chars: int = LINE_CHARS, sign: Sign = escaped
) -> Iterator[str]:
    """One a text that is not blank, at most ``most``, each within the bound."""
    made = (line(text, limit_chars - 2, sign=sign) for text in texts)
    full = (text for text in made if text)
    for text, _ in zip(full, range(most), strict=False):
        yield f"- {text}"
