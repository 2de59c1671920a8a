"""What a host's event asks of the daemon, and what a host is.

Plain classes: ``dataclasses`` and ``typing`` would cost every hook 10 ms.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


class BadEvent(Exception):
    """The host said something that is no event of it. The text holds nothing of the event."""


class Call:
    """One request. ``event`` is the host's own name for the occasion.

    ``ends``: the session is over, and the deadline that of an end. ``waits`` False: the daemon
    is told and no answer is waited for.
    """

    __slots__ = ("ends", "event", "method", "params", "waits")

    def __init__(
        self,
        event: str,
        method: str,
        params: "dict[str, object]",
        *,
        ends: bool = False,
        waits: bool = True,
    ) -> None:
        self.event = event
        self.method = method
        self.params = params
        self.ends = ends
        self.waits = waits


class Answer:
    """What to print (None: nothing), and what was left out of it and why ("": nothing was).

    ``act_id``: the heartbeat's act that is printed, "" for none.
    """

    __slots__ = ("act_id", "left_out", "output")

    def __init__(
        self, output: "dict[str, object] | None", left_out: str = "", *, act_id: str = ""
    ) -> None:
        self.output = output
        self.left_out = left_out
        self.act_id = act_id


class Host:
    """An adapter: ``plan`` reads an event (None: nothing to do), ``answer`` puts the result.

    ``plan`` raises ``BadEvent``; its second argument is the moment after which it should not
    go on looking into files.
    """

    __slots__ = ("answer", "plan")

    def __init__(
        self,
        *,
        plan: "Callable[[Mapping[str, object], float], Call | None]",
        answer: "Callable[[Call, Mapping[str, object]], Answer]",
    ) -> None:
        self.plan = plan
        self.answer = answer


def text_in(event: "Mapping[str, object]", *names: str) -> str:
    """The first of ``names`` that is a text which says something, else ""."""
    for name in names:
        value = event.get(name)
        if isinstance(value, str) and value.strip():
            return value
    return ""


def signals_in(result: "Mapping[str, object]") -> tuple[str, str]:
    """A heartbeat's signals and the id of their act; empty without both."""
    told = result.get("heartbeat")
    if not isinstance(told, dict):
        return "", ""
    signals, act_id = text_in(told, "context"), text_in(told, "act_id")
    return (signals, act_id) if signals and act_id else ("", "")


def session_of(key: str, *, workspace: str, client: str, agent: str = "") -> "dict[str, object]":
    """The ``session`` of every call. A workspace that is no absolute path is not told."""
    session: dict[str, object] = {"key": key, "client": client}
    if workspace.startswith("/") and "\0" not in workspace:
        session["workspace"] = workspace
    if agent:
        session["agent"] = agent
    return session


def together(
    result: "Mapping[str, object]", *, size: "Callable[[str], int]", most: int
) -> tuple[str, str]:
    """The continuity snapshot, what recall found, a heartbeat's signals; and what did not fit.

    A block is never cut: the signals go whole, what was recalled after them, the snapshot last.
    """
    parts = [text_in(result, "recovery"), text_in(result, "context"), signals_in(result)[0]]
    names = ["the snapshot", "what was recalled", "what a heartbeat has to tell"]
    left_out = ""
    while parts:
        text = "\n\n".join(part for part in parts if part)
        if size(text) <= most:
            return text, left_out
        if parts[-1]:
            left_out = f"{names[len(parts) - 1]} was over {most} and left out"
        parts.pop()
    return "", left_out
