"""What a sentence was found to say. Pure."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from recalld.memories.model import MemoryType


class Kind(StrEnum):
    DECISION = "decision"
    PLAN = "plan"
    PREFERENCE = "preference"
    OUTCOME = "outcome"


# Decisions and outcomes happened; that is what later signals are related to.
TYPES: Mapping[Kind, MemoryType] = MappingProxyType(
    {
        Kind.DECISION: MemoryType.EVENT,
        Kind.PLAN: MemoryType.PLAN,
        Kind.PREFERENCE: MemoryType.PREFERENCE,
        Kind.OUTCOME: MemoryType.EVENT,
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """Each judges a masked sentence; None: it says nothing. ``of_user`` is told also whether the
    message is brief: in a long one an order without a subject is part of a document."""

    of_user: Callable[[str, bool], Kind | None]
    of_agent: Callable[[str], Kind | None]


def one_of(patterns: Iterable[str], *, before: str = "") -> re.Pattern[str]:
    """A pattern for any of ``patterns``, each behind ``before``."""
    return re.compile(f"{before}(?:{'|'.join(patterns)})")
