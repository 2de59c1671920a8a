"""What an act is told with: related memories, the graph around its topics, a model's view.

Every look-up is a stage of its own and fails open: a signal without its past is still a signal.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from heapq import nlargest
from pathlib import PurePath

import anyio.to_thread

from recalld.budget import Outcome, Run, Stage
from recalld.heartbeat import analysis, enrich
from recalld.heartbeat.analysis import Provider, Reading
from recalld.heartbeat.enrich import Asked
from recalld.heartbeat.graphport import Entity, Neighbour
from recalld.heartbeat.model import Enrichment, Related, Seen, Signal, Workspace
from recalld.heartbeat.ports import World
from recalld.heartbeat.prompt import Spoken
from recalld.heartbeat.related import Basis, Frequencies, Meanings, needed, relate
from recalld.heartbeat.telling import Telling
from recalld.heartbeat.topics import graph_lines, topics
from recalld.llm.model import Chat, ChatReply
from recalld.memories.model import Memory

RELATED_MS = 2_000
GRAPH_MS = 1_000
ANALYSIS_MS = 15_000
# More texts say nothing new about how rare a word is.
SAMPLED = 2_000
ALL_COSINES = -1.0
WORKSPACE_MS = 3_000
WORKSPACES_MS = 5_000
WORKSPACES_AT_ONCE = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Past:
    """What an owner's signals are compared with. ``words`` are those of its memories."""

    owner: str
    words: Frequencies
    now: datetime
    limit: int = enrich.EACH


async def frequencies(memories: Mapping[str, Memory]) -> Frequencies:
    """How common words are in the newest of these memories."""
    return await anyio.to_thread.run_sync(partial(_counted, memories), abandon_on_cancel=True)


def _counted(memories: Mapping[str, Memory]) -> Frequencies:
    newest = nlargest(SAMPLED, memories)
    return Frequencies.of([memories[memory_id].content for memory_id in newest])


async def workspaces(world: World, seen: Mapping[str, Seen], now: datetime) -> list[Workspace]:
    """Those that could be read in time, a few at once: each starts processes of its own."""
    roots = [] if world.read_workspace is None else list(world.roots())
    run, found = Run(WORKSPACES_MS), list[Workspace | None]()
    for first in range(0, len(roots), WORKSPACES_AT_ONCE):
        some = roots[first : first + WORKSPACES_AT_ONCE]
        found += await run.fan_out([_workspace_stage(world, one, seen, now) for one in some])
    world.counters.add("heartbeat.workspaces_unread", sum(one is None for one in found))
    return [one for one in found if one is not None]


def _workspace_stage(
    world: World, root: str, seen: Mapping[str, Seen], now: datetime
) -> Stage[Workspace | None]:
    async def work() -> Workspace | None:
        if world.read_workspace is None:
            return None
        standing = None if world.standing is None else await world.standing(root)
        return await world.read_workspace(
            PurePath(root), now=now, seen=seen.get(root), standing=standing
        )

    return Stage(name=f"workspace {root}", work=work, otherwise=None, limit_ms=WORKSPACE_MS)


async def enriched(world: World, signals: Sequence[Signal], past: Past, *, run: Run) -> Enrichment:
    """Everything that is known beside these signals."""
    before = len(run.ledger)
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
        for note in run.ledger[before:]
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
    memories = await world.memories.vectors(needs.memory_ids)
    # Only what is in no store is known by its sentence.
    sentences = () if asked.memory.id in memories else needs.sentences
    meanings = Meanings(
        memories=memories,
        sentences=await world.memories.embedded(sentences),
        words=await world.memories.embedded_words(needs.words),
    )
    basis = Basis(
        words=past.words,
        engine=world.embedder.identity.engine,
        meanings=meanings,
        limit=past.limit,
    )
    judged = partial(relate, asked, found, basis, now=past.now, scene=needs.scene)
    return await anyio.to_thread.run_sync(judged, abandon_on_cancel=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asker:
    """A model that may be asked now, where, and for which agent."""

    chat: Chat
    provider: Provider
    agent: str


def asker(world: World, agent: str) -> Asker | None:
    """None where no model is configured, or none may be called now."""
    provider, chat = world.provider(), world.chat
    if provider is None or chat is None:
        return None
    if chat.barred(provider.endpoint, provider.key_name) is not None:
        return None
    return Asker(chat=chat, provider=provider, agent=agent)


async def analysed(
    world: World, asking: Asker, telling: Telling, *, conversation: Sequence[Spoken], run: Run
) -> Reading:
    """A model's view, or why there is none. One call."""

    async def work() -> ChatReply:
        asked = await anyio.to_thread.run_sync(
            partial(
                analysis.request,
                telling,
                provider=asking.provider,
                agent=asking.agent,
                conversation=conversation,
            )
        )
        return await asking.chat.complete(asked)

    stage: Stage[ChatReply | None] = Stage(
        name="analysis",
        work=work,
        otherwise=None,
        limit_ms=ANALYSIS_MS,
    )
    world.counters.add("heartbeat.llm_calls")
    reading = analysis.read(await run.stage(stage), telling)
    if reading.problem is not None:
        world.counters.add(f"heartbeat.analysis_{reading.problem}")
    return reading
