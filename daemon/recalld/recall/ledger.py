"""What a session was shown lately, so that it is not told the same again. Pure: no clock, no I/O.

In memory only and bounded: what is forgotten is shown once more, which costs tokens and no truth.
"""

from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from recalld.text.shingles import share_in, shingles

SESSIONS = 512
# A session that was shown more than this forgets the oldest.
CHUNKS = 256
# Two excerpts of one chunk are the same news when so much of the second stands in the first.
SAME_SHARE = 0.8

# By a chunk's id, the shingles of what was shown of it.
Shown = Mapping[str, frozenset[int]]
NOTHING: Shown = {}


@dataclass(frozen=True, slots=True)
class _Told:
    turn: int
    words: frozenset[int]


@dataclass(slots=True)
class _Session:
    turn: int = 0
    told: OrderedDict[str, _Told] = field(default_factory=OrderedDict)


class Ledger:
    """By session, the chunks that were put into its prompts and how many prompts ago."""

    def __init__(self) -> None:
        self._sessions: OrderedDict[str, _Session] = OrderedDict()

    def next_prompt(self, session_key: str, *, turns: int) -> Shown:
        """What the session's ``turns`` prompts before this one were shown; this one counts."""
        session = self._sessions.get(session_key)
        if session is None:
            return NOTHING
        session.turn += 1
        oldest = session.turn - turns
        return {key: told.words for key, told in session.told.items() if told.turn >= oldest}

    def note(self, session_key: str, snippets: Iterable[tuple[str, str]]) -> None:
        """The session's prompt was shown these: pairs of a chunk's id and its excerpt."""
        session = self._sessions.setdefault(session_key, _Session())
        self._sessions.move_to_end(session_key)
        for key, snippet in snippets:
            before = session.told.pop(key, None)
            words = shingles(snippet) | (before.words if before is not None else frozenset())
            session.told[key] = _Told(session.turn, words)
        while len(session.told) > CHUNKS:
            session.told.popitem(last=False)
        while len(self._sessions) > SESSIONS:
            self._sessions.popitem(last=False)

    def take_back(self, session_key: str, keys: Iterable[str]) -> None:
        """The session was not shown these after all."""
        session = self._sessions.get(session_key)
        if session is not None:
            for key in keys:
                session.told.pop(key, None)

    def forget(self, session_key: str) -> None:
        """The session's context is empty: it knows nothing of what it was shown."""
        self._sessions.pop(session_key, None)


def is_repeated(key: str, snippet: str, shown: Shown) -> bool:
    """Whether this excerpt of the chunk tells nothing that was not shown."""
    before = shown.get(key)
    return before is not None and share_in(shingles(snippet), before) >= SAME_SHARE
