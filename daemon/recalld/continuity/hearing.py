"""Turns as they are read: what counts of either side, and what it tells of the work. Pure."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

from recalld.continuity.going import going_of
from recalld.continuity.guard import is_poison
from recalld.continuity.model import Turn
from recalld.continuity.questions import asks_to_resume
from recalld.continuity.statements import Statement, statements
from recalld.continuity.told import Told, is_bare, tell, weigh, words_of
from recalld.continuity.wording import asks, plain, sentences
from recalld.text.clean import clean_prompt, strip_own_blocks

# A longer answer is no mere report of a failure.
MAX_FAILURE_CHARS = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """``user`` without what hosts put around it, ``answer`` empty after a failed run.

    ``asked``: sentences of the user that may ask for work or decide; none of a message that only
    asks to go on, or reports a failure.
    """

    turn: Turn
    user: str
    answer: str
    asked: tuple[str, ...]

    def statements(self) -> list[Statement]:
        """What either side says."""
        return statements(f"{self.user}\n\n{strip_own_blocks(self.answer)}")

    @property
    def only_asks(self) -> bool:
        """Whether the user asked something, and for no work."""
        return bool(self.asked) and all(
            asks(one) and not any(way.match(plain(one)) for way in _about_work(one))
            for one in self.asked
        )


def _about_work(question: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """What a question matches whose answer may tell of the work."""
    return words_of(question).asks_work, going_of(question).asks_state


@dataclass(slots=True)
class Hearing:
    """Exchanges in order of time. What an answer tells is found out once, when it is needed."""

    said: Sequence[Exchange]
    _told: dict[int, list[Told]] = field(default_factory=dict)
    _lower: list[str] = field(default_factory=list)

    def marked(self, marks: Collection[str]) -> Iterator[int]:
        """The places of exchanges in which one of the marks is met, in lower case."""
        if not self._lower:
            self._lower = [plain(f"{one.user}\n{one.answer}").lower() for one in self.said]
        for place, lower in enumerate(self._lower):
            if any(mark in lower for mark in marks):
                yield place

    def explains(self, place: int) -> bool:
        """Whether the answer only answers a question; what it says of things is no report."""
        said = self.told(place)
        return self.said[place].only_asks and not (said and is_bare(said[0]))

    def reports_work(self, place: int) -> bool:
        """Whether the answer says that something is done, under way, planned or in the way."""
        return any(
            one.planned or one.blocked or weigh(one, asked=False) > 1 for one in self.told(place)
        )

    def told(self, place: int) -> list[Told]:
        """What the answer of the exchange tells, in order."""
        if place not in self._told:
            one = self.said[place]
            found = statements(strip_own_blocks(one.answer))
            self._told[place] = list(map(tell, found))
        return self._told[place]


def exchange(turn: Turn, ignore: tuple[str, ...] = ()) -> Exchange:
    """A turn as it counts: without texts that report a failure or hold one of ``ignore``."""
    user = clean_prompt(turn.user)
    heard = not (is_poison(user, ignore) or asks_to_resume(user) is not None)
    answered = turn.success and not _is_failure(turn.assistant, ignore)
    return Exchange(
        turn=turn,
        user=user,
        answer=turn.assistant if answered else "",
        asked=tuple(sentences(user)) if heard else (),
    )


def _is_failure(answer: str, ignore: tuple[str, ...]) -> bool:
    return bool(ignore or len(answer) <= MAX_FAILURE_CHARS) and is_poison(answer, ignore)
