"""The ``[server]``, ``[log]``, ``[hook]`` tables and the ``[[subscribe]]`` entries.

The limits of the wire contract are the defaults; their reasons stand beside them.
"""

from typing import Annotated, Literal

from msgspec import Meta

from recalld.recall.policy import Policy

SocketPath = Annotated[str, Meta(min_length=1, max_length=4_096)]
EventKind = Literal["session", "heartbeat"]


class ServerPolicy(Policy, frozen=True, kw_only=True):
    """Where the daemon listens and what one client may cost."""

    # None: $XDG_RUNTIME_DIR/recalld/recalld.sock, else /tmp/recalld-UID/recalld.sock.
    socket: SocketPath | None = None
    # orjson takes 73 ms for 1 MiB of small objects: a line's cap is also a stall cap.
    max_line_bytes: Annotated[int, Meta(ge=1_024, le=262_144)] = 262_144
    # orjson loads 1,024 levels but refuses to dump more than 254.
    max_depth: Annotated[int, Meta(ge=8, le=64)] = 64
    connections: Annotated[int, Meta(ge=1, le=1_024)] = 64
    # The next request of a connection is not read until one of these ends.
    in_flight: Annotated[int, Meta(ge=1, le=256)] = 16
    output_queue_bytes: Annotated[int, Meta(ge=4_096, le=16_777_216)] = 262_144
    # A peer that takes nothing for this long is closed.
    write_stall_s: Annotated[int, Meta(ge=1, le=60)] = 5
    # Only while a line is unfinished; a silent connection between lines is welcome.
    partial_line_idle_s: Annotated[int, Meta(ge=1, le=3_600)] = 30
    batch: Annotated[int, Meta(ge=1, le=1_024)] = 64
    # What is in flight at SIGTERM may take this long; the process must be gone within 5 s.
    drain_ms: Annotated[int, Meta(ge=0, le=4_000)] = 3_000
    # Lines in a row that are no JSON, after which a peer is taken to speak something else.
    errors_in_a_row: Annotated[int, Meta(ge=1, le=1_000)] = 10
    # Events waiting for one subscriber; more are lost and counted in ``missed``.
    subscriber_queue: Annotated[int, Meta(ge=1, le=65_536)] = 256
    # The words of prompts, and sessions not seen since; what was said in turns is kept.
    keep_events_days: Annotated[int, Meta(ge=1, le=36_500)] = 90


class LogPolicy(Policy, frozen=True, kw_only=True):
    """What the daemon says about itself, and how."""

    level: Literal["debug", "info", "warning", "error"] = "info"
    # auto: readable on a terminal, JSON lines on a pipe.
    format: Literal["auto", "json", "console"] = "auto"


class SubscribeEntry(Policy, frozen=True, kw_only=True):
    """An event socket the daemon connects to; it asks there for ``kinds``."""

    socket: SocketPath
    name: Annotated[str, Meta(min_length=1, max_length=64)]
    kinds: tuple[EventKind, ...] = ("session", "heartbeat")


class HookPolicy(Policy, frozen=True, kw_only=True):
    """The hook scripts that hosts run: they give up, silently, after ``deadline_ms``."""

    deadline_ms: Annotated[int, Meta(ge=50, le=60_000)] = 1_500
