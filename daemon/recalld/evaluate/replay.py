"""Past prompts run again on today's notes, and what became of their answers.

The recall is the real one, in this process, over an index of its own: no daemon is asked, no
trace is written, no language model takes part, and each prompt is the first of its session. It
is asked as of its own time, so that "yesterday" means what it meant.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import orjson

from recalld.budget import Run
from recalld.config import Config
from recalld.errors import BadRequest
from recalld.evaluate.run import Recipe, loaded
from recalld.evaluate.sets import moment
from recalld.evaluate.world import Indexed, open_index
from recalld.index.reread import reread
from recalld.recall.flow import MessageEmbedder
from recalld.recall.gate_extended import extended_stage
from recalld.recall.model import Prompt
from recalld.recall.pipeline import Ports, recall
from recalld.recall.record import Recall
from recalld.recall.rules import rules_of
from recalld.recall.trace import trace_of

Trace = Mapping[str, object]

HASHED = "sha256:"
SESSION = "replay"
# Far above what a recall takes: a busy machine is no change of the answer.
TOTAL_MS = 30_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A place in a trace, best first. ``score`` is the raw one."""

    place: str
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """A place that both have, at another rank (from 1)."""

    place: str
    before: int
    after: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One prompt, then and now. Verdict and status are pairs; equal ones did not change."""

    trace_id: str
    prompt: str
    verdict: tuple[str, str]
    status: tuple[str, str]
    gained: tuple[Hit, ...]
    lost: tuple[Hit, ...]
    moved: tuple[Moved, ...]

    @property
    def same(self) -> bool:
        pairs = (self.verdict, self.status)
        return all(then == now for then, now in pairs) and not (
            self.gained or self.lost or self.moved
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """``without_text``: traces that keep no words (``trace.queries`` hash or off);
    ``cut``: prompts of which the trace keeps the beginning; ``damaged``: lines that are no
    trace; ``nothing``: recall never looked at the prompt."""

    changes: tuple[Change, ...]
    without_text: int = 0
    cut: int = 0
    damaged: int = 0
    nothing: int = 0


def read_traces(file: Path) -> tuple[list[Trace], int]:
    """The traces and the number of lines that are none. Raises ``BadRequest``."""
    try:
        lines = file.read_bytes().split(b"\n")
    except OSError as error:
        raise BadRequest(str(file), error.strerror or "cannot be read") from error
    found: list[Trace] = []
    damaged = 0
    for line in lines:
        if line.strip():
            trace = _trace(line)
            if trace is None:
                damaged += 1
            else:
                found.append(trace)
    return found, damaged


def _trace(line: bytes) -> Trace | None:
    try:
        found = orjson.loads(line)
    except orjson.JSONDecodeError:
        return None
    return found if isinstance(found, dict) and "status" in found else None


async def replay(
    traces: Iterable[Trace], folder: Path, recipe: Recipe, *, root: Path, damaged: int = 0
) -> Replayed:
    """The traces in their order, over the notes of ``root`` indexed in ``folder``."""
    runnable: list[tuple[Trace, str]] = []
    counts = {"without_text": 0, "cut": 0, "nothing": 0}
    for trace in traces:
        text = trace.get("prompt")
        if not isinstance(text, str) or text.startswith(HASHED):
            counts["without_text"] += 1
        elif not text.strip():
            counts["nothing"] += 1
        else:
            cleaned = trace.get("cleanedChars")
            counts["cut"] += isinstance(cleaned, int) and len(text) < cleaned
            runnable.append((trace, text))
    if not runnable:
        return Replayed(changes=(), damaged=damaged, **counts)
    async with open_index(
        folder, [root], embed=recipe.config.embed, search=recipe.search, index=recipe.index
    ) as indexed:
        await loaded(indexed.embedder)
        recipe.tune(indexed.searchers)
        again = _Again(indexed, recipe.config, root)
        changes = tuple([change_of(one, await again.run(one, text)) for one, text in runnable])
    return Replayed(changes=changes, damaged=damaged, **counts)


class _Again:
    """The recall over one index."""

    def __init__(self, indexed: Indexed, config: Config, root: Path) -> None:
        (self._workspace_id,) = indexed.ids.values()
        self._config = config
        self._root = root
        self._ports = Ports(
            searcher=indexed.searcher,
            sparse=indexed.searchers.sparse,
            rules=rules_of(extended_stage(indexed.embedder.identity)),
            embed=MessageEmbedder(indexed.embedder),
            reread=reread,
        )

    async def run(self, trace: Trace, text: str) -> Trace:
        prompt = Prompt(
            text=text,
            at=_at(trace),
            session_key=SESSION,
            agent=str(trace.get("agent") or "main"),
            workspace_id=self._workspace_id,
            workspace_root=str(self._root.resolve()),
        )
        fresh = Recall(
            prompt=prompt,
            policy=self._config.recall,
            graph=self._config.graph_memory,
            llm=self._config.llm,
            total_ms=TOTAL_MS,
            trace_id="",
        )
        seen = await recall(fresh, run=Run(TOTAL_MS), ports=self._ports)
        found: Trace = orjson.loads(orjson.dumps(trace_of(seen, queries="text")))
        return found


def _at(trace: Trace) -> datetime:
    found = moment(str(trace.get("ts", "")).replace("Z", "+00:00"))
    if found is None:
        raise BadRequest("ts", f"{trace.get('ts')!r} is no time")
    return found


def change_of(before: Trace, after: Trace) -> Change:
    """The differences of two traces of one prompt. Places are told by path and lines."""
    then, now = _hits(before), _hits(after)
    ranks = {hit.place: rank for rank, hit in enumerate(then, start=1)}
    fresh = {hit.place: rank for rank, hit in enumerate(now, start=1)}
    return Change(
        trace_id=str(before.get("traceId") or ""),
        prompt=str(before.get("prompt") or ""),
        verdict=(_word(before, "gateDecision"), _word(after, "gateDecision")),
        status=(_word(before, "status"), _word(after, "status")),
        gained=tuple(hit for hit in now if hit.place not in ranks),
        lost=tuple(hit for hit in then if hit.place not in fresh),
        moved=tuple(
            Moved(place=place, before=rank, after=fresh[place])
            for place, rank in ranks.items()
            if place in fresh and fresh[place] != rank
        ),
    )


def _word(trace: Trace, name: str) -> str:
    return str(trace.get(name) or "-")


def _hits(trace: Trace) -> list[Hit]:
    """What was accepted, each place once."""
    listed = trace.get("fusionTop")
    places: dict[str, Hit] = {}
    for one in listed if isinstance(listed, list) else ():
        if isinstance(one, dict):
            place = f"{one.get('path')}#L{one.get('startLine')}-L{one.get('endLine')}"
            score = one.get("bestRawScore")
            known = float(score) if isinstance(score, int | float) else 0.0
            places.setdefault(place, Hit(place=place, score=known))
    return list(places.values())
