"""A small world for recalls: fakes behind the ports, and builders with sane defaults."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

import anyio
import numpy as np

from recalld.budget import Run
from recalld.llm.model import Barred, ChatOutcome, ChatReply, ChatRequest
from recalld.llm.policy import LlmPolicy
from recalld.recall.model import (
    Depth,
    GateVerdict,
    Prompt,
    RouteHits,
    RouteKind,
    RouteQuery,
    Verdict,
)
from recalld.recall.pipeline import Ports, recall
from recalld.recall.policy import GatePolicy, GraphMemoryPolicy, RecallPolicy, TriggerPolicy
from recalld.recall.record import Recall
from recalld.recall.routes import ROUTES
from recalld.recall.steps import Rules, Vector
from recalld.search.model import Found, Scope, SearchResult, Source

NOW = datetime(2026, 8, 24, 9, 30, tzinfo=UTC)


def hit(path: str = "memory/a.md", raw: float = 0.9, **changes: object) -> Found:
    """A chunk. Its id follows from path and line unless given."""
    line = changes.get("start_line", 1)
    chunk = Found(
        uid=f"{path}:{line}",
        workspace_id=1,
        path=path,
        start_line=1,
        end_line=9,
        source=Source.MEMORY,
        heading="",
        text=f"note in {path}",
        focus=(0, 0),
        speaker=None,
        date=None,
        session=None,
        modified_at=None,
        raw_score=raw,
        order_score=raw,
        both_legs=True,
    )
    return replace(chunk, **changes)  # type: ignore[arg-type]


def listed(route: str, *found: Found, weight: float = 1.0) -> RouteHits:
    """What a route brought."""
    query = RouteQuery(route=route, text=f"query of {route}", weight=weight)
    return RouteHits(query=query, found=found)


def prompt(text: str = "what did we decide about the gate?", **changes: object) -> Prompt:
    base = Prompt(
        text=text,
        at=NOW,
        session_key="agent:main:main",
        workspace_id=1,
        workspace_root=None,
    )
    return replace(base, **changes)  # type: ignore[arg-type]


@dataclass(kw_only=True)
class FakeSearcher:
    """Answers with ``hits``, or with ``by_query`` where a key is part of the query."""

    hits: tuple[Found, ...] = ()
    by_query: Mapping[str, tuple[Found, ...]] = field(default_factory=dict)
    delay_ms: int = 0
    slow: Mapping[str, int] = field(default_factory=dict)
    fails: Exception | None = None
    degraded: tuple[str, ...] = ()
    calls: list[tuple[str, int]] = field(default_factory=list)
    scopes: list[Scope] = field(default_factory=list)

    async def search(self, query: str, *, scope: Scope, limit: int, now: datetime) -> SearchResult:
        self.calls.append((query, limit))
        self.scopes.append(scope)
        delay_ms = next((ms for key, ms in self.slow.items() if key in query), self.delay_ms)
        await anyio.sleep(delay_ms / 1_000)
        if self.fails is not None:
            raise self.fails
        found = next((hits for key, hits in self.by_query.items() if key in query), self.hits)
        return SearchResult(found=found[:limit], degraded=self.degraded)


@dataclass(kw_only=True)
class FakeGate:
    """Says ``verdict`` to everything; the other judgements say no unless told otherwise."""

    verdict: Verdict = Verdict.YES
    reason: str = "memory_intent"
    depth: Depth | None = None
    route: RouteKind | None = None
    internal: bool = False
    system_event: bool = False
    deictic: bool = False
    wants_vector: bool = False
    extended_verdict: Verdict | None = None

    def decide(self, text: str, *, policy: TriggerPolicy, gate: GatePolicy) -> GateVerdict:
        return GateVerdict(
            verdict=self.verdict,
            reason=self.reason,
            rule="fake",
            confidence=0.9,
            query=text,
            depth=self.depth,
            route=self.route,
        )

    def extend(self, verdict: GateVerdict, vector: Vector, text: str) -> GateVerdict:
        return replace(verdict, verdict=self.extended_verdict or verdict.verdict)

    def rules(self) -> Rules:
        return Rules(
            clean=str.strip,
            is_internal_session=lambda _: self.internal,
            is_system_event=lambda _: self.system_event,
            decide=self.decide,
            needs_extended=lambda *_: self.wants_vector,
            extend=self.extend,
            is_deictic=lambda _: self.deictic,
            routes=ROUTES,
        )


@dataclass(kw_only=True)
class FakeEmbed:
    """The message's vector, after a while."""

    delay_ms: int = 1
    ready: bool = True
    calls: int = 0

    async def __call__(self, text: str) -> Vector:
        self.calls += 1
        await anyio.sleep(self.delay_ms / 1_000)
        return np.ones(4, dtype=np.float32)


@dataclass(kw_only=True)
class FakeChat:
    """A language model that says ``content`` or gives ``reply``, after a while."""

    content: str = ""
    reply: ChatReply | None = None
    bar: Barred | None = None
    delay_ms: int = 1
    fails: Exception | None = None
    requests: list[ChatRequest] = field(default_factory=list)
    asked: list[tuple[str, str]] = field(default_factory=list)

    def barred(self, endpoint: str, key_name: str) -> Barred | None:
        self.asked.append((endpoint, key_name))
        return self.bar

    async def complete(self, request: ChatRequest) -> ChatReply:
        self.requests.append(request)
        await anyio.sleep(self.delay_ms / 1_000)
        if self.fails is not None:
            raise self.fails
        return self.reply or ChatReply(outcome=ChatOutcome.OK, content=self.content)


@dataclass(kw_only=True)
class World:
    """Everything one recall needs, all of it replaceable by name."""

    searcher: FakeSearcher = field(default_factory=FakeSearcher)
    gate: FakeGate = field(default_factory=FakeGate)
    rules: Rules | None = None
    embed: FakeEmbed | None = None
    chat: FakeChat | None = None
    sparse: FakeSearcher | None = None
    llm: LlmPolicy = field(default_factory=lambda: LlmPolicy(enabled=True))
    policy: RecallPolicy = field(default_factory=RecallPolicy)
    graph: GraphMemoryPolicy = field(default_factory=GraphMemoryPolicy)
    total_ms: int | None = None

    async def recall(self, text: str | Prompt = "what did we decide about the gate?") -> Recall:
        total_ms = self.total_ms or self.policy.max_total_ms
        fresh = Recall(
            prompt=prompt(text) if isinstance(text, str) else text,
            policy=self.policy,
            graph=self.graph,
            llm=self.llm,
            total_ms=total_ms,
        )
        ports = Ports(
            searcher=self.searcher,
            rules=self.rules or self.gate.rules(),
            embed=self.embed,
            chat=self.chat,
            sparse=self.sparse,
        )
        return await recall(fresh, run=Run(total_ms), ports=ports)


def outcome_of(seen: Recall, stage: str) -> str:
    """What became of a stage; a stage that never ran is an error of the test."""
    return next(note.outcome for note in seen.stages if note.name == stage)
