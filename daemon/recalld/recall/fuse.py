"""Joining the lists of the query routes into one order. Pure.

Weighted reciprocal rank fusion (Cormack et al. 2009). What comes out orders hits and never
judges them.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from recalld.recall.model import Fused, RouteHits
from recalld.recall.policy import PreferSources, RecallPolicy, RrfPolicy
from recalld.recall.suspect import looks_like_instruction
from recalld.search.model import Found, Source

# A note that gives orders must be clearly the better hit to come first: at half its score it
# falls behind any hit that is within a few ranks.
SUSPECT_FACTOR = 0.5

Path = tuple[int, str]
Unit = tuple[int, str, int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """A unit in one route's list. ``rank`` counts from 1, ``chunks`` those it stands for."""

    route: str
    weight: float
    rank: int
    found: Found
    chunks: int


def canonical_path(path: str) -> str:
    """The path with slashes only and without ``./`` and doubled slashes."""
    if not any(odd in path for odd in ("\\", "//", "./")) and not path.startswith("/"):
        return path
    parts = path.replace("\\", "/").split("/")
    return "/".join(part for part in parts if part not in {"", "."})


def fuse(routes: Iterable[RouteHits], policy: RecallPolicy) -> tuple[Fused, ...]:
    """Best first by rank score, ties by raw score, then path, then line.

    With ``chunks_per_path`` 1 the unit is the file, and its best chunk stands for it. Above
    1 the unit is the chunk: each route brings at most so many of a file, and so does the
    result (see ``cap_paths``). Either way a route counts once in a unit's ``route_hits``:
    agreement on a chunk is agreement of routes, not of neighbouring chunks. The order of
    ``routes`` does not matter.
    """
    units: defaultdict[Unit, list[_Place]] = defaultdict(list)
    for name, weight, found in _by_route(routes):
        for place in _places(name, weight, found, policy.chunks_per_path):
            units[_unit(place.found, policy.chunks_per_path)].append(place)
    return ordered(_joined(places, policy) for places in units.values())


def ordered(hits: Iterable[Fused]) -> tuple[Fused, ...]:
    """Best first by rank score, then raw score, then path, then line."""
    return tuple(
        sorted(
            hits,
            key=lambda hit: (
                -hit.rank_score,
                -hit.best_raw_score,
                *path_of(hit.found)[::-1],
                hit.found.start_line,
                hit.found.uid,
            ),
        )
    )


def cap_paths(hits: Sequence[Fused], chunks_per_path: int) -> tuple[Fused, ...]:
    """The first ``chunks_per_path`` of each file, in their order."""
    shown: defaultdict[Path, int] = defaultdict(int)
    kept: list[Fused] = []
    for hit in hits:
        path = path_of(hit.found)
        shown[path] += 1
        if shown[path] <= chunks_per_path:
            kept.append(hit)
    return tuple(kept)


def path_of(found: Found) -> Path:
    """What makes two chunks of one file: workspace and canonical path."""
    return found.workspace_id, canonical_path(found.path)


def contribution(*, rank: int, weight: float, raw_score: float, policy: RrfPolicy) -> float:
    """weight / (k + rank), discounted by the raw score as far as the blend says."""
    blend = policy.raw_score_blend
    return weight / (policy.k + rank) * ((1 - blend) + blend * raw_score)


def source_weight(source: Source, policy: PreferSources) -> float:
    """The configured preference; 1 for sources that have none."""
    return {
        Source.MEMORY: policy.memory,
        Source.WIKI: policy.wiki,
        Source.SESSIONS: policy.sessions,
    }.get(source, 1.0)


def _unit(found: Found, chunks_per_path: int) -> Unit:
    workspace_id, path = path_of(found)
    if chunks_per_path == 1:
        return workspace_id, path, 0, 0
    return workspace_id, path, found.start_line, found.end_line


def _by_route(routes: Iterable[RouteHits]) -> list[tuple[str, float, list[Found]]]:
    """One list a route name, so that a route brought twice still counts once."""
    merged: dict[str, tuple[float, list[Found]]] = {}
    for hits in routes:
        weight, found = merged.get(hits.query.route, (0.0, []))
        merged[hits.query.route] = (max(weight, hits.query.weight), [*found, *hits.found])
    return [(name, weight, found) for name, (weight, found) in merged.items()]


def _places(name: str, weight: float, found: Iterable[Found], chunks_per_path: int) -> list[_Place]:
    """The route's units by raw score, best first, with their ranks."""
    chunks: defaultdict[Unit, list[Found]] = defaultdict(list)
    per_path: defaultdict[Path, set[Unit]] = defaultdict(set)
    for chunk in sorted(found, key=_by_raw_score):
        unit, path = _unit(chunk, chunks_per_path), path_of(chunk)
        if unit not in per_path[path] and len(per_path[path]) >= chunks_per_path:
            continue
        per_path[path].add(unit)
        chunks[unit].append(chunk)
    return [
        _Place(route=name, weight=weight, rank=rank, found=group[0], chunks=len(group))
        for rank, group in enumerate(chunks.values(), start=1)
    ]


def _by_raw_score(chunk: Found) -> tuple[float, float, str, int, str]:
    return (
        -chunk.raw_score,
        -chunk.order_score,
        canonical_path(chunk.path),
        chunk.start_line,
        chunk.uid,
    )


def _joined(places: Sequence[_Place], policy: RecallPolicy) -> Fused:
    best = min(places, key=lambda place: (*_by_raw_score(place.found), place.route)).found
    rrf_score = math.fsum(
        contribution(
            rank=place.rank,
            weight=place.weight,
            raw_score=place.found.raw_score,
            policy=policy.rrf,
        )
        for place in places
    )
    weight = source_weight(best.source, policy.prefer_sources)
    suspect = looks_like_instruction(best.text)
    names = sorted({place.route for place in places}, key=lambda name: (name != "literal", name))
    return Fused(
        found=best,
        best_raw_score=best.raw_score,
        rrf_score=rrf_score,
        source_weight=weight,
        rank_score=rrf_score * weight * (SUSPECT_FACTOR if suspect else 1.0),
        routes=tuple(names),
        route_hits=len(names),
        occurrences=sum(place.chunks for place in places),
        suspect=suspect,
    )
