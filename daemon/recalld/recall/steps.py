"""The steps of a recall between its waits: each takes the record and gives the next. Pure."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from recalld.budget import Outcome, StageNote
from recalld.recall.expand import bounded, expand, literal_query
from recalld.recall.freshness import Checked
from recalld.recall.fuse import cap_paths, fuse
from recalld.recall.inject import inject, snippet_of
from recalld.recall.ledger import is_repeated
from recalld.recall.lists import asks_for_list, with_room
from recalld.recall.model import (
    Depth,
    Fused,
    GateVerdict,
    Route,
    RouteHits,
    RouteKind,
    RouteQuery,
    Status,
    Verdict,
)
from recalld.recall.policy import GatePolicy, TriggerPolicy
from recalld.recall.quality import above_floor, judge, probe_passes
from recalld.recall.record import GateStatus, Recall, Searched
from recalld.recall.signal import strong_signal
from recalld.recall.view import ends
from recalld.text.redact import redact

# How many results a route brings at least, by depth; what is shown is recall.top_k.
RESULTS = {Depth.LITERAL: 3, Depth.BALANCED: 5, Depth.DEEP: 8}
# Looked at on disk before any is shown: what turns out to be stale makes room for the next.
CHECKED_FACTOR = 2
PROFILE_DEPTH = {"speed": Depth.LITERAL, "balanced": Depth.BALANCED, "deep": Depth.DEEP}

Vector = NDArray[np.float32]


class Decide(Protocol):
    def __call__(self, text: str, *, policy: TriggerPolicy, gate: GatePolicy) -> GateVerdict: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """The pure judgements of the gate, and the query routes."""

    clean: Callable[[str], str]
    is_internal_session: Callable[[str], bool]
    is_system_event: Callable[[str], bool]
    decide: Decide
    needs_extended: Callable[[GateVerdict, str], bool]
    extend: Callable[[GateVerdict, Vector, str], GateVerdict]
    is_deictic: Callable[[str], bool]
    routes: tuple[Route, ...]


def admitted(seen: Recall, rules: Rules) -> Recall:
    """Cleaned, or ended where recall is off, not for this agent or not for this kind of run."""
    prompt, policy = seen.prompt, seen.policy
    if not policy.enabled:
        return ended(seen, Status.DISABLED, "recall.enabled")
    if prompt.agent not in policy.agents:
        return ended(seen, Status.DISABLED, "recall.agents")
    if rules.is_internal_session(prompt.session_key):
        return ended(seen, Status.SKIPPED_INTERNAL)
    if policy.skip_system_events and rules.is_system_event(prompt.text):
        return ended(seen, Status.SKIPPED_SYSTEM_EVENT)
    return replace(seen, cleaned=rules.clean(prompt.text))


def gated(seen: Recall, rules: Rules) -> Recall:
    """With the rules' verdict, the depth and the demanded route. A long message is judged by
    its ends: the rules never hold the loop over what is pasted between them."""
    policy = seen.policy
    verdict = rules.decide(ends(seen.cleaned), policy=policy.trigger, gate=policy.gate)
    return with_verdict(seen, verdict)


def with_verdict(seen: Recall, verdict: GateVerdict) -> Recall:
    """Depth: what the message asks for, else the profile's. Graph and hybrid are recorded as
    demanded and answered by vector search while nothing reads the graph."""
    route = verdict.route or RouteKind.VECTOR
    fallback = None
    if route is not RouteKind.VECTOR:
        fallback = "graph_unavailable" if seen.graph.enabled else "graph_disabled"
    return replace(
        seen,
        verdict=verdict,
        # Redacted before it is cut: no shape matches the half of a secret.
        query=bounded(redact(verdict.query).text),
        depth=verdict.depth or PROFILE_DEPTH[seen.policy.profile],
        route=route,
        fallback_reason=fallback,
    )


def wants_vector(seen: Recall, rules: Rules) -> bool:
    """Whether the embedding of the message may change the rules' verdict."""
    if seen.verdict is None or not seen.policy.gate.extended:
        return False
    return rules.needs_extended(seen.verdict, seen.query)


def extended(seen: Recall, vector: Vector | None, rules: Rules) -> Recall:
    """With the verdict as the message's vector changes it; without a vector it stands."""
    if vector is None or seen.verdict is None:
        return seen
    verdict = rules.extend(seen.verdict, vector, seen.query)
    return seen if verdict is seen.verdict else with_verdict(seen, verdict)


def sent_on(seen: Recall, rules: Rules) -> Recall:
    """With the literal query, or ended where there is nothing to search or nowhere."""
    verdict = seen.verdict
    if verdict is None or verdict.verdict is Verdict.NO:
        return ended(seen, Status.SKIPPED_NOT_NEEDED)
    if seen.prompt.workspace_id is None:
        return ended(seen, Status.NO_RESULT, "no_workspace")
    # Only the running conversation says what "fix it" means: alone it matches anything.
    unsure = verdict.verdict is Verdict.UNCERTAIN
    if unsure and seen.policy.gate.extended and rules.is_deictic(seen.query):
        return ended(seen, Status.SKIPPED_PROBE_NO, "deictic")
    policy = with_room(seen.policy) if asks_for_list(seen.query) else seen.policy
    return replace(seen, literal=literal_query(seen.query), policy=policy)


def results_of(seen: Recall) -> int:
    """How many results each route brings: no fewer than may be shown."""
    return max(RESULTS[seen.depth], seen.policy.top_k)


def is_uncertain(seen: Recall) -> bool:
    return seen.verdict is not None and seen.verdict.verdict is Verdict.UNCERTAIN


