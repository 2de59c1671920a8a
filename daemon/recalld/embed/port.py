"""What an embedding engine is to the rest of the daemon."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """What a vector was made by. Vectors of two identities are never compared.

    ``model`` names the weights and everything else that shapes a vector: a change of the
    centring sentences is a change of the model.
    """

    engine: str
    model: str
    dimension: int

    def __str__(self) -> str:
        return f"{self.engine}/{self.model}/{self.dimension}"


class EmbedderState(StrEnum):
    LOADING = "loading"
    ASLEEP = "asleep"  # unloaded while nobody needs it; a call wakes it and is refused
    READY = "ready"
    FAILED = "failed"  # it will not come back by itself; ``problem`` says why
    OFF = "off"  # there is none, by configuration


class Purpose(StrEnum):
    """What a text is embedded as. Engines that make no difference ignore it."""

    QUERY = "query"
    PASSAGE = "passage"
    WORD = "word"


@dataclass(frozen=True, slots=True, kw_only=True)
class SparseVector:
    """The learned weights of one text: token ids, each once and ascending; weights above 0."""

    ids: NDArray[np.int32]
    weights: NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionVectors:
    """One question: ``texts`` centred as queries, ``words`` as they are; both of unit length.

    ``sparse``: the learned weights of each of ``texts``; empty from an engine that has none.
    """

    texts: Vectors
    words: Vectors
    sparse: tuple[SparseVector, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Both:
    """Dense rows and learned weights of the same texts, made in one pass.

    A blank text has zeros and no weights.
    """

    dense: Vectors
    sparse: tuple[SparseVector, ...]


class Embedder(Protocol):
    """Texts to vectors: float32, one row a text, of unit length; a blank text gives zeros.

    Queries go before passages. A call that is cancelled leaves its work to finish unseen in its
    slot; when slots run out, calls fail at once instead of waiting behind it.

    Every embedding call raises ``Unavailable`` while ``state`` is not READY, when all slots are
    stuck, and when the engine breaks or returns something that is no vector of its dimension.
    """

    @property
    def identity(self) -> Identity: ...

    @property
    def state(self) -> EmbedderState: ...

    @property
    def problem(self) -> str: ...

    async def run(self) -> None:
        """Load, then keep the engine alive. Returns when nothing is left to look after."""

    async def ready(self) -> None:
        """Return once READY. ``Unavailable`` as soon as that cannot happen any more."""

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Centred by the language of each text."""

    async def embed_question(
        self, texts: Sequence[str], *, words: Sequence[str]
    ) -> QuestionVectors:
        """``texts`` as queries and ``words`` as single words, in one batch."""

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Centred by the language of each text. Waits until no query is waiting."""

    async def embed_words(self, texts: Sequence[str]) -> Vectors:
        """Not centred; a vocabulary is centred on its own mean. Waits like passages."""


class SparseEmbedder(Embedder, Protocol):
    """What an engine may do besides: dense and learned sparse vectors in one pass.

    It may be large: unloaded while nobody asks, and then ASLEEP.
    """

    async def embed_both(self, texts: Sequence[str], purpose: Purpose) -> Both:
        """Like ``embed_queries`` and ``embed_passages``, with the weights of each text."""

    def wake(self) -> None:
        """Begin to load, if it is asleep. Returns at once."""

    def describe(self) -> Mapping[str, object]:
        """What is known of the engine as it runs now, for people to read."""
