"""The worker process as the daemon holds it: started, asked, and ended whatever it does."""

import subprocess
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import TypeVar

import anyio
from anyio.abc import Process
from anyio.streams.buffered import BufferedByteReceiveStream

from recalld.embed.bge_wire import PREFIX, Reply, Request, frame, lengths, reply_of
from recalld.errors import Unavailable

T = TypeVar("T")

COMMAND = (sys.executable, "-m", "recalld.embed.bge_worker")
# What libraries print before they die is the only word on why.
TAIL_BYTES = 2_000
LAST_CHARS = 300
# A killed process is gone at once, unless the kernel holds it; then nobody waits for it.
REAP_S = 5.0


class WorkerProcess:
    """A running worker. One task asks it; another may kill it at any time."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self._replies = BufferedByteReceiveStream(_of(process.stdout))
        self._said = b""

    @property
    def pid(self) -> int:
        return self._process.pid

    async def ask(self, request: Request) -> tuple[Reply, bytes]:
        """The reply and its raw bytes. ``Unavailable`` when the worker is gone or talks nonsense.

        A cancelled call leaves the reply in the pipe: the worker is of no use after that.
        """
        try:
            await _of(self._process.stdin).send(frame(request))
            head, raw = lengths(await self._replies.receive_exactly(PREFIX.size))
            reply = reply_of(await self._replies.receive_exactly(head))
            return reply, await self._replies.receive_exactly(raw) if raw else b""
        except (anyio.BrokenResourceError, anyio.ClosedResourceError) as fault:
            raise Unavailable("worker", await self._ending()) from fault
        except (anyio.EndOfStream, anyio.IncompleteRead) as fault:
            raise Unavailable("worker", await self._ending()) from fault
        except ValueError as fault:
            raise Unavailable("worker", f"broke the protocol: {fault}") from fault

    def kill(self) -> None:
        """At once, also when it is stopped or computing."""
        if self._process.returncode is None:
            self._process.kill()

    async def listen(self) -> None:
        """Keep the last of what it prints, until it ends."""
        try:
            async for some in _of(self._process.stderr):
                self._said = (self._said + some)[-TAIL_BYTES:]
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            return

    @property
    def said(self) -> str:
        return self._said.decode("utf-8", "replace")

    async def _ending(self) -> str:
        with anyio.move_on_after(REAP_S):
            await self._process.wait()
        last = self.said.strip().rpartition("\n")[2][-LAST_CHARS:]
        status = self._process.returncode
        how = f"ended with status {status}" if status is not None else "closed its pipe"
        return f"{how}: {last}" if last else how


@asynccontextmanager
async def running_worker(environ: Mapping[str, str], threads: int) -> AsyncIterator[WorkerProcess]:
    """A worker for the length of the block; killed and reaped at its end. ``listen`` to it.

    A fresh interpreter is executed, never a fork of this one with its threads and locks. It
    stays in the daemon's group and session, so that what ends those ends it.
    """
    count = str(threads)
    settings = {
        "HF_HUB_OFFLINE": "1",
        "TRANSFORMERS_OFFLINE": "1",
        "OMP_NUM_THREADS": count,
        "MKL_NUM_THREADS": count,
        "OPENBLAS_NUM_THREADS": count,
        # Blocks of every thread go back to the system, not into an arena of its own.
        "MALLOC_ARENA_MAX": "2",
    }
    try:
        process = await anyio.open_process(
            COMMAND,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**environ, **settings},
        )
    except OSError as fault:
        raise Unavailable("worker", f"does not start: {fault}") from fault
    worker = WorkerProcess(process)
    try:
        yield worker
    finally:
        worker.kill()
        with anyio.CancelScope(shield=True):
            with anyio.move_on_after(REAP_S):
                await process.wait()
            for pipe in (process.stdin, process.stdout, process.stderr):
                await _of(pipe).aclose()


def _of(pipe: T | None) -> T:
    """Pipes that were asked for are there."""
    if pipe is None:
        raise Unavailable("worker", "has no pipe")
    return pipe
