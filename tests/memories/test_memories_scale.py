"""What an engine's cosines mean: measured, in order, and right for the engine that ships."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recalld.counters import Counters
from recalld.embed import usem3
from recalld.embed.policy import EmbedPolicy
from recalld.embed.port import Embedder, Vectors
from recalld.memories.dedupe import repeats
from recalld.memories.resolve import reports_done
from recalld.memories.scale import (
    KINDS,
    NEAR,
    PLAIN,
    REPORTED,
    SEMANTIC,
    Scale,
    measured,
    texts,
)
from support import memory_pairs as pairs
from support.embedders import hashed_embedder

Pairs = tuple[tuple[str, str], ...]


def scale_for(*lows: float) -> Scale:
    """Of an engine whose pairs all have the cosine of their kind."""
    by_place = [low for low, kind in zip(lows, KINDS, strict=True) for _ in range(2 * len(kind))]
    return measured(lambda one, _: by_place[one])


def test_each_threshold_stands_for_the_lowest_cosine_of_its_kind():
    scale = scale_for(0.1, 0.6, 0.8, 0.95)
    assert scale.common(0.57) == pytest.approx(REPORTED)
    assert scale.common(0.77) == pytest.approx(NEAR)
    assert scale.common(0.945) == pytest.approx(SEMANTIC)
    assert scale.common(1.0) == 1.0
    assert scale.common(-1.0) == -1.0


@given(*[st.floats(-1, 1)] * 4, st.floats(-1, 1), st.floats(-1, 1))
def test_any_engines_scale_keeps_the_order_and_goes_both_ways(
    unrelated: float, reported: float, same: float, turned: float, one: float, other: float
):
    scale = scale_for(unrelated, reported, same, turned)
    low, high = sorted((one, other))
    assert -1.0 <= scale.common(low) <= scale.common(high) <= 1.0
    assert all(a < b and c < d for (a, c), (b, d) in pairwise(scale.anchors))
    assert scale.common(scale.cosine(0.7)) == pytest.approx(0.7)


def test_an_engine_that_tells_nothing_apart_is_not_trusted():
    assert scale_for(0.9, 0.8, 0.95, 0.99) == PLAIN
    assert scale_for(0.5, 0.5, 0.5, 0.5) == PLAIN


async def cosines(embedder: Embedder, wanted: Pairs) -> list[float]:
    ones = await embedder.embed_passages([one for one, _ in wanted])
    others = await embedder.embed_passages([other for _, other in wanted])
    return [float(cosine) for cosine in np.sum(ones * others, axis=1)]


async def measure(embedder: Embedder) -> Scale:
    await embedder.run()
    rows: Vectors = await embedder.embed_passages(texts())
    return measured(lambda one, other: float(rows[one] @ rows[other]))


async def test_the_shipped_engine_finds_repetitions_and_reports_that_it_has_never_seen():
    embedder = usem3.ENGINE.build(EmbedPolicy(), Counters())
    scale = await measure(embedder)
    assert [value for _, value in scale.anchors] == [-1.0, 0.0, REPORTED, NEAR, SEMANTIC, 1.0]

    async def judged(wanted: Pairs) -> list[tuple[float, bool, bool]]:
        found = zip(wanted, await cosines(embedder, wanted), strict=True)
        return [
            (
                scale.common(cosine),
                repeats(second, first, cosine, scale),
                reports_done(second, first, cosine, scale),
            )
            for (first, second), cosine in found
        ]

    assert all(value >= NEAR and again for value, again, _ in await judged(pairs.SAME))
    assert all(value >= SEMANTIC and again for value, again, _ in await judged(pairs.TURNED))
    assert all(value >= REPORTED and done for value, _, done in await judged(pairs.DONE))
    assert all(value < 0.1 for value, _, _ in await judged(pairs.UNRELATED))
    for kind in (pairs.CHANGED, pairs.RELATED, pairs.LOOSE, pairs.UNRELATED):
        assert not any(again for _, again, _ in await judged(kind))
    assert not any(done for _, _, done in await judged(pairs.OPEN))


async def test_the_engine_alone_would_merge_most_of_what_differs():
    """Why words decide: by cosines alone, most of these would be lost."""
    embedder = usem3.ENGINE.build(EmbedPolicy(), Counters())
    scale = await measure(embedder)
    changed = [scale.common(cosine) for cosine in await cosines(embedder, pairs.CHANGED)]
    assert sum(value >= NEAR for value in changed) > len(changed) / 2


async def test_an_engine_of_words_is_measured_too():
    scale = await measure(hashed_embedder())
    assert scale != PLAIN
