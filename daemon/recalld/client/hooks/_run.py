"""From the host's event to the daemon and back, under the process's one deadline."""

import os
import sys
import time

from recalld.client.address import socket_path_of_environment
from recalld.client.errors import ClientError
from recalld.client.hooks._call import BadEvent, Call, Host
from recalld.client.hooks._clock import (
    END_DEADLINE_MS,
    LAST_WORDS_S,
    age_s,
    deadline_ms,
    leave_at,
)
from recalld.client.hooks._daemon import ask, tell
from recalld.client.hooks._light import encoded
from recalld.client.hooks._stdin import event_from

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

# Kept of the deadline for the line in the log and for printing.
LEAVING_S = 0.03
# The daemon may answer this much after the budget it was given.
LATE_MS = 60
LEAST_BUDGET_MS = 50
PROMPT = "session.prompt"
DELIVERED = "heartbeat.delivered"


class Occasion:
    """One run of a hook, for the log. ``event`` is known once it was read."""

    __slots__ = ("_began", "_environ", "_host", "event")

    def __init__(self, host: str, environ: "Mapping[str, str]", *, began: float) -> None:
        self._host = host
        self._environ = environ
        self._began = began
        self.event = ""

    def note(self, problem: str) -> None:
        from recalld.client.hooks._note import note  # noqa: PLC0415 (rarely needed)

        took_ms = (time.monotonic() - self._began) * 1_000
        who = f"{self._host} {self.event}".rstrip()
        note(self._environ, who, f"{problem} (after {took_ms:.0f} ms)")

    def note_late(self) -> None:
        self.note("no answer in time: the deadline cut it off")


def run(name: str, host: Host, environ: "Mapping[str, str]") -> None:
    """One event of ``host``, which is called ``name``. What went wrong is in the log after."""
    began = time.monotonic() - age_s()
    occasion = Occasion(name, environ, began=began)
    limit_ms, problem = deadline_ms(environ)
    until = began + limit_ms / 1_000
    leave_at(until, occasion.note_late)
    try:
        event = _event(until - LEAVING_S)
        # Half of what is left may go into reading what was said; the rest is the daemon's.
        call = host.plan(event, (time.monotonic() + until) / 2)
        if call is not None:
            occasion.event = call.event
            if call.ends:
                until = min(until, began + END_DEADLINE_MS / 1_000)
                leave_at(until, occasion.note_late)
            problem = _carry_out(host, call, environ, until - LEAVING_S) or problem
    except (BadEvent, ClientError) as error:
        problem = str(error)
    if problem:
        leave_at(until + LAST_WORDS_S)
        occasion.note(problem)


def _event(until: float) -> "dict[str, object]":
    if sys.stdin is None:
        raise BadEvent("no event on the input")
    return event_from(sys.stdin.fileno(), until=until)


def _carry_out(host: Host, call: Call, environ: "Mapping[str, str]", until: float) -> str:
    """Ask, print; what is to be noted of it, or ""."""
    path = socket_path_of_environment(environ)
    if not call.waits:
        tell(path, call.method, call.params, until=until)
        return ""
    result = ask(path, call.method, _budgeted(call, until), until=until)
    answer = host.answer(call, result)
    if answer.output is None:
        return answer.left_out
    problem = _print(encoded(answer.output) + b"\n")
    if answer.act_id:
        # What the host did not take is told again another time.
        told = {"act_id": answer.act_id, "ok": not problem}
        tell(path, DELIVERED, told, until=until)
    return problem or answer.left_out


def _budgeted(call: Call, until: float) -> "dict[str, object]":
    """A prompt's params with what is left of the deadline, never over what was asked for."""
    if call.method != PROMPT:
        return call.params
    left_ms = int((until - time.monotonic()) * 1_000) - LATE_MS
    asked = call.params.get("budget_ms", left_ms)
    if isinstance(asked, int):
        left_ms = min(left_ms, asked)
    return {**call.params, "budget_ms": max(LEAST_BUDGET_MS, left_ms)}


def _print(data: bytes) -> str:
    """Write past ``sys.stdout``, whose own buffer could fail when nobody may say so any more."""
    if sys.stdout is None:
        return "the host does not listen"
    descriptor = sys.stdout.fileno()
    try:
        while data:
            data = data[os.write(descriptor, data) :]
    except OSError:
        return "the host does not listen"
    return ""
