"""What is good enough to be shown. Judged on raw scores alone. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass

from recalld.recall.model import Fused
from recalld.recall.policy import RecallPolicy
from recalld.search.model import Found


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """Both parts keep the order they came in."""

    accepted: tuple[Fused, ...] = ()
    rejected: tuple[Fused, ...] = ()

    @property
    def best_raw_score(self) -> float | None:
        """None when nothing was found at all."""
        return max((hit.best_raw_score for hit in self.accepted + self.rejected), default=None)


def above_floor(found: Iterable[Found], policy: RecallPolicy) -> tuple[Found, ...]:
    """The chunks that reach ``min_score``, inclusive."""
    return tuple(chunk for chunk in found if chunk.raw_score >= policy.min_score)


def is_accepted(raw_score: float, route_hits: int, policy: RecallPolicy) -> bool:
    """High alone, or medium where enough different routes agree. Bounds are inclusive.

    The only place where relevance is decided; a rank score has no part in it, since rank 1 of
    a bad list is still bad.
    """
    if raw_score >= policy.high_raw_score:
        return True
    agreed = route_hits >= policy.quality_gate.min_route_hits
    return agreed and raw_score >= policy.medium_raw_score


def judge(fused: Iterable[Fused], policy: RecallPolicy) -> Judged:
    """Tell the accepted from the rejected."""
    accepted: list[Fused] = []
    rejected: list[Fused] = []
    for hit in fused:
        passed = is_accepted(hit.best_raw_score, hit.route_hits, policy)
        (accepted if passed else rejected).append(hit)
    return Judged(accepted=tuple(accepted), rejected=tuple(rejected))


def probe_passes(found: Iterable[Found], policy: RecallPolicy) -> bool:
    """Whether the best chunk of one probe is good enough: one route, so the high score only."""
    best = max((chunk.raw_score for chunk in found), default=0.0)
    return best >= policy.high_raw_score
