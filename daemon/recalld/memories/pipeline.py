"""Texts to vectors, and vectors to what is near: the engine as memories use it."""

from collections.abc import Sequence
from functools import partial

import anyio
import anyio.to_thread
import numpy as np

from recalld.budget import Run, Stage
from recalld.embed.port import Embedder, EmbedderState, Purpose
from recalld.memories.board import Vector as Floats
from recalld.memories.library import View
from recalld.memories.model import Memory, Vector, Wanted
from recalld.memories.scale import PLAIN, Scale, measured, texts

# Embedding a text before it is kept or searched may take so long.
EMBED_MS = 400


class Nearness:
    """What the engine says of texts, within bounds: where it is late, words have to do."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._scale: Scale | None = None
        self._scanning = anyio.CapacityLimiter(2)

    @property
    def scale(self) -> Scale:
        """What the engine's cosines mean; ``PLAIN`` until it was measured."""
        return self._scale or PLAIN

    async def measure(self) -> None:
        """Learn how the engine spreads its cosines; once. ``Unavailable`` with the engine."""
        if self._scale is None:
            rows = await self._embedder.embed_passages(texts())
            self._scale = measured(lambda one, other: float(rows[one] @ rows[other]))

    async def embed(self, text: str, purpose: Purpose = Purpose.PASSAGE) -> Floats | None:
        """The text's vector; None where the engine is not there in time."""
        if self._embedder.state is not EmbedderState.READY:
            return None
        stage: Stage[Floats | None] = Stage(
            name="embed memory",
            work=partial(self._embed, text, purpose),
            otherwise=None,
            limit_ms=EMBED_MS,
        )
        return await Run(EMBED_MS).stage(stage)

    async def near(
        self, view: View, vector: Floats | None, wanted: Wanted, *, limit: int, floor: float
    ) -> Sequence[tuple[Memory, float]]:
        """The nearest with their cosine, ``floor`` and up, best first; none without a vector."""
        if vector is None:
            return ()
        work = partial(view.nearest, vector, "", wanted, limit=limit, floor=floor)
        found = await anyio.to_thread.run_sync(work, abandon_on_cancel=True, limiter=self._scanning)
        return [(similar.memory, similar.similarity) for similar in found]

    def blob(self, memory: Memory, vector: Floats) -> Vector:
        """The vector as it is stored."""
        return Vector(
            memory_id=memory.id,
            content=memory.content,
            identity=str(self._embedder.identity),
            blob=vector.astype(np.float16).tobytes(),
        )

    async def _embed(self, text: str, purpose: Purpose) -> Floats | None:
        await self.measure()
        asked = purpose is Purpose.QUERY
        embed = self._embedder.embed_queries if asked else self._embedder.embed_passages
        row: Floats = (await embed([text]))[0]
        return row if row.any() else None
