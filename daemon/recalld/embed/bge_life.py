"""One worker process after another: started when asked, ended when idle, mended when broken."""

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path

import anyio
import numpy as np
from anyio.abc import TaskGroup

from recalld.counters import Counters
from recalld.embed.bge_process import WorkerProcess, running_worker
from recalld.embed.bge_wire import Embed, Embedded, Failed, Load, Loaded, unpacked
from recalld.embed.breaker import Breaker
from recalld.embed.centre import unit
from recalld.embed.jobs import Job, JobQueue
from recalld.embed.policy import EmbedPolicy
from recalld.embed.port import Both, EmbedderState, Purpose
from recalld.errors import Unavailable

# What one text is cut to; the windows that are embedded have 300 characters.
MAX_TOKENS = 512
# A batch of two that takes longer is followed by single texts.
BATCH_TEXTS, BATCH_MS = 2, 500.0
# A batch that ended the worker so often is not given to it again.
MAX_DEATHS, REMEMBERED = 2, 64


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What a worker loads and in which environment. ``dimension`` is what its rows must have."""

    folder: Path
    dimension: int
    environ: Mapping[str, str]


class WorkerLife:
    """Answers the jobs that are put to it, by a worker process it keeps.

    Counted: ``embed.bge.started``, ``.unloaded``,
    ``.died``, ``.hung``, ``.opened`` (the breaker), ``.calls``, ``.failed``, ``.bad_vectors``.
    """

    def __init__(
        self,
        setting: Setting,
        *,
        policy: EmbedPolicy,
        counters: Counters,
        patience: Patience,
    ) -> None:
        self._folder, self._dimension = setting.folder, setting.dimension
        self._policy, self._counters = policy, counters
        self._environ = dict(setting.environ)
        self._patience = patience
        self._wanted = anyio.Event()
        self._changed = anyio.Event()
        self._busy_since: float | None = None
        self._loaded: Loaded | None = None
        self._worker: WorkerProcess | None = None
        self._deaths: OrderedDict[bytes, int] = OrderedDict()
        self.queue = JobQueue()
        self.state = EmbedderState.LOADING
        self.trouble = ""
        self.slow = False

    @property
    def busy(self) -> bool:
        return self._busy_since is not None

    def describe(self) -> Mapping[str, object]:
        loaded = self._loaded
        return {
            "folder": str(self._folder),
            "pid": None if self._worker is None else self._worker.pid,
            "precision": None if loaded is None else loaded.precision,
            "probe_ms": None if loaded is None else loaded.probe_ms,
            "load_ms": None if loaded is None else loaded.load_ms,
            "waiting": len(self.queue),
            "failures": self._patience.breaker.failures,
        }

    def wake(self) -> None:
        self._wanted.set()

    async def changed(self) -> None:
        """Until the state is another one."""
        await self._changed.wait()

    async def run(self) -> None:
        async with anyio.create_task_group() as nest:
            while True:
                self._enter(EmbedderState.LOADING if len(self.queue) else EmbedderState.ASLEEP)
                await self._wanted.wait()
                self._enter(EmbedderState.LOADING)
                await self._one_life(nest)

    def deadly(self, texts: Sequence[str]) -> bool:
        """Whether this very batch has ended the worker again and again."""
        return self._deaths.get(_key(texts), 0) >= MAX_DEATHS

    def overdue(self) -> str:
        if self._busy_since is None:
            return ""
        late_s = anyio.current_time() - self._busy_since
        return f"no answer for {late_s:.0f} s" if late_s > self._patience.overdue_s else ""

    async def _one_life(self, nest: TaskGroup) -> None:
        """A worker from its start to its end; after a failure, the pause before the next."""
        try:
            async with running_worker(self._environ, self._policy.threads) as worker:
                self._counters.add("embed.bge.started")
                nest.start_soon(worker.listen)
                self._worker = worker
                await self._load(worker)
                self.trouble = ""
                self._enter(EmbedderState.READY)
                await self._work(worker)
                self._enter(EmbedderState.LOADING)
                self._wanted = anyio.Event()
                if len(self.queue):
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
        self.trouble = f"{fault.problem} (tried again in {pause_s:g} s)"
        self._enter(EmbedderState.LOADING)
        self.queue.refuse_all(self.trouble)
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
            job = await self.queue.next(self._policy.unload_after_s)
            if job is None:
                return
            self._busy_since = anyio.current_time()
            try:
                await self._do(worker, job)
            except Unavailable as fault:
                self._mourn(job)
                # First of all it is no longer ready: whoever reads the job's fault asks for that.
                self.trouble = fault.problem
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
            self.slow = reply.took_ms > BATCH_MS * len(job.texts) / BATCH_TEXTS
        shape = (len(job.texts), self._dimension)
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

    def _enter(self, state: EmbedderState) -> None:
        self.state = state
        self._changed.set()
        self._changed = anyio.Event()


def _key(texts: Sequence[str]) -> bytes:
    return blake2b("\0".join(texts).encode(), digest_size=16).digest()
