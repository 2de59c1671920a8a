"""The recall service: one prompt in, one answer out, a trace behind it."""

from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol

import anyio.to_thread
import orjson

from recalld.budget import Outcome, Run, Stage
from recalld.embed.port import Embedder, EmbedderState
from recalld.errors import NotFound, Unavailable
from recalld.journal import find_line
from recalld.llm.policy import LlmPolicy
from recalld.recall.answer import result_of
from recalld.recall.explain import Fields, explanation_of
from recalld.recall.ids import TraceIds, is_trace_id
from recalld.recall.ledger import NOTHING, Ledger
from recalld.recall.model import Prompt, RecallResult
from recalld.recall.pipeline import Ports, recall
from recalld.recall.policy import GraphMemoryPolicy, RecallPolicy, TracePolicy
from recalld.recall.record import Recall
from recalld.recall.sink import Counts, Line, TraceSink
from recalld.recall.steps import Vector
from recalld.recall.trace import Queries, trace_of

# Recalls kept in memory for ``recall.explain``; older ones are read back from the trace files.
# Few: what is kept alive costs every prompt (of 512, two hundredths of a ``no``).
RECENT = 32
# A longer message is not kept behind its answer: 32 of the longest would be 25 MB.
HEAVY_CHARS = 8_192
# What reading a trace back from the files of all workspaces may take.
EXPLAIN_MS = 2_000


