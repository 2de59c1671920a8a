"""Requests timed from the first byte sent to the newline received; the JSON is made outside."""

import json
import time
from typing import Any

from support.daemon import Peer, request

Result = dict[str, Any]
PING = request("ping")


def prompt_line(text: str) -> bytes:
    return request("session.prompt", session={"key": "agent:main:bench"}, text=text)


def timed(peer: Peer, line: bytes) -> tuple[float, Result]:
    """Seconds and the result. A refusal is an error of the bench."""
    began_s = time.perf_counter()
    peer.say(line)
    reply = peer.line()
    took_s = time.perf_counter() - began_s
    answer = json.loads(reply or b"{}")
    if "result" not in answer:
        raise RuntimeError(f"the daemon answered {answer}")
    return took_s, answer["result"]


def seconds(peer: Peer, line: bytes) -> float:
    began_s = time.perf_counter()
    peer.say(line)
    peer.line()
    return time.perf_counter() - began_s


def stages(result: Result) -> list[str]:
    return [stage["name"] for stage in result["stages"]]
