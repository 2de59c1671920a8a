"""Long lists a piece at a time. Pure."""

from collections.abc import Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")


def slices(items: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    """``items`` in pieces of ``size``, the last one shorter; none of no items."""
    for start in range(0, len(items), size):
        yield items[start : start + size]
