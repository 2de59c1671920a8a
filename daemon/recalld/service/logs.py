"""The daemon's log: readable on a terminal, JSON lines on a pipe, never in the way."""

import logging
import os
import select
import threading
from collections.abc import Mapping, MutableMapping
from typing import Any, Literal

import orjson
import structlog

from recalld.counters import Counters
from recalld.service.log_limit import StormLimit
from recalld.text.redact import redact

MAX_RECORD_BYTES = 16_384
CUT_MARK = "…[cut]"
LEVELS = {
    "debug": logging.DEBUG,
    "info": logging.INFO,
    "warning": logging.WARNING,
    "error": logging.ERROR,
}


class Sink:
    """Whole records to a descriptor that may be a full or broken pipe: then dropped, counted.

    The descriptor stays blocking for whoever shares it; a record is written only when the pipe
    is ready to take it, and a record of at most ``select.PIPE_BUF`` bytes is taken at once.
    """

    def __init__(self, descriptor: int, *, counters: Counters) -> None:
        self._descriptor = descriptor
        self._counters = counters
        self._lock = threading.Lock()
        self._torn = False

    def write(self, record: str) -> None:
        data = record.encode("utf-8", "backslashreplace")
        with self._lock:
            if self._torn:
                data = b"\n" + data
            try:
                done = self._write(data)
            except OSError:
                done = False
        if not done:
            self._counters.add("log.dropped")

    def _write(self, data: bytes) -> bool:
        view = memoryview(data)
        while view:
            _, ready, _ = select.select((), (self._descriptor,), (), 0)
            if not ready:
                self._torn = self._torn or len(view) < len(data)
                return False
            view = view[os.write(self._descriptor, view[: select.PIPE_BUF]) :]
        self._torn = False
        return True


class SinkLogger:
    """The end of structlog's chain: one rendered record is one line."""

    def __init__(self, sink: Sink) -> None:
        self._sink = sink

    def msg(self, message: str) -> None:
        self._sink.write(bounded(message) + "\n")

    debug = info = warning = error = critical = exception = msg


def bounded(message: str) -> str:
    """At most 16 KiB of UTF-8, with a mark where it was cut."""
    data = message.encode("utf-8", "backslashreplace")
    if len(data) < MAX_RECORD_BYTES:
        return message
    room = MAX_RECORD_BYTES - len(CUT_MARK.encode()) - 1
    return data[:room].decode("utf-8", "ignore") + CUT_MARK


def redacted(
    logger: object, method: str, event: MutableMapping[str, Any]
) -> MutableMapping[str, Any]:
    """Every text without secrets, also inside lists and tables: a fault may quote its input."""
    del logger, method
    return {key: _without_secrets(value) for key, value in event.items()}


def _without_secrets(value: object) -> object:
    if isinstance(value, str):
        return redact(value).text
    if isinstance(value, Mapping):
        return {key: _without_secrets(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_without_secrets(inner) for inner in value]
    return value


def escaped(
    logger: object, method: str, event: MutableMapping[str, Any]
) -> MutableMapping[str, Any]:
    """Values that a terminal could take for commands, or that would start a new line, escaped.

    A traceback keeps its lines.
    """
    del logger, method
    return {
        key: _plain_lines(value) if key == "exception" else _plain(value)
        for key, value in event.items()
    }


def _plain_lines(value: object) -> object:
    return "\n".join(str(_plain(line)) for line in str(value).split("\n"))


def _plain(value: object) -> object:
    if not isinstance(value, str) or value.isprintable():
        return value
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in value)


def set_up(
    *,
    level: Literal["debug", "info", "warning", "error"],
    form: Literal["auto", "json", "console"],
    counters: Counters,
    descriptor: int = 2,
) -> None:
    """Configure structlog for the whole process."""
    readable = form == "console" or (form == "auto" and os.isatty(descriptor))
    common: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        StormLimit(counters=counters),
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    sink = Sink(descriptor, counters=counters)
    structlog.configure(
        processors=[*common, *(_console() if readable else _json())],
        wrapper_class=structlog.make_filtering_bound_logger(LEVELS[level]),
        logger_factory=lambda *_: SinkLogger(sink),
        cache_logger_on_first_use=False,
    )


def _console() -> list[structlog.typing.Processor]:
    return [
        structlog.processors.format_exc_info,
        redacted,
        escaped,
        # The default formatter shows local variables, which hold what the user wrote.
        structlog.dev.ConsoleRenderer(
            colors=False, exception_formatter=structlog.dev.plain_traceback
        ),
    ]


def _json() -> list[structlog.typing.Processor]:
    return [
        structlog.processors.format_exc_info,
        redacted,
        escaped,
        structlog.processors.JSONRenderer(serializer=_dumped),
    ]


def _dumped(event: dict[str, object], **_: object) -> str:
    """JSON that is cut is no JSON: long values give way until the record fits."""
    for limit in (MAX_RECORD_BYTES, 4_096, 1_024, 256):
        record = orjson.dumps({k: _cut(v, limit) for k, v in event.items()}, default=str)
        if len(record) < MAX_RECORD_BYTES:
            break
    return record.decode()


def _cut(value: object, limit: int) -> object:
    if isinstance(value, str) and len(value) > limit:
        return value[:limit] + CUT_MARK
    return value
