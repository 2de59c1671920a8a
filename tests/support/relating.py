"""Signals, candidates and vectors for what enrichment is made of."""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial

import numpy as np

from recalld.counters import Counters
from recalld.embed import usem3
from recalld.embed.policy import EmbedPolicy
from recalld.embed.port import Embedder
from recalld.heartbeat.enrich import Asked
from recalld.heartbeat.evidence import Vector
from recalld.heartbeat.model import Related, Signal, Tier
from recalld.heartbeat.related import Basis, Frequencies, Meanings, needed, relate
from recalld.memories.model import Memory, MemoryType, Similar
from support.snapshots import NOW, a_memory

a_past = partial(a_memory, type=MemoryType.EVENT, session="past")


def a_signal(*memories: Memory, tier: Tier = Tier.NORMAL, name: str = "plans") -> Signal:
    first = memories[0].id if memories else "user"
    return Signal(id=f"{name}:{first}", check=name, tier=tier, title=name, memories=memories)


def asked_for(memory: Memory, *excluded: str) -> Asked:
    return Asked(
        memory=memory,
        signal_id=f"plans:{memory.id}",
        tier=Tier.NORMAL,
        excluded=frozenset({memory.id, *excluded}),
    )


def similar(memories: Iterable[Memory], similarity: float = 0.5) -> tuple[Similar, ...]:
    return tuple(Similar(memory=one, similarity=similarity, score=similarity) for one in memories)


def a_related(memory: Memory, score: float, signal_id: str = "plans:s") -> Related:
    return Related(
        memory=memory, similarity=score, score=score, signal_id=signal_id, age="1 day ago"
    )


def words_of(*memories: Memory) -> Frequencies:
    return Frequencies.of(one.content for one in memories)


async def the_engine() -> Embedder:
    """The engine that ships, ready."""
    embedder = usem3.ENGINE.build(EmbedPolicy(threads=1), Counters())
    await embedder.run()
    return embedder


async def meanings_of(
    embedder: Embedder, asked: Asked, others: Sequence[Memory]
) -> tuple[tuple[Similar, ...], Meanings]:
    """What a search would find, all of it, with every vector that is needed."""
    every = (asked.memory, *others)
    rows = await embedder.embed_passages([one.content for one in every])
    vectors: Mapping[str, Vector] = {one.id: row for one, row in zip(every, rows, strict=True)}
    found = tuple(
        similar([one], float(np.dot(vectors[one.id], vectors[asked.memory.id])))[0]
        for one in others
    )
    words = needed(asked, found, words=words_of(*every)).words
    known = dict(zip(words, await embedder.embed_words(words), strict=True)) if words else {}
    return found, Meanings(memories=vectors, words=known)


async def related_to(embedder: Embedder, memory: Memory, others: Sequence[Memory]) -> list[str]:
    """The ids of what belongs to ``memory``, best first, through the engine."""
    asked = asked_for(memory)
    found, meanings = await meanings_of(embedder, asked, others)
    engine, words = embedder.identity.engine, words_of(memory, *others)
    basis = Basis(words=words, engine=engine, meanings=meanings)
    return [one.memory.id for one in relate(asked, found, basis, now=NOW)]
