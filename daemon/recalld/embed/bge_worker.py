"""The worker process of BGE-M3: ``python -m recalld.embed.bge_worker``, spoken to by pipes.

Requests come on standard input and replies go to standard output; whatever a library prints
goes to standard error. It ends when its input does, which is also how the death of the daemon
ends it: a thread watches for that while the model computes. SIGTERM and SIGINT, which reach
the whole group, are left to the daemon.
"""

import os
import signal
import sys
import threading
import time
from queue import SimpleQueue
from typing import TYPE_CHECKING, BinaryIO

from recalld.embed.bge_wire import (
    PREFIX,
    Embed,
    Failed,
    Load,
    Loaded,
    Request,
    frame,
    lengths,
    packed,
    request_of,
)
from recalld.errors import Unavailable

if TYPE_CHECKING:
    from recalld.embed.bge_forward import DirectModel

_PROBLEM_CHARS = 500
# What loading and computing raise: torch, tokenizers, memory, missing or damaged files.
_FAULTS = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    EOFError,
    ImportError,
    LookupError,
    MemoryError,
    OSError,
    RuntimeError,
    TypeError,
    Unavailable,
    ValueError,
)


class Worker:
    """One model, loaded by the first request and asked by the others."""

    def __init__(self) -> None:
        self._model: DirectModel | None = None

    def answer(self, request: Request) -> bytes:
        """The frame of the reply; a fault is a reply too, with its cause."""
        try:
            if isinstance(request, Load):
                return self._load(request)
            return self._embed(request)
        except _FAULTS as fault:
            cause = fault.problem if isinstance(fault, Unavailable) else str(fault)
            problem = f"{type(fault).__name__}: {cause}"
            return frame(Failed(problem=problem[:_PROBLEM_CHARS]))

    def _load(self, request: Load) -> bytes:
        from recalld.embed.bge_forward import DirectModel  # noqa: PLC0415 (4 s)

        started = time.perf_counter()
        model = DirectModel(request)
        # The first pass is slower by seconds: memory is paged in, kernels are chosen.
        model.embed(["warm up", "预热"], 64)
        ignore_signals()  # libraries may have set their own
        self._model = model
        return frame(
            Loaded(
                dimension=model.dimension,
                precision=model.precision,
                probe_ms=model.probe_ms,
                load_ms=(time.perf_counter() - started) * 1_000,
            )
        )

    def _embed(self, request: Embed) -> bytes:
        if self._model is None:
            raise Unavailable("model", "nothing is loaded")
        started = time.perf_counter()
        both = self._model.embed(request.texts, request.max_length)
        return packed(both, took_ms=(time.perf_counter() - started) * 1_000)


def ignore_signals() -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)


def own_pipes() -> tuple[BinaryIO, BinaryIO]:
    """Input and output under numbers nobody else knows; 1 is standard error from now on."""
    source = os.fdopen(os.dup(0), "rb", buffering=0)
    sink = os.fdopen(os.dup(1), "wb", buffering=0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return source, sink


def read_requests(source: BinaryIO, requests: "SimpleQueue[Request]") -> None:
    """Until the input ends; then the process ends, whatever it was doing."""
    try:
        while True:
            head, raw = lengths(_exactly(source, PREFIX.size))
            requests.put(request_of(_exactly(source, head)))
            _exactly(source, raw)
    except (EOFError, OSError, ValueError):
        os._exit(0)


def _exactly(source: BinaryIO, count: int) -> bytes:
    parts = bytearray()
    while len(parts) < count:
        part = source.read(count - len(parts))
        if not part:
            raise EOFError
        parts += part
    return bytes(parts)


def _send(sink: BinaryIO, reply: bytes) -> None:
    left = memoryview(reply)
    while left:
        left = left[sink.write(left) :]


def main() -> int:
    ignore_signals()
    source, sink = own_pipes()
    requests: SimpleQueue[Request] = SimpleQueue()
    threading.Thread(target=read_requests, args=(source, requests), daemon=True).start()
    worker = Worker()
    while True:
        try:
            _send(sink, worker.answer(requests.get()))
        except BrokenPipeError:
            return 0


if __name__ == "__main__":
    sys.exit(main())
