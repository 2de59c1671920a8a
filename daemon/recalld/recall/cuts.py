"""Every chunk that any route found, and the rule that kept it out of the block. Pure."""

from recalld.recall.record import Recall
from recalld.search.model import Found

MIN_SCORE = "min_score"
QUALITY_GATE = "quality_gate"
CHUNKS_PER_PATH = "chunks_per_path"
TOP_K = "top_k"
ALREADY_SHOWN = "already_shown"
STALE = "stale"
TOKEN_BUDGET = "token_budget"  # noqa: S105  (a rule's name, no password)


def candidates_of(seen: Recall) -> list[dict[str, object]]:
    """One row a chunk, best raw score first, with its rank and raw score in each route.

    ``cutBy`` is null for what is shown. Ranks count from 1 in the route's own list. A chunk
    that only the probe saw has the probe as its route.
    """
    rows: dict[str, dict[str, object]] = {}
    places: dict[str, list[dict[str, object]]] = {}
    chunks: dict[str, Found] = {}
    for search in seen.searches:
        for rank, found in enumerate(search.result.found if search.result else (), start=1):
            best = chunks.get(found.uid)
            if best is None or found.raw_score > best.raw_score:
                chunks[found.uid] = found
            places.setdefault(found.uid, []).append(
                {"route": search.stage, "rank": rank, "raw": round(found.raw_score, 6)}
            )
    rules = _rules(seen)
    for uid, found in chunks.items():
        rows[uid] = {
            "id": uid,
            "path": found.path,
            "startLine": found.start_line,
            "endLine": found.end_line,
            "source": found.source,
            "bestRaw": round(found.raw_score, 6),
            "routes": places[uid],
            "cutBy": _rule_of(seen, found, rules),
        }
    return [rows[uid] for uid in sorted(rows, key=lambda uid: (-chunks[uid].raw_score, uid))]


def _rules(seen: Recall) -> dict[str, str | None]:
    """The rule for each fused place, by the id of its best chunk."""
    shown = () if seen.injection is None else seen.injection.shown
    rules: dict[str, str | None] = {hit.found.uid: QUALITY_GATE for hit in seen.judged.rejected}
    rules |= {hit.found.uid: CHUNKS_PER_PATH for hit in seen.judged.accepted}
    rules |= {hit.found.uid: TOP_K for hit in seen.eligible}
    rules |= dict.fromkeys(seen.repeated, ALREADY_SHOWN)
    rules |= dict.fromkeys(seen.stale, STALE)
    rules |= {hit.found.uid: TOKEN_BUDGET for hit in seen.chosen}
    return rules | {hit.found.uid: None for hit in shown}


def _rule_of(seen: Recall, found: Found, rules: dict[str, str | None]) -> str | None:
    if found.uid in rules:
        return rules[found.uid]
    if found.raw_score < seen.policy.min_score:
        return MIN_SCORE
    if seen.signal is None:
        return QUALITY_GATE
    return CHUNKS_PER_PATH
