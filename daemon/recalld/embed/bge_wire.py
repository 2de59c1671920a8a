"""What the daemon and the worker process say to each other: frames over two pipes.

A frame is two lengths (uint32, little-endian), a MessagePack message of the first and raw bytes
of the second. One request is answered by one reply.
"""

import struct
from collections.abc import Sequence

import msgspec
import numpy as np
from msgspec import Struct

from recalld.embed.port import Both, SparseVector

PREFIX = struct.Struct("<II")
# 64 texts of 8,192 tokens with all their weights stay below.
MAX_BYTES = 64 * 1024 * 1024


class Load(Struct, frozen=True, kw_only=True, tag="load"):
    """``precision``: ``auto`` chooses by measurement; ``float32`` and ``bfloat16`` are obeyed."""

    folder: str
    threads: int
    precision: str = "auto"


class Embed(Struct, frozen=True, kw_only=True, tag="embed"):
    texts: tuple[str, ...]
    max_length: int


class Loaded(Struct, frozen=True, kw_only=True, tag="loaded"):
    """``probe_ms``: what one layer took on one and the same input, by precision."""

    dimension: int
    precision: str
    probe_ms: dict[str, float]
    load_ms: float


class Embedded(Struct, frozen=True, kw_only=True, tag="embedded"):
    """Followed by dense rows (float32), then ids (int32), then weights (float32)."""

    dimension: int
    tokens: tuple[int, ...]
    took_ms: float


class Failed(Struct, frozen=True, kw_only=True, tag="failed"):
    problem: str


Request = Load | Embed
Reply = Loaded | Embedded | Failed

_REQUESTS: msgspec.msgpack.Decoder[Request] = msgspec.msgpack.Decoder(Request)
_REPLIES: msgspec.msgpack.Decoder[Reply] = msgspec.msgpack.Decoder(Reply)


def frame(message: Request | Reply, raw: bytes = b"") -> bytes:
    head = msgspec.msgpack.encode(message)
    return PREFIX.pack(len(head), len(raw)) + head + raw


def lengths(prefix: bytes) -> tuple[int, int]:
    """``ValueError`` for what no side of ours sends."""
    head, raw = PREFIX.unpack(prefix)
    if not 0 < head <= MAX_BYTES or raw > MAX_BYTES:
        raise ValueError(f"a frame of {head} + {raw} bytes")
    return head, raw


def request_of(head: bytes) -> Request:
    return _REQUESTS.decode(head)


def reply_of(head: bytes) -> Reply:
    return _REPLIES.decode(head)


def packed(both: Both, *, took_ms: float) -> bytes:
    """The frame of an answer."""
    ids = [one.ids.astype("<i4").tobytes() for one in both.sparse]
    weights = [one.weights.astype("<f4").tobytes() for one in both.sparse]
    message = Embedded(
        dimension=int(both.dense.shape[1]),
        tokens=tuple(len(one.ids) for one in both.sparse),
        took_ms=took_ms,
    )
    return frame(message, b"".join((both.dense.astype("<f4").tobytes(), *ids, *weights)))


def unpacked(message: Embedded, raw: bytes) -> Both:
    """``ValueError`` when the bytes are not what the message announces."""
    rows, total = len(message.tokens), sum(message.tokens)
    if len(raw) != 4 * (rows * message.dimension + 2 * total):
        raise ValueError(f"{len(raw)} bytes for {rows} rows and {total} weights")
    split = 4 * rows * message.dimension
    dense = np.frombuffer(raw[:split], "<f4").reshape(rows, message.dimension)
    ids = np.frombuffer(raw[split : split + 4 * total], "<i4")
    weights = np.frombuffer(raw[split + 4 * total :], "<f4")
    return Both(dense=dense, sparse=_rows(ids, weights, message.tokens))


def _rows(ids: np.ndarray, weights: np.ndarray, counts: Sequence[int]) -> tuple[SparseVector, ...]:
    ends = np.cumsum(counts, dtype=np.int64)
    return tuple(
        SparseVector(ids=ids[end - count : end], weights=weights[end - count : end])
        for end, count in zip(ends.tolist(), counts, strict=True)
    )
