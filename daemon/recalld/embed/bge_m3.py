"""BGE-M3: the better engine where it is installed, in a process of its own.

1024 dimensions and learned sparse weights in one pass; 50 to 220 ms a question on one thread,
1.7 GB while it is loaded, 7 s to load. It is never waited for: what cannot be answered now is
refused now, and search goes on with the engine of this process.
"""

import os
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from recalld.counters import Counters
from recalld.embed.bge_files import (
    ENGINE_NAME,
    USUAL_DIMENSION,
    fault_of,
    identity_of,
    model_folder,
)
from recalld.embed.bge_life import BATCH_TEXTS, REMEMBERED, Patience, Setting, WorkerLife
from recalld.embed.clean import clean_text
from recalld.embed.engine import Engine
from recalld.embed.jobs import Job
from recalld.embed.policy import EmbedPolicy
from recalld.embed.port import (
    Both,
    EmbedderState,
    Identity,
    Purpose,
    QuestionVectors,
    SparseVector,
    Vectors,
)
from recalld.errors import Unavailable
from recalld.text.estimate import estimate_tokens

IDENTITY = Identity(engine=ENGINE_NAME, model="bge-m3", dimension=USUAL_DIMENSION)

# A question waits for one batch at most: .7 s in half floats.
BATCH_TOKENS = 400
_NO_WEIGHTS = SparseVector(ids=np.zeros(0, np.int32), weights=np.zeros(0, np.float32))


class BgeEmbedder:
    """A ``SparseEmbedder`` over the worker process. ``run`` starts it when something is asked.

    A question asked again within a prompt's searches is remembered. Counted, besides what
    ``WorkerLife`` counts: ``embed.bge.remembered``, ``embed.bge.refused_texts``.
    """

    def __init__(
        self,
        folder: Path,
        *,
        policy: EmbedPolicy,
        counters: Counters,
        environ: Mapping[str, str],
        patience: Patience | None = None,
    ) -> None:
        self._policy, self._counters = policy, counters
        self._identity, self._lacking = _look_at(folder)
        self._life = WorkerLife(
            Setting(folder=folder, dimension=self._identity.dimension, environ=environ),
            policy=policy,
            counters=counters,
            patience=patience or Patience(),
        )
        self._known: OrderedDict[str, tuple[Vectors, SparseVector]] = OrderedDict()

    @property
    def identity(self) -> Identity:
        return self._identity

    @property
    def state(self) -> EmbedderState:
        return EmbedderState.FAILED if self._lacking else self._life.state

    @property
    def problem(self) -> str:
        return self._lacking or self._life.trouble or self._life.overdue()

    def describe(self) -> Mapping[str, object]:
        return self._life.describe()

    def wake(self) -> None:
        self._life.wake()

    async def ready(self) -> None:
        self.wake()
        while self.state is not EmbedderState.READY:
            if self._lacking:
                raise Unavailable("embedder", self._lacking)
            await self._life.changed()

    async def run(self) -> None:
        """Until cancelled; at once where the model is not there."""
        if not self._lacking:
            await self._life.run()

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        return (await self.embed_both(texts, Purpose.QUERY)).dense

    async def embed_question(
        self, texts: Sequence[str], *, words: Sequence[str]
    ) -> QuestionVectors:
        both = await self.embed_both((*texts, *words), Purpose.QUERY)
        at = len(texts)
        return QuestionVectors(
            texts=both.dense[:at], words=both.dense[at:], sparse=both.sparse[:at]
        )

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        return (await self.embed_both(texts, Purpose.PASSAGE)).dense

    async def embed_words(self, texts: Sequence[str]) -> Vectors:
        return (await self.embed_both(texts, Purpose.WORD)).dense

    async def embed_both(self, texts: Sequence[str], purpose: Purpose) -> Both:
        if self.state is not EmbedderState.READY:
            self.wake()
            raise Unavailable("embedder", self.problem or f"{ENGINE_NAME} is {self.state}")
        clean = [clean_text(text, self._policy.max_text_chars) for text in texts]
        if purpose is Purpose.QUERY:
            found = await self._of_questions(dict.fromkeys(text for text in clean if text))
        else:
            found = await self._of_passages([text for text in clean if text])
        dense = np.zeros((len(clean), self._identity.dimension), np.float32)
        sparse = [_NO_WEIGHTS] * len(clean)
        for index, text in enumerate(clean):
            if text:
                dense[index], sparse[index] = found[text]
        return Both(dense=dense, sparse=tuple(sparse))

    async def _of_questions(
        self, texts: Mapping[str, None]
    ) -> dict[str, tuple[Vectors, SparseVector]]:
        found = {text: self._known[text] for text in texts if text in self._known}
        if found:
            self._counters.add("embed.bge.remembered", len(found))
        unknown = tuple(text for text in texts if text not in found)
        if unknown:
            overdue = self._life.overdue()
            if overdue:
                raise Unavailable("embedder", overdue)
            found |= await self._submit(unknown, Purpose.QUERY)
        for text in texts:
            self._known[text] = found[text]
            self._known.move_to_end(text)
        while len(self._known) > REMEMBERED:
            self._known.popitem(last=False)
        return found

    async def _of_passages(self, texts: Sequence[str]) -> dict[str, tuple[Vectors, SparseVector]]:
        found: dict[str, tuple[Vectors, SparseVector]] = {}
        for some in self._slices(texts):
            found |= await self._submit(some, Purpose.PASSAGE)
        return found

    def _slices(self, texts: Sequence[str]) -> Iterator[tuple[str, ...]]:
        """Lazily: how long the last one took decides how much the next one holds."""
        at = 0
        while at < len(texts):
            some = tuple(texts[at : at + (1 if self._life.slow else BATCH_TEXTS)])
            if sum(map(estimate_tokens, some)) > BATCH_TOKENS:
                some = some[:1]
            yield some
            at += len(some)

    async def _submit(
        self, texts: tuple[str, ...], purpose: Purpose
    ) -> dict[str, tuple[Vectors, SparseVector]]:
        if self._life.deadly(texts):
            self._counters.add("embed.bge.refused_texts", len(texts))
            raise Unavailable("embedder", f"these {len(texts)} texts ended the worker before")
        job = Job(texts, purpose)
        self._life.queue.put(job)
        self.wake()
        try:
            await job.settled.wait()
        finally:
            self._life.queue.discard(job)
        both = job.result()
        return dict(zip(texts, zip(both.dense, both.sparse, strict=True), strict=True))


def installed() -> bool:
    """Whether FlagEmbedding could be imported. It is not: that takes seconds and 500 MB."""
    return find_spec("FlagEmbedding") is not None


def available(policy: EmbedPolicy, environ: Mapping[str, str]) -> bool:
    """Whether the engine is installed and its model complete."""
    return installed() and fault_of(model_folder(policy.model, environ)) is None


def _look_at(folder: Path) -> tuple[Identity, str]:
    """The identity, and what is lacking."""
    try:
        identity = identity_of(folder)
    except Unavailable as fault:
        return IDENTITY, fault.problem
    if not installed():
        return identity, "FlagEmbedding is not installed: pip install 'recalld[bge]'"
    return identity, ""


def build(policy: EmbedPolicy, counters: Counters) -> BgeEmbedder:
    folder = model_folder(policy.model, os.environ)
    return BgeEmbedder(folder, policy=policy, counters=counters, environ=os.environ)


ENGINE = Engine(name=ENGINE_NAME, identity=IDENTITY, build=build)
