"""How urgent an act is, in words. Pure.

A tier becomes an urgency here and nowhere else, once a tick.
"""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType

from recalld.heartbeat.model import Decision, Reason, Tier


class Urgency(StrEnum):
    """From the least on."""

    NONE = "none"
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    CRITICAL = "critical"


_LADDER = tuple(Urgency)
BY_TIER: Mapping[Tier, Urgency] = MappingProxyType(
    {
        Tier.IMMEDIATE: Urgency.CRITICAL,
        Tier.ELEVATED: Urgency.HIGH,
        Tier.NORMAL: Urgency.MEDIUM,
        Tier.LOW: Urgency.LOW,
    }
)


def least(decision: Decision) -> Urgency:
    """What the signals alone call for; small things that came together are medium at least, and
    what has no signal is low."""
    by_tier = Urgency.LOW if decision.tier is None else BY_TIER[decision.tier]
    confluent = decision.reason is Reason.ACT_CONFLUENCE
    return raised(Urgency.MEDIUM, by_tier) if confluent else by_tier


def raised(urgency: Urgency, floor: Urgency) -> Urgency:
    """The more urgent of the two."""
    return max(urgency, floor, key=_LADDER.index)
