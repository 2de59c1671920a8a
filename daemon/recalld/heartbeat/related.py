"""Which past memories belong to a signal, and not merely share a word with it. Pure.

    needs = needed(asked, found, words=words)
    meanings = Meanings(
        memories=vectors of asked.memory.id and of needs.memory_ids, from the store of vectors,
        sentences=embed_passages(needs.sentences), words=embed_words(needs.words), by text)
    basis = Basis(words=words, engine=embedder.identity.engine, meanings=meanings)
    related = relate(asked, found, basis, now=now)

Whatever of ``Meanings`` is lacking is done without: no words or sentences, no engine, no vectors.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from recalld.heartbeat.ages import age
from recalld.heartbeat.enrich import EACH, Asked, eligible, newest_first
from recalld.heartbeat.model import Related
from recalld.memories.model import Similar
from recalld.text.tokens import query_tokens

Vector = NDArray[np.float32]

# What a score is made to mean: from here on a memory is more likely related than not.
MINIMUM = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Frequencies:
    """In how many of ``count`` memories of the owner a token stands."""

    count: int
    memories: Mapping[str, int]

    @classmethod
    def of(cls, contents: Iterable[str]) -> "Frequencies":
        """Of the texts of a store, or of some thousand of them: more say nothing new."""
        count, found = 0, dict[str, int]()
        for content in contents:
            count += 1
            for token in query_tokens(content):
                found[token] = found.get(token, 0) + 1
        return cls(count=count, memories=found)


@dataclass(frozen=True, slots=True, kw_only=True)
class Needed:
    """What ``relate`` would like to have the vectors of."""

    memory_ids: tuple[str, ...] = ()
    sentences: tuple[str, ...] = ()
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Meanings:
    """Vectors of unit length: of whole memories by id and of ``sentences`` by text, both centred
    by language; of ``words`` by text, as they are. Empty: there are none."""

    memories: Mapping[str, Vector] = field(default_factory=dict)
    sentences: Mapping[str, Vector] = field(default_factory=dict)
    words: Mapping[str, Vector] = field(default_factory=dict)


NOTHING = Meanings()


@dataclass(frozen=True, slots=True, kw_only=True)
class Basis:
    """What is judged by. ``engine``: the name of the one whose vectors ``meanings`` are.

    ``limit`` and ``minimum``, in [0, 1] and inclusive: how many, and from which score on.
    """

    words: Frequencies
    engine: str
    meanings: Meanings = NOTHING
    limit: int = EACH
    minimum: float = MINIMUM


def needed(asked: Asked, found: Sequence[Similar], *, words: Frequencies) -> Needed:
    """The texts to embed for one signal memory: at most some dozen sentences and 200 words."""
    del words
    ids = (asked.memory.id, *(one.memory.id for one in eligible(asked, found)))
    return Needed(memory_ids=ids)


def relate(
    asked: Asked, found: Sequence[Similar], basis: Basis, *, now: datetime
) -> tuple[Related, ...]:
    """At most ``basis.limit`` of ``found`` that belong to the signal memory, best first.

    ``found`` may hold anything in any order: the rules of ``enrich.eligible`` apply here too.
    ``score`` is in [0, 1]; ties go to the newer, then by id. ``similarity`` is what ``found``
    says.
    """
    related = [
        Related(
            memory=one.memory,
            similarity=one.similarity,
            score=min(1.0, max(0.0, one.similarity)),
            signal_id=asked.signal_id,
            age=age(one.memory.created_at, now),
        )
        for one in eligible(asked, found)
    ]
    good = [one for one in related if one.score >= basis.minimum]
    good.sort(key=lambda one: (-one.score, *newest_first(one.memory)))
    return tuple(good[: basis.limit])
