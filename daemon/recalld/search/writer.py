"""Texts to stored vectors, a batch at a time."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

import numpy as np

from recalld.counters import Counters
from recalld.embed.port import Embedder, EmbedderState, Vectors
from recalld.errors import Unavailable
from recalld.search.model import StoredVectors
from recalld.slices import slices

# 16 windows of 300 characters take 60 ms; a query waits for one batch at most.
PASSAGE_BATCH = 16
WORD_BATCH = 64

Texts = Sequence[tuple[bytes, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """What is embedded in one way and stored under one identity."""

    identity: str
    embed: Callable[[Sequence[str]], Awaitable[Vectors]]
    batch: int


def passages_of(embedder: Embedder) -> Kind:
    return Kind(identity=str(embedder.identity), embed=embedder.embed_passages, batch=PASSAGE_BATCH)


def words_of_vocabulary(embedder: Embedder) -> Kind:
    return Kind(identity=f"{embedder.identity}/words", embed=embedder.embed_words, batch=WORD_BATCH)


class VectorWriter:
    """Counted: ``search.embedded``, ``search.refused_texts``."""

    def __init__(
        self, vectors: StoredVectors, *, kind: Kind, embedder: Embedder, counters: Counters
    ) -> None:
        self._vectors = vectors
        self._kind = kind
        self._embedder = embedder
        self._counters = counters

    @property
    def identity(self) -> str:
        return self._kind.identity

    async def put(self, texts: Texts, *, refused: set[bytes]) -> dict[bytes, bytes]:
        """Embed and store; what was stored. A text that breaks the engine goes to ``refused``.

        ``Unavailable`` when it is the engine itself that is not there.
        """
        stored: dict[bytes, bytes] = {}
        for some in slices(texts, self._kind.batch):
            stored |= await self._batch(some, refused)
        return stored

    async def _batch(self, batch: Texts, refused: set[bytes]) -> dict[bytes, bytes]:
        try:
            vectors = await self._kind.embed([text for _, text in batch])
        except Unavailable:
            if self._embedder.state is not EmbedderState.READY or self._embedder.problem:
                raise
            return await self._apart(batch, refused)
        half = vectors.astype(np.float16)
        blobs = {key: row.tobytes() for (key, _), row in zip(batch, half, strict=True)}
        await self._vectors.put(self._kind.identity, blobs)
        self._counters.add("search.embedded", len(batch))
        return blobs

    async def _apart(self, batch: Texts, refused: set[bytes]) -> dict[bytes, bytes]:
        """One by one, to find the text that broke the batch."""
        if len(batch) == 1:
            refused.add(batch[0][0])
            self._counters.add("search.refused_texts")
            return {}
        stored: dict[bytes, bytes] = {}
        for one in batch:
            stored |= await self._batch([one], refused)
        return stored