def literal_of(seen: Recall, rules: Rules) -> RouteQuery:
    """The literal query with its weight in fusion."""
    route = next(route for route in rules.routes if route.name == "literal")
    weight = route.weight(seen.policy.rrf)
    return RouteQuery(route=route.name, text=seen.literal, weight=weight)


def probed(seen: Recall, probe: Searched) -> Recall:
    """With the probe as the literal result, or ended where it is no good."""
    looked = with_searches(seen, [probe])
    if probe.result is None:
        failed = replace(looked, gate_status=GateStatus.ERROR)
        return ended(failed, Status.SKIPPED_PROBE_NO, "probe_failed")
    if not probe_passes(probe.result.found, seen.policy):
        failed = replace(looked, gate_status=GateStatus.FAIL)
        return ended(failed, Status.SKIPPED_PROBE_NO, "probe_low_quality")
    return replace(looked, gate_status=GateStatus.BGE_PROBE_PASS)


def with_searches(seen: Recall, done: Iterable[Searched]) -> Recall:
    """With the results of ``done``, those below the floor left out of the lists."""
    done = tuple(done)
    lists = [
        RouteHits(
            query=search.query,
            found=above_floor(search.result.found, seen.policy),
            degraded=search.result.degraded,
        )
        for search in done
        if search.result is not None
    ]
    return replace(seen, searches=seen.searches + done, lists=(*seen.lists, *lists))


def planned(seen: Recall, rules: Rules) -> Recall:
    """With the strong signal of the literal result and, where it is not strong, more queries."""
    found = [chunk for hits in seen.lists for chunk in hits.found]
    signal = strong_signal(found, seen.policy.strong_signal)
    if signal.strong:
        return replace(seen, signal=signal)
    queries = expand(seen.literal, depth=seen.depth, policy=seen.policy, routes=rules.routes)
    return replace(seen, signal=signal, expansion=queries)


def ranked(seen: Recall) -> Recall:
    """Fused, judged and cut to so many a file; what the session was shown lately is left out.

    Who asks for it explicitly is shown it again.
    """
    judged = judge(fuse(seen.lists, seen.policy), seen.policy)
    explicit = seen.verdict is not None and seen.verdict.reason == "explicit_prefix"
    repeated = frozenset(
        hit.found.uid for hit in judged.accepted if not explicit and _was_shown(hit, seen)
    )
    news = [hit for hit in judged.accepted if hit.found.uid not in repeated]
    kept = cap_paths(news, seen.policy.chunks_per_path)
    return replace(seen, judged=judged, repeated=repeated, eligible=kept)


def _was_shown(hit: Fused, seen: Recall) -> bool:
    uid = hit.found.uid
    return uid in seen.shown and is_repeated(uid, snippet_of(hit.found, seen.policy), seen.shown)


def contenders(seen: Recall) -> tuple[Fused, ...]:
    """Those of the eligible hits that are worth a look at their files."""
    return seen.eligible[: CHECKED_FACTOR * seen.policy.top_k]


def placed(seen: Recall, checked: Checked) -> Recall:
    """Cut to so many at all and put into a block, each with its lines of now.

    ``checked`` empty: nothing is known, they are taken as they were indexed.
    """
    stale = frozenset(uid for uid, found in checked.items() if found is None)
    kept = [
        replace(hit, found=checked.get(hit.found.uid) or hit.found)
        for hit in seen.eligible
        if not checked or hit.found.uid in checked.keys() - stale
    ]
    chosen = tuple(kept[: seen.policy.top_k])
    block = inject(chosen, depth=seen.depth, policy=seen.policy)
    return replace(seen, stale=stale, chosen=chosen, injection=block)


def concluded(seen: Recall, notes: Sequence[StageNote], elapsed_ms: float) -> Recall:
    """With its status, by what was shown and by what became of the searches.

    ``partial``: something is shown and a route failed. Nothing shown: ``timeout`` or
    ``fail_open`` where a route was late or broke, ``no_result`` where nothing was found,
    ``low_quality`` where it was not good enough.
    """
    done = replace(seen, stages=tuple(notes), elapsed_ms=elapsed_ms)
    if done.status is not None:
        return done
    failures = _failures(done, notes)
    reason = failures[0][1] if failures else _degraded(done)
    if done.injection is not None:
        return ended(done, Status.PARTIAL if failures else Status.OK, reason)
    if failures:
        late = all(outcome is not Outcome.FAILED for outcome, _ in failures)
        return ended(done, Status.TIMEOUT if late else Status.FAIL_OPEN, reason)
    if done.judged.accepted:
        return ended(done, Status.NO_RESULT, _why_withheld(done))
    anything = any(search.result and search.result.found for search in done.searches)
    return ended(done, Status.LOW_QUALITY if anything else Status.NO_RESULT, reason)


def _why_withheld(seen: Recall) -> str:
    """What kept everything that was good enough out of the block."""
    if seen.chosen:
        return "token_budget"
    return "already_shown" if seen.repeated else "stale"


def ended(seen: Recall, status: Status, reason: str | None = None) -> Recall:
    return replace(seen, status=status, reason=reason)


def _failures(seen: Recall, notes: Sequence[StageNote]) -> list[tuple[Outcome, str]]:
    broken = {search.stage for search in seen.searches if search.result is None}
    return [(note.outcome, f"{note.name}: {note.outcome}") for note in notes if note.name in broken]


def _degraded(seen: Recall) -> str | None:
    return next((why for hits in seen.lists for why in hits.degraded), None)
