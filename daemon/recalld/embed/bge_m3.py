"""BGE-M3: the better engine where it is installed, in a process of its own.

1024 dimensions and learned sparse weights in one pass; 50 to 220 ms a question on one thread,
1.7 GB while it is loaded, 7 s to load. It is never waited for: what cannot be answered now is
refused now, and search goes on with the engine of this process.
"""

import os
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path

import anyio
import numpy as np
from anyio.abc import TaskGroup

from recalld.counters import Counters
from recalld.embed.bge_files import (
    ENGINE_NAME,
    USUAL_DIMENSION,
    fault_of,
    identity_of,
    model_folder,
)
from recalld.embed.bge_process import WorkerProcess, running_worker
from recalld.embed.bge_wire import Embed, Embedded, Failed, Load, Loaded, unpacked
from recalld.embed.breaker import Breaker
from recalld.embed.centre import unit
from recalld.embed.clean import clean_text
from recalld.embed.engine import Engine
from recalld.embed.jobs import Job, JobQueue
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

# What one text is cut to; the windows that are embedded have 300 characters.
MAX_TOKENS = 512
# A question waits for one such batch at most: .7 s in half floats, and less text where that
# takes longer.
BATCH_TEXTS, BATCH_TOKENS, BATCH_MS = 2, 400, 500.0
# A prompt asks for the same question in several searches.
REMEMBERED = 64
# A batch that ended the worker so often is not given to it again.
MAX_DEATHS = 2
_NO_WEIGHTS = SparseVector(ids=np.zeros(0, np.int32), weights=np.zeros(0, np.float32))


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """Seconds. ``overdue_s``: so long without a reply, questions are refused instead of queued.

    ``hang_s``: the worker is killed; a passage of 512 tokens takes 1.5 s alone, and several
    times that when every core is taken.
    """

    load_s: float = 180.0
    overdue_s: float = 1.0
    hang_s: float = 30.0
    breaker: Breaker = field(default_factory=Breaker)


