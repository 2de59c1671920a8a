"""One engine's view of a vector table that two engines use."""

from collections.abc import Mapping, Sequence

from recalld.embed.port import Embedder, EmbedderState
from recalld.search.model import StoredVectors
from recalld.search.preferred.engine import StoredWeights

WORDS = "/words"


class SharedVectors:
    """``StoredVectors`` that leave the other engine's alone and share the words' vectors.

    ``words``: the identity of the engine that embeds words for both. What the other has stored
    is neither swept nor counted. ``weights``: where a text has a vector but no weights, it is
    embedded again.
    """

    def __init__(
        self,
        stored: StoredVectors,
        *,
        other: Embedder,
        words: str,
        weights: StoredWeights | None = None,
    ) -> None:
        self._stored = stored
        self._engine = other
        self._other = str(other.identity)
        self._words = words + WORDS
        self._weights = weights

    async def find(self, identity: str, hashes: Sequence[bytes]) -> dict[bytes, bytes]:
        found = await self._stored.find(self._named(identity), hashes)
        if self._weights is None or identity.endswith(WORDS):
            return found
        known = await self._weights.known(identity, list(found))
        return {key: vector for key, vector in found.items() if key in known}

    async def texts(self, hashes: Sequence[bytes]) -> dict[bytes, str]:
        return await self._stored.texts(hashes)

    async def put(self, identity: str, vectors: Mapping[bytes, bytes]) -> None:
        await self._stored.put(self._named(identity), vectors)

    async def sweep(self, identity: str, *, keep: Sequence[str]) -> int:
        if self._engine.state is EmbedderState.FAILED:
            return 0  # without its files nobody knows which vectors are its own
        kept = (*map(self._named, keep), self._other, self._words)
        return await self._stored.sweep(identity, keep=kept)

    async def counts(self) -> dict[str, int]:
        found = await self._stored.counts()
        others = (self._other, self._other + WORDS, self._words)
        return {name: count for name, count in found.items() if name not in others}

    def _named(self, identity: str) -> str:
        return self._words if identity.endswith(WORDS) else identity
