"""Accepting connections, keeping each one's faults to itself, and ending them in order."""

import contextlib
from collections.abc import Callable
from functools import partial
from pathlib import Path

import anyio
import anyio.abc
import anyio.to_thread
import structlog
import trio

from recalld.counters import Counters
from recalld.errors import BadConfig, Refused
from recalld.server.connection import Answerer, Connection
from recalld.server.dispatch import contained
from recalld.server.lines import PeerGone
from recalld.server.listen import Claim, claim, may_enter
from recalld.server.policy import ServerPolicy
from recalld.server.sockets import SocketWire, peer_uid
from recalld.server.traffic import Traffic
from recalld.server.wire import Code, WireError, encode_error

# How often the socket file is looked at: a removed one is back within twice this.
LOOK_S = 5.0
# On top of the drain: the last replies are written and the peers hang up.
FLUSH_S = 1.0
BUSY_RETRY_MS = 1_000

_log = structlog.get_logger("recalld.server")


class Server:
    """All connections of one listening socket."""

    def __init__(  # noqa: PLR0913 (the composition root's arguments, keyword only)
        self,
        *,
        policy: ServerPolicy,
        dispatcher: Answerer,
        traffic: Traffic,
        counters: Counters,
        uid: int,
        credentials: Callable[[SocketWire], int] = peer_uid,
    ) -> None:
        self._policy = policy
        self._dispatcher = dispatcher
        self._traffic = traffic
        self._counters = counters
        self._uid = uid
        self._credentials = credentials
        self._connections: set[Connection] = set()
        self._accepting = anyio.CancelScope()
        self._claim: Claim | None = None
        self._lost = False
        self._closed = anyio.Event()

    @property
    def connections(self) -> int:
        return len(self._connections)

    @property
    def reachable(self) -> bool:
        """False while the socket file is gone or somebody else's."""
        return not self._lost

    async def serve(
        self,
        claimed: Claim,
        *,
        task_status: anyio.abc.TaskStatus[None] = anyio.TASK_STATUS_IGNORED,
    ) -> None:
        """Own ``claimed`` and accept until ``drain``. Started once the socket accepts."""
        self._claim = claimed
        try:
            async with trio.open_nursery() as handlers:
                with self._accepting:
                    task_status.started()
                    await self._accept(handlers)
                self._claim.withdraw()
        finally:
            self._claim.release()
            self._closed.set()

    async def _accept(self, handlers: trio.Nursery) -> None:
        """Accept at the claimed path, and at a new claim whenever the socket file is lost."""
        while self._claim is not None:
            # trio's loop backs off on EMFILE and its like; anyio's dies of them.
            plain = trio.socket.from_stdlib_socket(self._claim.listener)
            async with trio.open_nursery() as accepting:
                accepting.start_soon(
                    partial(
                        trio.serve_listeners,
                        self._greet,
                        [trio.SocketListener(plain)],
                        handler_nursery=handlers,
                    )
                )
                await self._until_lost(self._claim)
                accepting.cancel_scope.cancel()
            self._claim = await self._claim_again(self._claim)

    async def _greet(self, stream: trio.SocketStream) -> None:
        """Serve one peer. Nothing that happens to it reaches another."""

        async def work() -> None:
            await self._converse(SocketWire(stream.socket))

        await contained(work, what="connection", counters=self._counters)

    async def _converse(self, wire: SocketWire) -> None:
        if not may_enter(self._credentials(wire), uid=self._uid):
            self._counters.add("connections.foreign_uid")
            await wire.aclose()
            return
        if len(self._connections) >= self._policy.connections:
            self._counters.add("connections.refused")
            await self._turn_away(wire)
            return
        connection = Connection(
            wire,
            answerer=self._dispatcher,
            policy=self._policy,
            traffic=self._traffic,
            counters=self._counters,
        )
        self._connections.add(connection)
        try:
            await connection.serve()
        finally:
            self._connections.discard(connection)

    async def _turn_away(self, wire: SocketWire) -> None:
        error = WireError(
            code=Code.BUSY,
            message=f"busy: {self._policy.connections} connections are open",
            data={"retry_after_ms": BUSY_RETRY_MS},
        )
        with contextlib.suppress(PeerGone), anyio.move_on_after(0.05):
            await wire.send_some(memoryview(encode_error(error) + b"\n"))
        await wire.aclose()

    async def _until_lost(self, held: Claim) -> None:
        while True:
            await anyio.sleep(LOOK_S)
            if not held.still_there():
                return

    async def _claim_again(self, lost: Claim) -> Claim:
        """Back at the path. Connections that are open stay so meanwhile."""
        self._lost = True
        self._counters.add("socket.lost")
        lost.release()
        path = lost.path or Path()
        while True:
            try:
                held = await anyio.to_thread.run_sync(partial(claim, path, uid=self._uid))
            except (BadConfig, Refused) as fault:
                _log.warning("socket.lost", problem=str(fault))
                await anyio.sleep(LOOK_S)
            else:
                _log.info("socket.rebound", path=str(path))
                self._lost = False
                return held

    async def drain(self, drain_ms: int) -> None:
        """Stop accepting, let what runs end or refuse it, close. Bounded by drain and flush."""
        self._accepting.cancel()
        with anyio.move_on_after(drain_ms / 1_000 + FLUSH_S):
            async with anyio.create_task_group() as draining:
                for connection in tuple(self._connections):
                    draining.start_soon(connection.drain, drain_ms / 1_000)
            await self._closed.wait()
