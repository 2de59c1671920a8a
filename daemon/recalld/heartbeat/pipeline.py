"""What an act is told with: related memories, the graph around its topics, a model's view.

Every look-up is a stage of its own and fails open: a signal without its past is still a signal.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

import anyio.to_thread

from recalld.budget import Outcome, Run, Stage
from recalld.heartbeat import analysis, enrich
from recalld.heartbeat.analysis import Reading
from recalld.heartbeat.enrich import Asked
from recalld.heartbeat.graphport import Entity, Neighbour
from recalld.heartbeat.model import Enrichment, Related, Signal
from recalld.heartbeat.ports import World
from recalld.heartbeat.prompt import Spoken
from recalld.heartbeat.related import Basis, Frequencies, Meanings, needed, relate
from recalld.heartbeat.telling import Telling
from recalld.heartbeat.topics import graph_lines, topics
from recalld.llm.model import ChatReply
from recalld.memories.model import Memory

RELATED_MS = 2_000
GRAPH_MS = 1_000
ANALYSIS_MS = 15_000
# More texts say nothing new about how rare a word is.
SAMPLED = 2_000
ALL_COSINES = -1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Past:
    """What an owner's signals are compared with. ``words`` are those of its memories."""

    owner: str
    words: Frequencies
    now: datetime
    limit: int = enrich.EACH


async def frequencies(memories: Mapping[str, Memory]) -> Frequencies:
    """How common words are in the newest of these memories."""
    newest = sorted(memories.values(), key=lambda one: one.id, reverse=True)[:SAMPLED]
    texts = [one.content for one in newest]
    return await anyio.to_thread.run_sync(partial(Frequencies.of, texts), abandon_on_cancel=True)


async def enriched(world: World, signals: Sequence[Signal], past: Past, *, run: Run) -> Enrichment:
    """Everything that is known beside these signals."""
    stages = [_related_stage(world, one, past) for one in enrich.pick(signals)]
    found = await run.fan_out(stages)
    ids = sorted(enrich.signal_memories(signals))
    named: Stage[Sequence[Entity]] = Stage(
        name="entities",
        work=partial(world.graph.entities_of, past.owner, ids),
        otherwise=(),
        limit_ms=GRAPH_MS,
    )
    mentioned = await run.stage(named) if ids else ()
    entities = topics(mentioned)
    around = await run.fan_out([_graph_stage(world, one, past.owner) for one in entities])
    problems = tuple(
        f"{note.name}: {note.error or note.outcome}"
        for note in run.ledger
        if note.outcome is not Outcome.OK
    )
    world.counters.add("heartbeat.lookups_failed", len(problems))
    neighbours = dict(zip(entities, around, strict=True))
    return Enrichment(
        related=enrich.merge(found),
        graph=graph_lines(neighbours, world.policy().decision_relations),
        entities=tuple(one.name for one in entities),
        lookups=len(stages) + (1 if ids else 0) + len(entities),
        problems=problems,
    )


def _related_stage(world: World, asked: Asked, past: Past) -> Stage[tuple[Related, ...]]:
    return Stage(
        name=f"related {asked.signal_id}",
        work=partial(related_to, world, asked, past),
        otherwise=(),
        limit_ms=RELATED_MS,
    )


def _graph_stage(world: World, entity: Entity, owner: str) -> Stage[Sequence[Neighbour]]:
    return Stage(
        name=f"graph {entity.name}",
        work=partial(world.graph.neighbours, owner, entity),
        otherwise=(),
        limit_ms=GRAPH_MS,
    )


async def related_to(world: World, asked: Asked, past: Past) -> tuple[Related, ...]:
    """The past memories that belong to one signal memory, best first."""
    known = await world.memories.vectors([asked.memory.id])
    found = await world.memories.nearest(
        asked.memory if asked.memory.id in known else asked.memory.content,
        past.owner,
        limit=enrich.OVER_FETCH,
        min_similarity=ALL_COSINES,
        wanted=enrich.wanted(asked),
    )
    needs = needed(asked, found, words=past.words)
    meanings = Meanings(
        memories=await world.memories.vectors(needs.memory_ids),
        sentences=await world.memories.embedded(needs.sentences),
        words=await world.memories.embedded_words(needs.words),
    )
    basis = Basis(
        words=past.words,
        engine=world.embedder.identity.engine,
        meanings=meanings,
        limit=past.limit,
    )
    judged = partial(relate, asked, found, basis, now=past.now)
    return await anyio.to_thread.run_sync(judged, abandon_on_cancel=True)


async def analysed(
    world: World, telling: Telling, *, agent: str, conversation: Sequence[Spoken], run: Run
) -> Reading | None:
    """A model's view; None where none may be asked now. One call at most."""
    provider = world.provider()
    if provider is None or world.chat is None:
        return None
    asked = analysis.request(telling, provider=provider, agent=agent, conversation=conversation)
    stage: Stage[ChatReply | None] = Stage(
        name="analysis",
        work=partial(world.chat.complete, asked),
        otherwise=None,
        limit_ms=ANALYSIS_MS,
    )
    world.counters.add("heartbeat.llm_calls")
    reading = analysis.read(await run.stage(stage), telling)
    if reading.problem is not None:
        world.counters.add(f"heartbeat.analysis_{reading.problem}")
    return reading
