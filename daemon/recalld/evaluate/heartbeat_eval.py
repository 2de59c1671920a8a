"""How good related memories are: labelled signals put to the rules and the engine in use.

``heartbeat/scenarios.jsonl`` of a data folder: ``id``, ``lang``, a ``signal``, the ``memories`` of
its store, ``gold`` (the ids of those that belong to it) and ``not_gold`` (why each other does
not). Other fields are passed over.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import orjson

from recalld.embed.port import Embedder, EmbedderState
from recalld.errors import BadRequest
from recalld.heartbeat.enrich import OVER_FETCH, Asked, wanted
from recalld.heartbeat.evidence import Vector
from recalld.heartbeat.model import Related, Tier
from recalld.heartbeat.related import Basis, Frequencies, Judged, Meanings, judged, needed, relate
from recalld.memories.library import Library
from recalld.memories.model import Memory, MemoryState, MemoryType, Origin, Similar

SCENARIOS = Path("heartbeat") / "scenarios.jsonl"
OWNER = "default"
SIGNAL = "signal"
ALL_COSINES = -1.0


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """A memory of a scenario; ``type`` and ``state`` in any case."""

    id: str
    content: str
    type: str
    created_at: datetime
    state: str = "active"
    session: str | None = None


class Scenario(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    signal: Row
    memories: tuple[Row, ...]
    gold: frozenset[str]
    not_gold: Mapping[str, str] = {}
    lang: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Linked:
    """A scenario with the memories that were called related, best first, and the figures of all
    that were judged, by id."""

    scenario: Scenario
    related: tuple[str, ...]
    figures: Mapping[str, Mapping[str, float]]


def load_scenarios(data: Path) -> tuple[Scenario, ...]:
    """Empty where the folder has none. Raises ``BadRequest`` with file and line."""
    file = data / SCENARIOS
    if not file.is_file():
        return ()
    found = []
    for number, line in enumerate(file.read_bytes().split(b"\n"), start=1):
        if line.strip():
            try:
                scenario = msgspec.json.decode(line, type=Scenario)
                for row in (scenario.signal, *scenario.memories):
                    memory_of(row)
            except ValueError as error:
                raise BadRequest(f"{file}:{number}", str(error)) from error
            found.append(scenario)
    return tuple(found)


async def link(scenarios: Iterable[Scenario], *, embedder: Embedder) -> tuple[Linked, ...]:
    """Each scenario in a store of its own, judged as the daemon judges a signal memory."""
    return tuple([await _linked(one, embedder) for one in scenarios])


async def _linked(scenario: Scenario, embedder: Embedder) -> Linked:
    memories = {one.id: one for one in map(memory_of, scenario.memories)}
    # Under an id of its own: what a scenario calls its signal may be the id of a memory too.
    signal = msgspec.structs.replace(scenario.signal, id=f"{SIGNAL} {scenario.id}")
    store = {**memories, signal.id: memory_of(signal)}
    asked = Asked(
        memory=store[signal.id],
        signal_id=SIGNAL,
        tier=Tier.NORMAL,
        excluded=frozenset({signal.id}),
    )
    texts = [one.content for one in store.values()]
    vectors = dict(zip(store, await _embedded(embedder, texts), strict=False))
    found = _nearest(asked, store, vectors, embedder)
    words = Frequencies.of(texts)
    needs = needed(asked, found, words=words)
    meanings = Meanings(memories=vectors, words=await _embedded_words(embedder, needs.words))
    basis = Basis(words=words, engine=embedder.identity.engine, meanings=meanings)
    return Linked(
        scenario=scenario,
        related=_ids(relate(asked, found, basis, now=asked.memory.created_at)),
        figures=_figures(judged(asked, found, basis)),
    )


def _nearest(
    asked: Asked, store: Mapping[str, Memory], vectors: Mapping[str, Vector], embedder: Embedder
) -> tuple[Similar, ...]:
    library = Library(embedder.identity.dimension)
    library.put(list(store.values()), vectors)
    return library.view(OWNER).nearest(
        vectors.get(asked.memory.id),
        asked.memory.content,
        wanted(asked),
        limit=OVER_FETCH,
        floor=ALL_COSINES,
    )


async def _embedded(embedder: Embedder, texts: Sequence[str]) -> Sequence[Vector]:
    if embedder.state is not EmbedderState.READY:
        return ()
    return list(await embedder.embed_passages(texts))


async def _embedded_words(embedder: Embedder, words: Sequence[str]) -> Mapping[str, Vector]:
    if embedder.state is not EmbedderState.READY or not words:
        return {}
    return dict(zip(words, await embedder.embed_words(words), strict=True))


def memory_of(row: Row) -> Memory:
    """``ValueError`` for a type or state that is none."""
    at = row.created_at if row.created_at.tzinfo else row.created_at.replace(tzinfo=UTC)
    return Memory(
        id=row.id,
        owner=OWNER,
        content=row.content,
        type=MemoryType(row.type.upper()),
        state=MemoryState(row.state.lower()),
        importance=0.5,
        tags=(),
        session=row.session,
        agent="main",
        created_at=at,
        updated_at=at,
        expires_at=None,
        origin=Origin.IMPORTED,
        accessed_at=at,
    )


def _ids(related: Iterable[Related]) -> tuple[str, ...]:
    return tuple(one.memory.id for one in related)


def _figures(found: Iterable[Judged]) -> dict[str, Mapping[str, float]]:
    return {one.found.memory.id: one.figures for one in found}


def heartbeat_predictions(linked: Iterable[Linked]) -> bytes:
    """``{"id", "related"}``, one JSON object a line."""
    return b"".join(
        orjson.dumps(
            {"id": one.scenario.id, "related": one.related}, option=orjson.OPT_APPEND_NEWLINE
        )
        for one in linked
    )
