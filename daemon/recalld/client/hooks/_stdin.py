"""The host's event, as far as it comes in time."""

import os
import select
import time

from recalld.client.hooks._call import BadEvent
from recalld.client.hooks._light import parsed

MOST_BYTES = 8 << 20
_CHUNK_BYTES = 1 << 18
# A host that says a whole object and leaves the pipe open is not waited out.
_QUIET_S = 0.02
_BOM = b"\xef\xbb\xbf"


def event_from(descriptor: int, *, until: float) -> "dict[str, object]":
    """The one JSON object on ``descriptor``; everything else raises ``BadEvent``.

    The rest of an input that is too long is read and dropped, so that the host never meets a
    broken pipe.
    """
    data = bytearray()
    tried = 0
    while (left_s := until - time.monotonic()) > 0:
        whole = len(data) > tried and data.endswith((b"}", b"}\n"))
        if not select.select([descriptor], [], [], min(left_s, _QUIET_S) if whole else left_s)[0]:
            tried = len(data)
            if whole and (event := _object(data)) is not None:
                return event
            continue
        chunk = _chunk(descriptor)
        if chunk == b"":
            return _event(data)
        data += (chunk or b"")[: MOST_BYTES + 1 - len(data)]
    raise BadEvent("the event did not end in time")


def _chunk(descriptor: int) -> bytes | None:
    """What is there; b"" at the end, None where there was nothing after all."""
    try:
        return os.read(descriptor, _CHUNK_BYTES)
    except BlockingIOError:
        return None
    except OSError:
        return b""


def _event(data: bytearray) -> "dict[str, object]":
    if not data.strip():
        raise BadEvent("no event on the input")
    if len(data) > MOST_BYTES:
        raise BadEvent(f"an event over {MOST_BYTES} bytes")
    event = _object(data)
    if event is None:
        raise BadEvent("the event is no JSON object")
    return event


def _object(data: bytearray) -> "dict[str, object] | None":
    try:
        # Undecodable bytes lose their letters, not the prompt.
        value = parsed(data.removeprefix(_BOM).decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
