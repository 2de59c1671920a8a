"""Event sockets that the daemon connects to: `[[subscribe]]` entries, one task each."""

from collections.abc import Awaitable, Callable

import anyio
import orjson
import structlog

from recalld.counters import Counters
from recalld.server.connection import Connection
from recalld.server.dispatch import Answer, Dispatcher, contained, refused
from recalld.server.lines import PeerGone, Wire
from recalld.server.policy import ServerPolicy, SubscribeEntry
from recalld.server.traffic import Traffic
from recalld.server.wire import (
    Code,
    Parsed,
    Request,
    WireError,
    encode_request,
    parse,
    shown,
)

FIRST_PAUSE_S = 0.5
LONGEST_PAUSE_S = 30.0
# A conversation that lasted this long was a good one; the next pause is the first again.
SETTLED_S = 10.0
# On top of the drain: the last replies are written.
FLUSH_S = 1.0
FAMILIES = ("session.", "heartbeat.", "subagent.")

_log = structlog.get_logger("recalld.sources")


class EventAnswerer:
    """Answers what an event source may ask: session and heartbeat methods, nothing else.

    A method that does not exist is counted each time and logged once.
    """

    def __init__(self, dispatcher: Dispatcher, *, counters: Counters) -> None:
        self._dispatcher = dispatcher
        self._counters = counters
        self._complained: set[str] = set()

    async def answer(self, request: Request) -> Answer:
        if request.method.startswith(FAMILIES) and self._dispatcher.knows(request.method):
            self._counters.add("sources.events")
            return await self._dispatcher.answer(request)
        self._counters.add("sources.unknown_method")
        name = shown(request.method)
        if name not in self._complained and len(self._complained) < 100:
            self._complained.add(name)
            _log.warning("source.unknown_method", method=name)
        return refused(
            WireError(
                code=Code.NO_SUCH_METHOD,
                message=f"not a method that an event source may call: {name}",
                id=request.id,
            )
        )


class Sources:
    """Keeps one conversation with every configured event socket."""

    def __init__(  # noqa: PLR0913 (the composition root's arguments, keyword only)
        self,
        entries: tuple[SubscribeEntry, ...],
        *,
        connect: Callable[[str], Awaitable[Wire]],
        answerer: EventAnswerer,
        policy: ServerPolicy,
        traffic: Traffic,
        counters: Counters,
    ) -> None:
        self._entries = entries
        self._connect = connect
        self._answerer = answerer
        self._policy = policy
        self._traffic = traffic
        self._counters = counters
        self._connected: set[str] = set()
        self._connections: set[Connection] = set()
        self._draining = False

    @property
    def missing(self) -> tuple[str, ...]:
        """Names of the sources that are not connected now."""
        return tuple(entry.name for entry in self._entries if entry.name not in self._connected)

    async def run(self) -> None:
        async with anyio.create_task_group() as tasks:
            for entry in self._entries:
                tasks.start_soon(self._follow, entry)

    async def drain(self, drain_ms: int) -> None:
        """Connect no more, let what the sources asked for end or refuse it, hang up."""
        self._draining = True
        with anyio.move_on_after(drain_ms / 1_000 + FLUSH_S):
            async with anyio.create_task_group() as draining:
                for connection in tuple(self._connections):
                    draining.start_soon(connection.drain, drain_ms / 1_000)

    async def _follow(self, entry: SubscribeEntry) -> None:
        pause_s = FIRST_PAUSE_S
        while not self._draining:
            began = anyio.current_time()
            try:
                wire = await self._connect(entry.socket)
            except PeerGone:
                self._counters.add("sources.unreachable")
            else:
                await self._converse(entry, wire)
                self._counters.add("sources.lost")
            if anyio.current_time() - began >= SETTLED_S:
                pause_s = FIRST_PAUSE_S
            await anyio.sleep(pause_s)
            pause_s = min(pause_s * 2, LONGEST_PAUSE_S)

    async def _converse(self, entry: SubscribeEntry, wire: Wire) -> None:
        connection = Connection(
            wire,
            answerer=self._answerer,
            policy=self._policy,
            traffic=self._traffic,
            counters=self._counters,
            reader=self._reader(entry),
        )
        await connection.greet(
            encode_request("subscribe", "events.subscribe", {"kinds": list(entry.kinds)})
        )
        self._connected.add(entry.name)
        self._connections.add(connection)
        _log.info("source.connected", source=entry.name)
        try:
            await contained(connection.serve, what=f"source {entry.name}", counters=self._counters)
        finally:
            self._connected.discard(entry.name)
            self._connections.discard(connection)
            _log.info("source.lost", source=entry.name)

    def _reader(
        self, entry: SubscribeEntry
    ) -> Callable[[bytes], Parsed | tuple[Parsed, ...] | None]:
        def read(line: bytes) -> Parsed | tuple[Parsed, ...] | None:
            parsed = parse(line, max_depth=self._policy.max_depth, max_batch=self._policy.batch)
            if not isinstance(parsed, WireError):
                return parsed
            reply = _reply_in(line)
            if reply is None:
                return parsed
            if "error" in reply:
                _log.warning("source.refused", source=entry.name, error=shown(str(reply["error"])))
                self._counters.add("sources.refused")
            return None

        return read


def _reply_in(line: bytes) -> dict[str, object] | None:
    """The answer to our own request, if the line is one."""
    try:
        value = orjson.loads(line)
    except orjson.JSONDecodeError:
        return None
    if isinstance(value, dict) and "method" not in value and {"result", "error"} & set(value):
        return value
    return None
