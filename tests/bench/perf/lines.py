"""What was measured against what was promised."""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A figure. ``at_most`` None: printed, not promised. ``detail`` says what it is made of."""

    name: str
    value: float
    unit: str = ""
    at_most: float | None = None
    detail: str = ""

    @property
    def holds(self) -> bool:
        return self.at_most is None or self.value <= self.at_most

    def __str__(self) -> str:
        value = f"{self.value:,.2f}{self.unit and ' ' + self.unit}"
        if self.at_most is None:
            promise = ""
        else:
            promise = f"<= {self.at_most:g}  {'ok' if self.holds else 'MISSED'}"
        return f"{self.name:46s} {value:>16s}  {promise:16s} {self.detail}".rstrip()


def median_ratio(pairs: Sequence[tuple[float, float]]) -> float:
    return statistics.median(above / below for above, below in pairs)


def median_ms(times_s: Sequence[float]) -> float:
    return statistics.median(times_s) * 1_000


def quantile_ms(times_s: Sequence[float], share: float) -> float:
    """The smallest time that ``share`` of all do not exceed."""
    return sorted(times_s)[math.ceil(share * len(times_s)) - 1] * 1_000
