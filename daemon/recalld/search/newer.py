"""Of two statements about the same thing the newer goes first. Pure.

Asked about oneself or about now, "I moved to the blue team" goes before the older "I am on the
red team", though it often shares fewer words with the question. Without the guards a question
about an earlier state loses most of its answers.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from recalld.search.corpus import Bools, Ints
from recalld.search.person import speaks_of_oneself
from recalld.search.policy import NewerPolicy
from recalld.text.asking import asks, sentences
from recalld.text.tokens import lexical_tokens

_NOW = re.compile(
    r"\b(?:now|currently|current|nowadays|still|latest|at the moment|these days|at present)\b"
    r"|现在|目前|如今|眼下|最新|当前|还在",
    re.IGNORECASE,
)
# Asks of an earlier state, or of when.
_PAST = re.compile(
    r"\b(?:first|original\w*|previous\w*|initial\w*|before|used? to|earlier|former\w*|old|ago"
    r"|back then|at (?:that|the) time|last|history|ever|in the past|prior)\b"
    r"|第一次|最初|起初|原来|原先|以前|之前|从前|过去|当时|那时|那天|曾|上次|上周|上个?月|去年",
    re.IGNORECASE,
)
_CHANGE = re.compile(
    r"\b(?:now|switch(?:ed|ing)|chang(?:ed|ing)|moved|migrated|replac(?:ed|ing)|instead"
    r"|no longer|not any ?more|anymore|rebooked|rescheduled|postponed|delayed|slipped|updated?"
    r"|upgraded|actually|correct(?:ed|ion)|stopped|quit|raised|lowered|increased|decreased"
    r"|since|these days|adopted|renamed|dropped|new)\b"
    r"|换|改(?:到|成|为|用|了|叫)|搬|不再|不用|推迟|延期|提前|迁移|升级|更新|取消|变成|更正|其实|现在|新的",
    re.IGNORECASE,
)
# A change is told early; the rest of a long chunk is not read for it.
_READ_CHARS = 1_500


def wants_newest(question: str) -> bool:
    """Whether it is about oneself or about now, and names nothing of the past."""
    if _PAST.search(question) is not None:
        return False
    return _NOW.search(question) is not None or speaks_of_oneself(question)


def changed_words(text: str, tokens: Sequence[str]) -> list[bool]:
    """Which of ``tokens`` stand in a sentence that tells of a change and does not ask."""
    told: set[str] = set()
    for sentence in sentences(text[:_READ_CHARS]):
        if _CHANGE.search(sentence) is not None and not asks(sentence):
            told.update(lexical_tokens(sentence))
    return [token in told for token in tokens]


@dataclass(frozen=True, slots=True, kw_only=True)
class Statements:
    """What some candidates say, in rows; columns are the question's tokens, worth ``idf``.

    ``holds``: in the chunk or its head; ``own``: in the chunk; ``changed``: see
    ``changed_words``. ``likeness`` are the cosines of their best windows. ``day`` 0: unknown.
    """

    day: Ints
    file: Ints
    holds: Bools
    own: Bools
    changed: Bools
    likeness: NDArray[np.float32]
    idf: NDArray[np.float64]

    def take(self, at: Sequence[int]) -> "Statements":
        """The rows at ``at``."""
        rows = list(at)
        return Statements(
            day=self.day[rows],
            file=self.file[rows],
            holds=self.holds[rows],
            own=self.own[rows],
            changed=self.changed[rows],
            likeness=self.likeness[np.ix_(rows, rows)],
            idf=self.idf,
        )


@dataclass(frozen=True, slots=True)
class Move:
    """``newer`` goes before ``older``; ``told``: it says itself that something changed."""

    newer: int
    older: int
    told: bool


def newer_first(
    statements: Statements, hit: NDArray[np.float64], policy: NewerPolicy
) -> tuple[Move, ...]:
    """The moves, in order, for candidates that stand best first by ``hit``.

    Each climbs from its place to before the highest older one that it supersedes.
    """
    order = list(range(min(policy.first, len(hit))))
    moves: list[Move] = []
    for place in range(1, len(order)):
        newer = order[place]
        for above in range(place):
            older = order[above]
            gap = float(hit[older] - hit[newer])
            told = _tells_change(statements, older, newer, gap=gap, policy=policy)
            if told or _restates(statements, older, newer, gap=gap, policy=policy):
                order.insert(above, order.pop(place))
                moves.append(Move(newer, older, told))
                break
    return tuple(moves)


def _follows(statements: Statements, older: int, newer: int) -> bool:
    day, file = statements.day, statements.file
    return bool(0 < day[older] < day[newer] and file[older] != file[newer])


def _restates(
    statements: Statements, older: int, newer: int, *, gap: float, policy: NewerPolicy
) -> bool:
    """Nearly as likely, and it holds the same words of the question."""
    if gap > policy.restated_gap or not _follows(statements, older, newer):
        return False
    one, other, idf = statements.holds[older], statements.holds[newer], statements.idf
    either = float(idf[one | other].sum())
    overlap = float(idf[one & other].sum()) / either if either else 0.0
    near = float(statements.likeness[older, newer]) >= policy.restated_cosine
    return near and overlap >= policy.restated_overlap


def _tells_change(
    statements: Statements, older: int, newer: int, *, gap: float, policy: NewerPolicy
) -> bool:
    """Less likely, but it says of a word that both hold that something changed."""
    if gap > policy.changed_gap or not _follows(statements, older, newer):
        return False
    if float(statements.likeness[older, newer]) < policy.changed_cosine:
        return False
    both = statements.own[older] & statements.own[newer]
    return bool((both & statements.changed[newer]).any())
