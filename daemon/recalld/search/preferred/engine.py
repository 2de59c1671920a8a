"""Two engines as one: texts by the preferred one, single words by the default one.

The neighbours of a word are cheap with the default engine and were measured with it.
"""

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Protocol

from recalld.embed.port import (
    Embedder,
    EmbedderState,
    Identity,
    Purpose,
    QuestionVectors,
    SparseEmbedder,
    Vectors,
)
from recalld.errors import Unavailable
from recalld.search.preferred.sparse import packed


class StoredWeights(Protocol):
    """Where learned sparse weights are kept, by text hash and identity."""

    async def find(self, identity: str, hashes: Sequence[bytes]) -> dict[bytes, bytes]: ...

    async def known(self, identity: str, hashes: Sequence[bytes]) -> set[bytes]: ...

    async def put(self, identity: str, weights: Mapping[bytes, bytes]) -> None: ...

    async def sweep(self, identity: str) -> int: ...


class PairedEmbedder:
    """An ``Embedder`` of the preferred engine's identity.

    ``ready`` does not load it: a process of 1.7 GB starts when there is something to embed, and
    then ``embed_passages`` waits for it. The weights of a passage are stored before its vector
    is handed out, so a text with a stored vector has its weights too.
    """

    def __init__(
        self, preferred: SparseEmbedder, *, default: Embedder, weights: StoredWeights
    ) -> None:
        self._preferred = preferred
        self._default = default
        self._weights = weights

    @property
    def identity(self) -> Identity:
        return self._preferred.identity

    @property
    def state(self) -> EmbedderState:
        return self._preferred.state

    @property
    def problem(self) -> str:
        return self._preferred.problem

    async def run(self) -> None:
        """Both are run by who made them."""

    async def ready(self) -> None:
        if self.state is EmbedderState.FAILED:
            raise Unavailable("embedder", self.problem)

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        return await self._preferred.embed_queries(texts)

    async def embed_question(
        self, texts: Sequence[str], *, words: Sequence[str]
    ) -> QuestionVectors:
        known = await self._default.embed_question((), words=words) if words else None
        both = await self._preferred.embed_both(texts, Purpose.QUERY)
        return QuestionVectors(
            texts=both.dense,
            words=both.dense[:0] if known is None else known.words,
            sparse=both.sparse,
        )

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        await self._preferred.ready()
        both = await self._preferred.embed_both(texts, Purpose.PASSAGE)
        blobs = {
            text_hash(text): packed(weights)
            for text, weights in zip(texts, both.sparse, strict=True)
        }
        await self._weights.put(str(self.identity), blobs)
        return both.dense

    async def embed_words(self, texts: Sequence[str]) -> Vectors:
        await self._default.ready()
        return await self._default.embed_words(texts)


def text_hash(text: str) -> bytes:
    """What the index knows a window by."""
    return blake2b(text.encode("utf-8", "replace"), digest_size=16).digest()
