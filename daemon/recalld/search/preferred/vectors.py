"""One engine's view of a vector table that two engines use."""

from collections.abc import Mapping, Sequence

from recalld.search.model import StoredVectors

WORDS = "/words"


class SharedVectors:
    """``StoredVectors`` that leave the other engine's alone and share the words' vectors.

    ``words``: the identity of the engine that embeds words for both. What the other has stored
    is neither swept nor counted.
    """

    def __init__(self, stored: StoredVectors, *, other: str, words: str) -> None:
        self._stored = stored
        self._other = other
        self._words = words + WORDS

    async def find(self, identity: str, hashes: Sequence[bytes]) -> dict[bytes, bytes]:
        return await self._stored.find(self._named(identity), hashes)

    async def texts(self, hashes: Sequence[bytes]) -> dict[bytes, str]:
        return await self._stored.texts(hashes)

    async def put(self, identity: str, vectors: Mapping[bytes, bytes]) -> None:
        await self._stored.put(self._named(identity), vectors)

    async def sweep(self, identity: str, *, keep: Sequence[str]) -> int:
        kept = (*map(self._named, keep), self._other, self._words)
        return await self._stored.sweep(identity, keep=kept)

    async def counts(self) -> dict[str, int]:
        found = await self._stored.counts()
        others = (self._other, self._other + WORDS, self._words)
        return {name: count for name, count in found.items() if name not in others}

    def _named(self, identity: str) -> str:
        return self._words if identity.endswith(WORDS) else identity
