"""No engine: search is lexical only, by choice."""

from collections.abc import Sequence

from recalld.counters import Counters
from recalld.embed.engine import Engine
from recalld.embed.policy import EmbedPolicy
from recalld.embed.port import Embedder, EmbedderState, Identity, QuestionVectors, Vectors
from recalld.errors import Unavailable

IDENTITY = Identity(engine="none", model="none", dimension=0)


class NoEmbedder:
    """Refuses every text."""

    @property
    def identity(self) -> Identity:
        return IDENTITY

    @property
    def state(self) -> EmbedderState:
        return EmbedderState.OFF

    @property
    def problem(self) -> str:
        return ""

    async def run(self) -> None:
        """Nothing to look after."""

    async def ready(self) -> None:
        raise _refusal()

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        raise _refusal()

    async def embed_question(
        self, texts: Sequence[str], *, words: Sequence[str]
    ) -> QuestionVectors:
        raise _refusal()

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        raise _refusal()

    async def embed_words(self, texts: Sequence[str]) -> Vectors:
        raise _refusal()


def _refusal() -> Unavailable:
    return Unavailable("embedder", "off by configuration")


def _build(policy: EmbedPolicy, counters: Counters) -> Embedder:
    del policy, counters
    return NoEmbedder()


ENGINE = Engine(name="none", identity=IDENTITY, build=_build)
