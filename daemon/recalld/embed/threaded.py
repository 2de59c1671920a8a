"""An engine that runs in this process, on threads: what all such engines have in common."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

import anyio
import anyio.to_thread
import numpy as np

from recalld.counters import Counters
from recalld.embed.centre import Centre, measure_centre, unit
from recalld.embed.clean import clean_text
from recalld.embed.gate import Slot, WorkerGate
from recalld.embed.policy import EmbedPolicy
from recalld.embed.port import EmbedderState, Identity, Purpose, QuestionVectors, Vectors
from recalld.errors import Unavailable

# A query never waits for the passages in the other slot.
SLOTS = 2
# Calls that may hang before the engine refuses. Each keeps a thread and its texts, no more.
SPARES = 4
# What a broken engine raises: numpy, tokenizers, ctypes, memory, missing or damaged files.
ENGINE_FAULTS = (
    ArithmeticError,
    AttributeError,
    EOFError,
    ImportError,
    LookupError,
    MemoryError,
    OSError,
    RuntimeError,
    TypeError,
    ValueError,
)


class Model(Protocol):
    """Loaded weights. Called from several threads at once; texts are clean and not blank."""

    def encode(self, texts: Sequence[str], purpose: Purpose) -> Vectors: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadedEngine:
    """What sets one engine apart. ``load`` blocks and imports the engine's package."""

    identity: Identity
    load: Callable[[EmbedPolicy], Model]


@dataclass(frozen=True, slots=True)
class _Loaded:
    model: Model
    centre: Centre


class ThreadedEmbedder:
    """An ``Embedder`` over a ``Model``. Loads in the background once ``run`` is started.

    Counted: ``embed.calls`` (batches for the model), ``embed.bad_vectors`` (refused: wrong shape,
    NaN or infinite), ``embed.failed``, ``embed.cut`` (texts over ``max_text_chars``), and what
    the gate counts.
    """

    def __init__(self, engine: ThreadedEngine, *, policy: EmbedPolicy, counters: Counters) -> None:
        self._engine = engine
        self._policy = policy
        self._counters = counters
        self._gate = WorkerGate(slots=SLOTS, spares=SPARES, counters=counters)
        self._limiter = anyio.CapacityLimiter(SLOTS + SPARES + 1)
        self._loaded: _Loaded | None = None
        self._settled = anyio.Event()
        self._problem = ""

    @property
    def identity(self) -> Identity:
        return self._engine.identity

    @property
    def state(self) -> EmbedderState:
        if self._loaded is not None:
            return EmbedderState.READY
        return EmbedderState.FAILED if self._problem else EmbedderState.LOADING

    @property
    def problem(self) -> str:
        if self._gate.stuck:
            return f"{self._gate.stuck} calls hang"
        return self._problem

    async def run(self) -> None:
        try:
            self._loaded = await anyio.to_thread.run_sync(
                self._load, abandon_on_cancel=True, limiter=self._limiter
            )
        except Unavailable as fault:
            self._problem = fault.problem
            self._counters.add("embed.failed")
        finally:
            self._settled.set()

    async def ready(self) -> None:
        await self._settled.wait()
        self._model()

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        return (await self.embed_question(texts, words=())).texts

    async def embed_question(
        self, texts: Sequence[str], *, words: Sequence[str]
    ) -> QuestionVectors:
        raw = await self._embed((*texts, *words), Purpose.QUERY)
        centred = self._centred(raw[: len(texts)], texts, Purpose.QUERY)
        return QuestionVectors(texts=centred, words=raw[len(texts) :])

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        raw = await self._embed(texts, Purpose.PASSAGE)
        return self._centred(raw, texts, Purpose.PASSAGE)

    async def embed_words(self, texts: Sequence[str]) -> Vectors:
        return await self._embed(texts, Purpose.WORD)

    def _load(self) -> _Loaded:
        try:
            model = self._engine.load(self._policy)
            centre = measure_centre(lambda texts, purpose: unit(model.encode(texts, purpose)))
        except ENGINE_FAULTS as fault:
            raise Unavailable("embedder", f"{self.identity.engine} does not load: {fault}") from (
                fault
            )
        return _Loaded(model, centre)

    def _model(self) -> _Loaded:
        if self._loaded is None:
            raise Unavailable("embedder", self._problem or "still loading")
        return self._loaded

    async def _embed(self, texts: Sequence[str], purpose: Purpose) -> Vectors:
        model = self._model().model
        clean = [self._clean(text) for text in texts]
        wanted = [index for index, text in enumerate(clean) if text]
        vectors = np.zeros((len(clean), self.identity.dimension), np.float32)
        if wanted:
            batch = [clean[index] for index in wanted]
            vectors[wanted] = await self._call(model, batch, purpose)
        return vectors

    async def _call(self, model: Model, texts: list[str], purpose: Purpose) -> Vectors:
        self._counters.add("embed.calls")
        async with self._gate.enter(purpose) as slot:
            work = partial(_encode, slot, model, texts, purpose)
            slot.started = True
            try:
                found = await anyio.to_thread.run_sync(
                    work, abandon_on_cancel=True, limiter=self._limiter
                )
            except ENGINE_FAULTS as fault:
                self._counters.add("embed.failed")
                raise Unavailable("embedder", f"{type(fault).__name__}: {fault}") from fault
        return self._checked(found, len(texts))

    def _checked(self, vectors: Vectors, rows: int) -> Vectors:
        shape = (rows, self.identity.dimension)
        if vectors.shape != shape or not np.isfinite(vectors).all():
            self._counters.add("embed.bad_vectors")
            raise Unavailable(
                "embedder", f"returned {vectors.shape} with finite={np.isfinite(vectors).all()}"
            )
        return unit(vectors)

    def _clean(self, text: str) -> str:
        limit = self._policy.max_text_chars
        if len(text) > limit:
            self._counters.add("embed.cut")
        return clean_text(text, limit)

    def _centred(self, raw: Vectors, texts: Sequence[str], purpose: Purpose) -> Vectors:
        blank = ~raw.any(axis=1)
        vectors = self._model().centre.apply(raw, texts, purpose)
        vectors[blank] = 0.0
        return vectors


def _encode(slot: Slot, model: Model, texts: list[str], purpose: Purpose) -> Vectors:
    try:
        return np.asarray(model.encode(texts, purpose), np.float32)
    finally:
        slot.finished = True