class MessageEmbedder:
    """The engine as the gate asks it: one message, its centred vector."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    @property
    def ready(self) -> bool:
        return self._embedder.state is EmbedderState.READY

    async def __call__(self, text: str) -> Vector:
        vectors = await self._embedder.embed_queries([text])
        first: Vector = vectors[0]
        return first


class RecallSettings(Protocol):
    """The part of the configuration that a recall obeys, as of one moment."""

    @property
    def recall(self) -> RecallPolicy: ...
    @property
    def trace(self) -> TracePolicy: ...
    @property
    def graph_memory(self) -> GraphMemoryPolicy: ...
    @property
    def llm(self) -> LlmPolicy: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallWorld:
    """What the service is built from. ``roots``: the workspaces whose traces may be read.

    ``on_recall`` is told every answer.
    """

    ports: Ports
    settings: Callable[[], RecallSettings]
    sink: TraceSink
    counters: Counts
    ids: TraceIds
    roots: Callable[[], Iterable[str]] = tuple
    on_recall: Callable[[RecallResult], None] = lambda _: None


class RecallService:
    """Answers prompts and explains the answers it gave."""

    def __init__(self, world: RecallWorld) -> None:
        self._world = world
        self._recent: OrderedDict[str, Callable[[], Fields]] = OrderedDict()
        self._ledger = Ledger()
        self._readers: dict[str | None, anyio.CapacityLimiter] = {}

    async def prompt(self, prompt: Prompt, *, budget_ms: int | None = None) -> RecallResult:
        """The answer within ``recall.max_total_ms``, which ``budget_ms`` can only lower.

        ``trace_id`` is empty where no trace is kept: tracing is off, or recall never looked at
        the message (disabled, internal session, system event).
        """
        settings = self._world.settings()
        total_ms = settings.recall.max_total_ms
        if budget_ms is not None:
            total_ms = min(total_ms, budget_ms)
        run = Run(total_ms)
        turns = settings.recall.ledger_turns
        fresh = Recall(
            prompt=prompt,
            policy=settings.recall,
            graph=settings.graph_memory,
            llm=settings.llm,
            total_ms=total_ms,
            trace_id=self._world.ids.next() if settings.trace.enabled else "",
            shown=self._ledger.next_prompt(prompt.session_key, turns=turns) if turns else NOTHING,
        )
        seen = await recall(fresh, run=run, ports=self._world.ports)
        if turns and seen.injection is not None:
            block = seen.injection
            told = zip(block.shown, block.snippets, strict=True)
            self._ledger.note(prompt.session_key, [(hit.found.uid, text) for hit, text in told])
        return self._answer(seen, settings.trace)

    def undelivered(self, session_key: str, result: RecallResult) -> None:
        """The session did not get this answer: what it shows may be shown again."""
        self._world.counters.add("recall.undelivered")
        self._ledger.take_back(session_key, [hit.id for hit in result.hits])

    def forget_shown(self, session_key: str) -> None:
        """The session's context was emptied: what it was shown may be shown again."""
        self._ledger.forget(session_key)

    def trace(self, trace_id: str) -> Fields | None:
        """The trace of a recall that was answered just now; None where none is kept."""
        recent = self._recent.get(trace_id)
        return None if recent is None else recent()

    async def explain(self, trace_id: str) -> Fields:
        """Why that prompt got what it got. ``NotFound`` where no trace of that id is left;
        ``Unavailable`` where it may be left on a disk that does not answer."""
        recent = self._recent.get(trace_id)
        if recent is not None:
            # Through JSON, so that it reads like one from a file.
            return explanation_of(orjson.loads(orjson.dumps(recent())))
        line = await self._read_back(trace_id) if is_trace_id(trace_id) else None
        if line is None:
            raise NotFound(f"trace {trace_id[:64]}")
        return explanation_of(line)

    def _answer(self, seen: Recall, policy: TracePolicy) -> RecallResult:
        if seen.traced and policy.enabled:
            self._keep(seen, policy, _trace_maker(seen, policy.queries))
        elif seen.trace_id:
            seen = replace(seen, trace_id="")
        result = result_of(seen)
        self._world.counters.add("recall.answered")
        self._world.counters.add(f"recall.{result.status}")
        if seen.llm_calls:
            self._world.counters.add(f"rescue.{seen.rescue.status}")
        self._world.on_recall(result)
        return result

    def _keep(self, seen: Recall, policy: TracePolicy, trace: Callable[[], Fields]) -> None:
        self._recent[seen.trace_id] = trace
        if len(self._recent) > RECENT:
            self._recent.popitem(last=False)
        root = seen.prompt.workspace_root
        self._world.sink.offer(Line(root=root, policy=policy, render=partial(_line_of, trace)))

    async def _read_back(self, trace_id: str) -> Fields | None:
        """The trace of that id from any workspace's files; damaged lines count as absent.

        All roots are looked at together: one that hangs costs itself, and is not asked again
        before its thread comes back. Raise ``Unavailable`` where the trace may lie in such a one.
        """
        policy = self._world.settings().trace
        needle = b'"traceId":"%s"' % trace_id.encode()
        run = Run(EXPLAIN_MS)
        stages = [
            Stage(
                name="traces",
                work=partial(self._found_in, root, policy, needle),
                otherwise=None,
                limit_ms=EXPLAIN_MS,
            )
            for root in (*self._world.roots(), None)
        ]
        for line in await run.fan_out(stages):
            trace = None if line is None else self._trace_in(line)
            if trace is not None:
                return trace
        if any(note.outcome is not Outcome.OK for note in run.ledger):
            raise Unavailable("traces", "the files of a workspace do not answer")
        return None

    async def _found_in(self, root: str | None, policy: TracePolicy, needle: bytes) -> bytes | None:
        reader = self._readers.setdefault(root, anyio.CapacityLimiter(1))
        journal = self._world.sink.journal_of(root, policy)
        return await anyio.to_thread.run_sync(
            find_line, journal, needle, abandon_on_cancel=True, limiter=reader
        )

    def _trace_in(self, line: bytes) -> Fields | None:
        try:
            trace = orjson.loads(line)
        except orjson.JSONDecodeError:
            self._world.counters.add("trace.damaged")
            return None
        return trace if isinstance(trace, dict) else None


def _trace_maker(seen: Recall, queries: Queries) -> Callable[[], Fields]:
    """Makes the trace on demand; at once where that lets go of a long message."""
    if len(seen.prompt.text) <= HEAVY_CHARS:
        return partial(trace_of, seen, queries=queries)
    trace = trace_of(seen, queries=queries)
    return lambda: trace


def _line_of(trace: Callable[[], Fields]) -> bytes:
    return orjson.dumps(trace(), option=orjson.OPT_APPEND_NEWLINE)
