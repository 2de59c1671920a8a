"""One recall from prompt to block. Every line is a pure step or a stage.

clean → gate → probe or literal → strong signal → expand → fan out → fuse → judge → check → inject

Where nothing is accepted, a deep recall may ask a language model what else to search, once.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Protocol

import anyio
import anyio.to_thread

from recalld.budget import Outcome, Run, Stage
from recalld.llm.model import Chat, ChatReply
from recalld.recall.freshness import Checked, Reread, check
from recalld.recall.model import RouteQuery, Status
from recalld.recall.record import Recall, Searched
from recalld.recall.rescue import NOT_RUN, request_of
from recalld.recall.rescue_steps import rescue_barred, rescued
from recalld.recall.routes import sparse
from recalld.recall.steps import (
    Rules,
    Vector,
    admitted,
    concluded,
    contenders,
    ended,
    extended,
    gated,
    is_uncertain,
    literal_of,
    placed,
    planned,
    probed,
    ranked,
    results_of,
    sent_on,
    wants_vector,
    with_searches,
)
from recalld.search.model import Scope, Searcher

# One query embedding takes 1 to 5 ms; later than this the rules alone have decided sooner.
GATE_EMBEDDING_MS = 150
# Of a small budget: the search comes after it.
GATE_EMBEDDING_SHARE = 0.25
# A shorter message is cleaned within milliseconds; the longest, of nothing but envelopes, takes
# a fifth of a second that the loop does not have.
INLINE_CHARS = 16_384
CLEANING_MS = 1_000
CLEANING_SHARE = 0.5
# Six files are looked at within a millisecond; a disk that hangs may not cost the answer.
CHECKING_MS = 200
CHECKING_SHARE = 0.5


class MessageEmbed(Protocol):
    """The vector of a message, for the gate's extended stage."""

    @property
    def ready(self) -> bool:
        """Whether asking makes sense now; an engine that still loads would only fail."""

    async def __call__(self, text: str) -> Vector: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Ports:
    """What a recall asks of the world. ``embed`` None: the gate has rules only.

    ``cleaning`` bounds the threads that clean long messages, abandoned ones too; ``checking``
    those that look at files. ``reread`` None: hits are shown as they were indexed. ``chat``
    None: no language model is asked. ``sparse`` searches by learned weights; None: the engine
    gives none.
    """

    searcher: Searcher
    rules: Rules
    embed: MessageEmbed | None = None
    reread: Reread | None = None
    chat: Chat | None = None
    sparse: Searcher | None = None
    checking: anyio.CapacityLimiter = field(default_factory=lambda: anyio.CapacityLimiter(2))
    cleaning: anyio.CapacityLimiter = field(default_factory=lambda: anyio.CapacityLimiter(2))


async def recall(seen: Recall, *, run: Run, ports: Ports) -> Recall:
    """The record filled in and its status set. Fails only with ``Corrupt``."""
    rules = ports.rules
    seen = await _admission(seen, run=run, ports=ports)
    if seen.status is None:
        seen = gated(seen, rules)
        if ports.embed is not None and ports.embed.ready and wants_vector(seen, rules):
            seen = extended(seen, await run.stage(_embedding(seen, ports.embed, run)), rules)
        seen = sent_on(seen, rules)
    if seen.status is None and is_uncertain(seen):
        seen = probed(seen, await run.stage(_probe(seen, ports)))
    elif seen.status is None:
        seen = with_searches(seen, [await run.stage(_literal(seen, ports))])
    if seen.status is None:
        seen = planned(seen, rules)
        more = [*_searches(seen, ports, seen.expansion), *_by_weights(seen, ports)]
        seen = with_searches(seen, await run.fan_out(more))
        seen = await _rescued(ranked(seen), run=run, ports=ports)
        seen = placed(seen, await _check(seen, run=run, ports=ports))
    return concluded(seen, run.ledger, run.elapsed_ms)


