"""Small things that come together. Pure."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from recalld.heartbeat.model import Signal, Tier

WEIGHTS: Mapping[Tier, float] = MappingProxyType(
    {Tier.IMMEDIATE: 10.0, Tier.ELEVATED: 5.0, Tier.NORMAL: 3.0, Tier.LOW: 1.0}
)


def score(signals: Iterable[Signal]) -> float:
    """The sum of the tiers' weights, each check once, with the most urgent it found.

    Several kinds of news are a confluence; ten fading memories are one kind of news.
    """
    best: dict[str, Tier] = {}
    for signal in signals:
        best[signal.check] = min(signal.tier, best.get(signal.check, Tier.LOW))
    return sum(WEIGHTS[tier] for tier in best.values())
