"""The index first, and where it cannot answer the user's command, within one budget."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import anyio

from recalld.budget import Outcome, Run, Stage
from recalld.counters import Counters
from recalld.errors import Unavailable
from recalld.fallback.answers import Context, filled, read_answer
from recalld.fallback.command import output_of
from recalld.fallback.policy import FallbackPolicy
from recalld.search.model import Scope, Searcher, SearchResult

INDEX_SHARE = 0.6
INDEX_MIN_MS = 250
# For callers without a deadline; the usual time of one query route.
TOTAL_MS = 2_200
# What killing a program takes at a caller's deadline.
ENDING_MS = 30
# Programs at once; a command that starts an interpreter takes a core for half a second.
PROGRAMS = 2
NOT_READY = "index: not ready"


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """Where the command runs. ``context_of`` None: that workspace is not known.

    ``withheld`` names the variables that the program is not to see.
    """

    environ: Mapping[str, str]
    withheld: Callable[[], Sequence[str]]
    context_of: Callable[[int], Context | None]


class FallbackSearcher:
    """A ``Searcher``. Without a command it is the index alone.

    Counted: ``fallback.searches`` (the command was run), ``fallback.failed``, ``fallback.rows``
    that were no hits.
    """

    def __init__(
        self,
        index: Searcher,
        *,
        policy: Callable[[], FallbackPolicy],
        surroundings: Surroundings,
        counters: Counters,
    ) -> None:
        self._index = index
        self._policy = policy
        self._around = surroundings
        self._counters = counters
        self._programs = anyio.CapacityLimiter(PROGRAMS)

    async def search(self, query: str, *, scope: Scope, limit: int, now: datetime) -> SearchResult:
        """The index gets 60 % of the time, at least 250 ms, and the command what is left.

        The command is asked where the index fails, is late, or has nothing because it is not
        ready; the ids of its hits and ``degraded`` say so. Raises ``Unavailable`` where both fail.
        """
        command = self._policy().fallback_command
        if not command:
            return await self._index.search(query, scope=scope, limit=limit, now=now)
        run = Run(_time_left_ms())

        async def from_index() -> SearchResult | None:
            try:
                return await self._index.search(query, scope=scope, limit=limit, now=now)
            except Unavailable:
                return None

        index_ms = max(INDEX_MIN_MS, int(run.remaining_ms * INDEX_SHARE))
        indexed = await run.stage(
            Stage(name="index", work=from_index, otherwise=None, limit_ms=index_ms)
        )
        if indexed is not None and not _not_ready(indexed):
            return indexed
        found = await self._from_command(run, command, query=query, scope=scope, limit=limit)
        return self._joined(indexed, found)

    async def _from_command(
        self, run: Run, command: Sequence[str], *, query: str, scope: Scope, limit: int
    ) -> SearchResult | None:
        contexts = [self._around.context_of(key) for key in scope.workspace_ids[:1]]
        context = contexts[0] if contexts else None
        if context is None:
            return None
        argv = filled(command, query=query, limit=limit)

        async def work() -> SearchResult | None:
            try:
                return await self._asked(argv, context, scope=scope, limit=limit)
            except Unavailable:
                return None

        self._counters.add("fallback.searches")
        stage: Stage[SearchResult | None] = Stage(
            name="command", work=work, otherwise=None, limit_ms=max(1, int(run.remaining_ms))
        )
        found = await run.stage(stage)
        if found is None:
            late = run.ledger[-1].outcome is not Outcome.OK
            self._counters.add("fallback.late" if late else "fallback.failed")
        return found

    async def _asked(
        self, argv: Sequence[str], context: Context, *, scope: Scope, limit: int
    ) -> SearchResult | None:
        hidden = set(self._around.withheld())
        environ = {
            name: value for name, value in self._around.environ.items() if name not in hidden
        }
        async with self._programs:
            printed = await output_of(argv, folder=context.root or None, environ=environ)
        answer = read_answer(printed, context, limit=limit)
        if answer is None:
            return None
        if answer.refused:
            self._counters.add("fallback.rows", answer.refused)
        wanted = scope.sources
        found = tuple(hit for hit in answer.found if wanted is None or hit.source in wanted)
        return SearchResult(found=found)

    def _joined(self, indexed: SearchResult | None, found: SearchResult | None) -> SearchResult:
        """The command's hits, else the index's empty answer, each with what did not take part."""
        missing = (NOT_READY,) if indexed is not None else ("index: unavailable",)
        if found is not None:
            return replace(found, degraded=(*missing, "search.fallback_command answered"))
        if indexed is not None:
            return replace(indexed, degraded=(*indexed.degraded, "fallback: failed"))
        raise Unavailable("search", "neither the index nor search.fallback_command answered")


def _not_ready(result: SearchResult) -> bool:
    return not result.found and NOT_READY in result.degraded


def _time_left_ms() -> int:
    left_ms = (anyio.current_effective_deadline() - anyio.current_time()) * 1_000
    return max(1, int(min(TOTAL_MS, left_ms - ENDING_MS)))
