"""Engines for tests: deterministic, small, and breakable on purpose."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import blake2b

import numpy as np

from recalld.counters import Counters
from recalld.embed.policy import EmbedPolicy
from recalld.embed.port import Identity, Purpose, Vectors
from recalld.embed.threaded import ThreadedEmbedder, ThreadedEngine
from recalld.text.tokens import lexical_tokens


@dataclass(eq=False)
class HashModel:
    """A bag of hashed tokens: texts that share words are near each other.

    ``hangs`` holds calls whose text contains it until ``release`` is set; ``breaks`` raises.
    """

    dimension: int = 64
    hangs: str | None = None
    breaks: str | None = None
    nan: str | None = None
    release: threading.Event = field(default_factory=threading.Event)
    batches: list[tuple[Purpose, tuple[str, ...]]] = field(default_factory=list)

    def encode(self, texts: Sequence[str], purpose: Purpose) -> Vectors:
        self.batches.append((purpose, tuple(texts)))
        if self.hangs is not None and any(self.hangs in text for text in texts):
            self.release.wait(30)
        if self.breaks is not None and any(self.breaks in text for text in texts):
            raise RuntimeError("broken on purpose")
        rows = np.stack([self._row(text) for text in texts])
        if self.nan is not None and any(self.nan in text for text in texts):
            rows[:, 0] = np.nan
        return rows.astype(np.float32)

    def _row(self, text: str) -> Vectors:
        row = np.full(self.dimension, 0.01, np.float32)
        for token in lexical_tokens(text) or [text]:
            digest = blake2b(token.encode("utf-8", "replace"), digest_size=8).digest()
            row[int.from_bytes(digest[:4], "big") % self.dimension] += 1.0
            row[int.from_bytes(digest[4:], "big") % self.dimension] += 0.5
        return row


def hashed_embedder(
    model: HashModel | None = None,
    *,
    counters: Counters | None = None,
    name: str = "hashed",
) -> ThreadedEmbedder:
    """An engine over ``model``; start its ``run`` to make it ready."""
    chosen = model or HashModel()
    engine = ThreadedEngine(
        identity=Identity(engine=name, model="tokens", dimension=chosen.dimension),
        load=lambda _: chosen,
    )
    return ThreadedEmbedder(engine, policy=EmbedPolicy(), counters=counters or Counters())