async def _admission(seen: Recall, *, run: Run, ports: Ports) -> Recall:
    """Cleaned here, or in a thread where that would hold the loop."""
    work = partial(admitted, seen, ports.rules)
    if len(seen.prompt.text) <= INLINE_CHARS:
        return work()
    stage: Stage[Recall | None] = Stage(
        name="clean",
        work=partial(
            anyio.to_thread.run_sync, work, abandon_on_cancel=True, limiter=ports.cleaning
        ),
        otherwise=None,
        limit_ms=min(CLEANING_MS, int(run.remaining_ms * CLEANING_SHARE)),
    )
    cleaned = await run.stage(stage)
    if cleaned is not None:
        return cleaned
    outcome = run.ledger[-1].outcome
    late = outcome is not Outcome.FAILED
    return ended(seen, Status.TIMEOUT if late else Status.FAIL_OPEN, f"clean: {outcome}")


async def _check(seen: Recall, *, run: Run, ports: Ports) -> Checked:
    """What became of the hits in their files; nothing where that is not known in time."""
    found = [hit.found for hit in contenders(seen)]
    root = seen.prompt.workspace_root
    if ports.reread is None or root is None or not found:
        return {}
    look = partial(check, found, root=root, reread=ports.reread)
    stage: Stage[Checked] = Stage(
        name="check",
        work=partial(
            anyio.to_thread.run_sync, look, abandon_on_cancel=True, limiter=ports.checking
        ),
        otherwise={},
        limit_ms=min(CHECKING_MS, int(run.remaining_ms * CHECKING_SHARE)),
    )
    return await run.stage(stage)


async def _rescued(seen: Recall, *, run: Run, ports: Ports) -> Recall:
    """With what a language model's words found, where nothing else did; see ``rescue_barred``."""
    left_ms = run.remaining_ms
    barred = rescue_barred(seen, ports.chat, remaining_ms=left_ms)
    if barred is not None or ports.chat is None:
        return replace(seen, rescue=barred or NOT_RUN)
    stage: Stage[ChatReply | None] = Stage(
        name="rescue",
        work=partial(ports.chat.complete, request_of(seen.literal, seen.policy.expansion)),
        otherwise=None,
        limit_ms=seen.policy.expansion.timeout_ms,
    )
    reply = await run.stage(stage)
    seen = rescued(seen, reply, run.ledger[-1], left_ms=left_ms)
    found = await run.fan_out(_searches(seen, ports, seen.rescue.queries))
    return ranked(with_searches(seen, found)) if found else seen


def _embedding(seen: Recall, embed: MessageEmbed, run: Run) -> Stage[Vector | None]:
    async def work() -> Vector | None:
        return await embed(seen.query)

    limit_ms = min(GATE_EMBEDDING_MS, int(run.remaining_ms * GATE_EMBEDDING_SHARE))
    return Stage(name="gate.extended", work=work, otherwise=None, limit_ms=limit_ms)


def _probe(seen: Recall, ports: Ports) -> Stage[Searched]:
    query = literal_of(seen, ports.rules)
    return _search(seen, ports.searcher, query=query, stage="probe", limit=1)


def _literal(seen: Recall, ports: Ports) -> Stage[Searched]:
    query = literal_of(seen, ports.rules)
    return _search(seen, ports.searcher, query=query, stage=query.route, limit=results_of(seen))


def _searches(seen: Recall, ports: Ports, queries: Iterable[RouteQuery]) -> list[Stage[Searched]]:
    limit = results_of(seen)
    return [
        _search(seen, ports.searcher, query=query, stage=query.route, limit=limit)
        for query in queries
    ]


def _by_weights(seen: Recall, ports: Ports) -> list[Stage[Searched]]:
    """None after a strong signal, which needs no second opinion."""
    query = sparse.query_of(seen.literal, depth=seen.depth, policy=seen.policy.rrf)
    if ports.sparse is None or query is None or (seen.signal is not None and seen.signal.strong):
        return []
    limit = results_of(seen)
    return [_search(seen, ports.sparse, query=query, stage=query.route, limit=limit)]


def _search(
    seen: Recall, searcher: Searcher, *, query: RouteQuery, stage: str, limit: int
) -> Stage[Searched]:
    workspace_id = seen.prompt.workspace_id
    scope = Scope(workspace_ids=() if workspace_id is None else (workspace_id,))

    async def work() -> Searched:
        result = await searcher.search(query.text, scope=scope, limit=limit, now=seen.prompt.at)
        return Searched(stage=stage, query=query, result=result)

    return Stage(
        name=stage,
        work=work,
        otherwise=Searched(stage=stage, query=query, result=None),
        limit_ms=seen.policy.search_timeout_ms,
    )
