"""A tick that is to be told, and the lines that every way of telling it has. Pure."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from recalld.heartbeat.enrich import IN_ALL
from recalld.heartbeat.escape import LINE_CHARS, Sign, line, plain, quotation
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
from recalld.memories.model import MemoryState
from recalld.text.quote import escaped

MAX_SIGNALS = 20
MAX_GRAPH = 15
MAX_ACTIONS = 5
# Of a language model's words: what is the matter, and what the user is to be told.
BRIEF_CHARS = 300
SPOKEN_CHARS = 600
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


def shown(signals: Sequence[Signal], most: int = MAX_SIGNALS) -> tuple[Signal, ...]:
    """At most ``most``, in their order: the first of every check, then the foremost."""
    first: dict[str, int] = {}
    for place, signal in enumerate(signals):
        first.setdefault(signal.check, place)
    ranked = sorted(range(len(signals)), key=lambda at: (first[signals[at].check] != at, at))
    return tuple(signals[at] for at in sorted(ranked[:most]))


def related_bullets(
    related: Sequence[Related],
    signals: Iterable[Signal],
    *,
    sign: Sign = escaped,
    worded: Callable[[str], str] = str,
) -> Iterator[str]:
    """One an item, at most nine of at most 200 characters: its age in brackets, its words quoted.

    Behind that, whether it is resolved; and where several signals have something, which one it
    belongs to. ``worded`` says an age in another language.
    """
    told = related[:IN_ALL]
    several = len({one.signal_id for one in told}) > 1
    titles = {signal.id: signal.title for signal in signals}
    for one in told:
        head = f"- [{line(worded(one.age), _AGE_CHARS, sign=sign)}] "
        about = titles.get(one.signal_id, "") if several else ""
        tail = _tail(one, about, sign)
        yield head + quotation(one.memory.content, LINE_CHARS - len(head + tail), sign=sign) + tail


def _tail(one: Related, about: str, sign: Sign) -> str:
    notes = ["resolved"] if one.memory.state is MemoryState.RESOLVED else []
    notes += [f"for: {line(about, _TITLE_CHARS, sign=sign)}"] if about else []
    return f" ({'; '.join(notes)})" if notes else ""


def bullets(
    texts: Iterable[str], *, most: int, limit_chars: int = LINE_CHARS, sign: Sign = escaped
) -> Iterator[str]:
    """One a text that is not blank, at most ``most``, each within the bound."""
    made = (line(text, limit_chars - 2, sign=sign) for text in texts)
    full = (text for text in made if text)
    for text, _ in zip(full, range(most), strict=False):
        yield f"- {text}"
