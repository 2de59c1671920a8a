"""Is the first result so clear that no other query is needed? Pure."""

from collections.abc import Iterable
from dataclasses import dataclass

from recalld.recall.fuse import canonical_path, path_of
from recalld.recall.policy import SourceSignal, StrongSignalPolicy
from recalld.search.model import Found, Source

# .85 - .70 must reach .15 also where the machine's fractions fall short of it.
_SLACK = 1e-9

_CURATED_FILES = frozenset({"MEMORY.md", "USER.md"})


@dataclass(frozen=True, slots=True, kw_only=True)
class StrongSignal:
    """The verdict and the numbers it rests on. ``second`` is 0 where only one file was found."""

    strong: bool
    top: float = 0.0
    second: float = 0.0
    source: str = ""


def strong_signal(found: Iterable[Found], policy: StrongSignalPolicy) -> StrongSignal:
    """Compare the best two *files* with the threshold and gap of the best one's source.

    Both bounds are inclusive. Two chunks of one file do not compete with each other.
    """
    best: dict[tuple[int, str], Found] = {}
    for chunk in found:
        path = path_of(chunk)
        if path not in best or chunk.raw_score > best[path].raw_score:
            best[path] = chunk
    ranked = sorted(best.values(), key=lambda chunk: (-chunk.raw_score, chunk.path))
    if not ranked:
        return StrongSignal(strong=False)
    top, second = ranked[0].raw_score, ranked[1].raw_score if len(ranked) > 1 else 0.0
    source = signal_source(ranked[0])
    min_score, gap = bounds(source, policy)
    clear = top >= min_score - _SLACK and top - second >= gap - _SLACK
    return StrongSignal(strong=policy.enabled and clear, top=top, second=second, source=source)


def signal_source(found: Found) -> str:
    """The source whose threshold applies: memory only where somebody curates it.

    That is ``MEMORY.md``, ``USER.md`` and what lies under ``memory/``; other files of source
    memory count as documents.
    """
    path = canonical_path(found.path)
    if found.source is Source.MEMORY:
        curated = path in _CURATED_FILES or path.startswith("memory/")
        return "memory" if curated else "documents"
    if found.source in {Source.DOCUMENTS, Source.WIKI, Source.SESSIONS}:
        return str(found.source)
    return "default"


def bounds(source: str, policy: StrongSignalPolicy) -> tuple[float, float]:
    """Least score and least gap of a source; what it leaves open comes from the table above."""
    own: SourceSignal = {
        "memory": policy.sources.memory,
        "documents": policy.sources.documents,
        "wiki": policy.sources.wiki,
        "sessions": policy.sources.sessions,
    }.get(source, policy.sources.default)
    min_score = policy.min_score if own.min_score is None else own.min_score
    gap = policy.gap if own.gap is None else own.gap
    return min_score, gap