class BgeEmbedder:
    """A ``SparseEmbedder`` over the worker process. ``run`` starts it when something is asked.

    Counted: ``embed.bge.started``, ``.unloaded``, ``.died``, ``.hung``, ``.opened`` (the
    breaker), ``.calls``, ``.failed``, ``.bad_vectors``, ``.remembered``, ``.refused_texts``.
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
        self._folder, self._policy, self._counters = folder, policy, counters
        self._environ = dict(environ)
        self._patience = patience or Patience()
        self._identity, self._lacking = _look_at(folder)
        self._queue = JobQueue()
        self._wanted = anyio.Event()
        self._changed = anyio.Event()
        self._state = EmbedderState.FAILED if self._lacking else EmbedderState.LOADING
        self._trouble = ""
        self._busy_since: float | None = None
        self._slow = False
        self._loaded: Loaded | None = None
        self._worker: WorkerProcess | None = None
        self._known: OrderedDict[str, tuple[Vectors, SparseVector]] = OrderedDict()
        self._deaths: OrderedDict[bytes, int] = OrderedDict()

    @property
    def identity(self) -> Identity:
        return self._identity

    @property
    def state(self) -> EmbedderState:
        return self._state

    @property
    def problem(self) -> str:
        return self._lacking or self._trouble or self._overdue()

    def describe(self) -> Mapping[str, object]:
        loaded = self._loaded
        return {
            "model": str(self._folder),
            "pid": None if self._worker is None else self._worker.pid,
            "precision": None if loaded is None else loaded.precision,
            "probe_ms": None if loaded is None else loaded.probe_ms,
            "load_ms": None if loaded is None else loaded.load_ms,
            "waiting": len(self._queue),
            "failures": self._patience.breaker.failures,
        }

    def wake(self) -> None:
        self._wanted.set()

    async def ready(self) -> None:
        self.wake()
        while self._state is not EmbedderState.READY:
            if self._lacking:
                raise Unavailable("embedder", self._lacking)
            await self._changed.wait()

    async def run(self) -> None:
        """Until cancelled; at once where the model is not there."""
        if self._lacking:
            return
        async with anyio.create_task_group() as nest:
            while True:
                self._enter(EmbedderState.LOADING if len(self._queue) else EmbedderState.ASLEEP)
                await self._wanted.wait()
                self._enter(EmbedderState.LOADING)
                await self._one_life(nest)

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        return (await self.embed_both(texts, Purpose.QUERY)).dense

    async def embed_question(
        self, texts: Sequence[str], *, words: Sequence[str]
    ) -> QuestionVectors:
        rows = await self.embed_queries((*texts, *words))
        return QuestionVectors(texts=rows[: len(texts)], words=rows[len(texts) :])

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        return (await self.embed_both(texts, Purpose.PASSAGE)).dense

    async def embed_words(self, texts: Sequence[str]) -> Vectors:
        return (await self.embed_both(texts, Purpose.WORD)).dense

    async def embed_both(self, texts: Sequence[str], purpose: Purpose) -> Both:
        if self._state is not EmbedderState.READY:
            self.wake()
            raise Unavailable("embedder", self.problem or f"{ENGINE_NAME} is {self._state}")
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
            overdue = self._overdue()
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
            some = tuple(texts[at : at + (1 if self._slow else BATCH_TEXTS)])
            if sum(map(estimate_tokens, some)) > BATCH_TOKENS:
                some = some[:1]
            yield some
            at += len(some)

    async def _submit(
        self, texts: tuple[str, ...], purpose: Purpose
    ) -> dict[str, tuple[Vectors, SparseVector]]:
        if self._deaths.get(_key(texts), 0) >= MAX_DEATHS:
            self._counters.add("embed.bge.refused_texts", len(texts))
            raise Unavailable("embedder", f"these {len(texts)} texts ended the worker before")
        job = Job(texts, purpose)
        self._queue.put(job)
        self.wake()
        try:
            await job.settled.wait()
        finally:
            self._queue.discard(job)
        both = job.result()
        return dict(zip(texts, zip(both.dense, both.sparse, strict=True), strict=True))

    async def _one_life(self, nest: TaskGroup) -> None:
        """A worker from its start to its end; after a failure, the pause before the next."""
        try:
            async with running_worker(self._environ, self._policy.threads) as worker:
                self._counters.add("embed.bge.started")
                nest.start_soon(worker.listen)
                self._worker = worker
                await self._load(worker)
                self._trouble = ""
                self._enter(EmbedderState.READY)
                await self._work(worker)
                self._enter(EmbedderState.LOADING)
                self._wanted = anyio.Event()
                if len(self._queue):
                    self.wake()
            self._counters.add("embed.bge.unloaded")
        except Unavailable as fault:
            await self._recover(fault)
        finally:
            self._worker = None

    async def _recover(self, fault: Unavailable) -> None:
        breaker = self._patience.breaker
        pause_s = breaker.failed()
        self._counters.add("embed.bge.died")
        self._trouble = f"{fault.problem} (tried again in {pause_s:g} s)"
        self._enter(EmbedderState.LOADING)
        self._queue.refuse_all(self._trouble)
        if breaker.is_open:
            self._counters.add("embed.bge.opened")
            self._wanted = anyio.Event()  # then only when somebody asks
        await anyio.sleep(pause_s)

    async def _load(self, worker: WorkerProcess) -> None:
        request = Load(folder=str(self._folder), threads=self._policy.threads)
        with anyio.move_on_after(self._patience.load_s) as scope:
            reply, _ = await worker.ask(request)
        if scope.cancelled_caught:
            raise Unavailable("worker", f"did not load within {self._patience.load_s:g} s")
        if not isinstance(reply, Loaded):
            why = reply.problem if isinstance(reply, Failed) else "an answer to nothing"
            raise Unavailable("worker", f"does not load: {why}")
        self._loaded = reply

    async def _work(self, worker: WorkerProcess) -> None:
        """Job after job, until there was none for so long that memory is worth more."""
        while True:
            job = await self._queue.next(self._policy.unload_after_s)
            if job is None:
                return
            self._busy_since = anyio.current_time()
            try:
                await self._do(worker, job)
            except Unavailable as fault:
                self._mourn(job)
                # First of all it is no longer ready: whoever reads the job's fault asks for that.
                self._trouble = fault.problem
                self._enter(EmbedderState.LOADING)
                job.fail(fault.problem)
                raise
            finally:
                self._busy_since = None

    async def _do(self, worker: WorkerProcess, job: Job) -> None:
        self._counters.add("embed.bge.calls")
        with anyio.move_on_after(self._patience.hang_s) as scope:
            reply, raw = await worker.ask(Embed(texts=job.texts, max_length=MAX_TOKENS))
        if scope.cancelled_caught:
            self._counters.add("embed.bge.hung")
            raise Unavailable("worker", f"did not answer within {self._patience.hang_s:g} s")
        if isinstance(reply, Embedded):
            self._settle(job, reply, raw)
            return
        problem = reply.problem if isinstance(reply, Failed) else "an answer to nothing"
        self._counters.add("embed.bge.failed")
        job.fail(problem)

    def _settle(self, job: Job, reply: Embedded, raw: bytes) -> None:
        try:
            both = unpacked(reply, raw)
        except ValueError as fault:
            raise Unavailable("worker", f"broke the protocol: {fault}") from fault
        self._patience.breaker.succeeded()
        if job.purpose is not Purpose.QUERY:
            self._slow = reply.took_ms > BATCH_MS * len(job.texts) / BATCH_TEXTS
        shape = (len(job.texts), self._identity.dimension)
        finite = all(np.isfinite(one.weights).all() for one in both.sparse)
        if both.dense.shape != shape or not np.isfinite(both.dense).all() or not finite:
            self._counters.add("embed.bge.bad_vectors")
            job.fail(f"returned {both.dense.shape} for {shape}, or numbers that are none")
            return
        job.succeed(Both(dense=unit(both.dense), sparse=both.sparse))

    def _mourn(self, job: Job) -> None:
        key = _key(job.texts)
        self._deaths[key] = self._deaths.pop(key, 0) + 1
        while len(self._deaths) > REMEMBERED:
            self._deaths.popitem(last=False)

    def _overdue(self) -> str:
        if self._busy_since is None:
            return ""
        late_s = anyio.current_time() - self._busy_since
        return f"no answer for {late_s:.0f} s" if late_s > self._patience.overdue_s else ""

    def _enter(self, state: EmbedderState) -> None:
        self._state = state
        self._changed.set()
        self._changed = anyio.Event()


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


def _key(texts: Sequence[str]) -> bytes:
    return blake2b("\0".join(texts).encode(), digest_size=16).digest()


def build(policy: EmbedPolicy, counters: Counters) -> BgeEmbedder:
    folder = model_folder(policy.model, os.environ)
    return BgeEmbedder(folder, policy=policy, counters=counters, environ=os.environ)


ENGINE = Engine(name=ENGINE_NAME, identity=IDENTITY, build=build)
