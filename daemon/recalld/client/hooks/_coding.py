"""What the hooks of Claude Code and of Codex have in common: the events and their fields.

An event inside a sub-agent (``agent_id``) is left alone but for the sub-agent's end: its prompt
is the agent's, not the user's, and it would spend on the child what waits for the user's session.
"""

from recalld.client.hooks._call import (
    Answer,
    BadEvent,
    Call,
    Host,
    session_of,
    signals_in,
    text_in,
    together,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from recalld.client.hooks._exchange import Exchange

    Event = Mapping[str, object]
    Planner = Callable[["Coding", Event, float], Call | None]

SESSION_START = "SessionStart"
USER_PROMPT = "UserPromptSubmit"
# A fork goes on with all its parent was told; of a source not known yet nothing is assumed.
_SOURCES = {"resume": "resume", "fork": "resume", "clear": "clear", "compact": "compact"}
_SHOWN = frozenset({SESSION_START, USER_PROMPT})
# Agents that Claude Code runs for itself: they compact, guess the next prompt, answer asides.
_INTERNAL_AGENTS = ("acompact-", "aprompt_suggestion-", "aside_question-")


class Coding:
    """One of these hosts. ``size`` measures what it lets through at most ``most`` of."""

    __slots__ = ("client", "exchange", "most", "size")

    def __init__(
        self,
        client: str,
        *,
        exchange: "Callable[..., Exchange]",
        size: "Callable[[str], int]",
        most: int = 10_000,
    ) -> None:
        self.client = client
        self.exchange = exchange
        self.size = size
        self.most = most

    def host(self) -> Host:
        return Host(plan=self.plan, answer=self.answer)

    def plan(self, event: "Event", until: float) -> Call | None:
        name = text_in(event, "hook_event_name")
        planner = _PLANNERS.get(name)
        if planner is None:
            return None
        if not text_in(event, "session_id"):
            raise BadEvent(f"{name} without a session_id")
        if text_in(event, "agent_id") and name != "SubagentStop":
            return None
        return planner(self, event, until)

    def answer(self, call: Call, result: "Mapping[str, object]") -> Answer:
        """Only known keys: Codex refuses a whole output for one that it does not know."""
        if call.event not in _SHOWN:
            return Answer(None)
        text, left_out = together(result, size=self.size, most=self.most)
        if not text:
            return Answer(None, left_out)
        shown = {"hookEventName": call.event, "additionalContext": text}
        signals, act_id = signals_in(result)
        is_told = bool(signals) and text.endswith(signals)
        return Answer({"hookSpecificOutput": shown}, left_out, act_id=act_id if is_told else "")

    def session(self, event: "Event") -> "dict[str, object]":
        key, workspace = text_in(event, "session_id"), text_in(event, "cwd")
        return session_of(key, workspace=workspace, client=self.client)

    def last(self, event: "Event", name: str, until: float, *, child: bool = False) -> "Exchange":
        from recalld.client.hooks._tail import lines_from_the_end  # noqa: PLC0415 (no prompt needs it)

        lines = lines_from_the_end(text_in(event, name), until=until)
        return self.exchange(lines, child=child)


def _start(host: Coding, event: "Event", until: float) -> Call:
    del until
    source = _SOURCES.get(text_in(event, "source"), "startup")
    params: dict[str, object] = {"session": host.session(event), "source": source}
    return Call(SESSION_START, "session.start", params)


def _prompt(host: Coding, event: "Event", until: float) -> Call:
    """Without an event id: no host says a prompt twice, and it would cost two writes to disk."""
    del until
    text = event.get("prompt", event.get("user_prompt"))
    if not isinstance(text, str):
        raise BadEvent(f"{USER_PROMPT} without a prompt")
    return Call(USER_PROMPT, "session.prompt", {"session": host.session(event), "text": text})


def _compact(host: Coding, event: "Event", phase: str) -> "dict[str, object]":
    params: dict[str, object] = {"session": host.session(event), "phase": phase}
    if trigger := text_in(event, "trigger"):
        params["trigger"] = trigger
    return params


def _before(host: Coding, event: "Event", until: float) -> Call:
    del until
    return Call("PreCompact", "session.compact", _compact(host, event, "before"))


def _after(host: Coding, event: "Event", until: float) -> Call:
    del until
    params = _compact(host, event, "after")
    if summary := text_in(event, "compact_summary", "summary"):
        params["summary"] = summary
    return Call("PostCompact", "session.compact", params)


def _stop(host: Coding, event: "Event", until: float) -> Call | None:
    """Also while a hook of somebody else keeps the agent going: the next end is a later turn."""
    said = host.last(event, "transcript_path", until)
    assistant = text_in(event, "last_assistant_message") or said.assistant
    return _turn(host, event, "Stop", said, assistant) if said.user or assistant else None


def _failure(host: Coding, event: "Event", until: float) -> Call | None:
    """What the user wanted, and that it failed; what the host says of the failure is no speech."""
    said = host.last(event, "transcript_path", until)
    return _turn(host, event, "StopFailure", said, None) if said.user else None


def _turn(host: Coding, event: "Event", name: str, said: "Exchange", assistant: str | None) -> Call:
    params: dict[str, object] = {
        "session": host.session(event),
        "user": said.user,
        "assistant": assistant or "",
        "success": assistant is not None,
    }
    run = text_in(event, "turn_id", "prompt_id") or said.uid
    if run:
        params["run_id"] = run[:256]
        params["event_id"] = _event_id(run, said.user, assistant or name)
    return Call(name, "session.turn", params)


def _child(host: Coding, event: "Event", until: float) -> Call | None:
    child = text_in(event, "agent_id")
    # Without a type it is none that the agent started; without a name nobody could be told apart.
    if not child or event.get("agent_type") == "" or child.startswith(_INTERNAL_AGENTS):
        return None
    result = text_in(event, "last_assistant_message")
    if not result:
        result = host.last(event, "agent_transcript_path", until, child=True).assistant
    params: dict[str, object] = {
        "session": host.session(event),
        "child": child,
        "outcome": "ok",
        "event_id": _event_id(child, result),
    }
    if result:
        params["result"] = result
    return Call("SubagentStop", "subagent.end", params)


def _end(host: Coding, event: "Event", until: float) -> Call:
    del until
    reason = text_in(event, "reason") or "other"
    params: dict[str, object] = {"session": host.session(event), "reason": reason[:1_024]}
    return Call("SessionEnd", "session.end", params, ends=True, waits=False)


def _event_id(run: str, *texts: str) -> str:
    """The same for the same event only: one run may end more than once, with other words."""
    import zlib  # noqa: PLC0415 (no prompt needs it)

    told = "\0".join(texts).encode("utf-8", "replace")
    return f"{run[:200]}:{zlib.crc32(told):08x}:{len(told)}"


def claude_lines(lines: "Iterable[bytes]", *, child: bool = False) -> "Exchange":
    from recalld.client.hooks._exchange import claude_exchange  # noqa: PLC0415 (no prompt needs it)

    return claude_exchange(lines, child=child)


def codex_lines(lines: "Iterable[bytes]", *, child: bool = False) -> "Exchange":
    from recalld.client.hooks._exchange import codex_exchange  # noqa: PLC0415 (no prompt needs it)

    return codex_exchange(lines, child=child)


_PLANNERS: "dict[str, Planner]" = {
    SESSION_START: _start,
    USER_PROMPT: _prompt,
    "PreCompact": _before,
    "PostCompact": _after,
    "Stop": _stop,
    "StopFailure": _failure,
    "SubagentStop": _child,
    "SessionEnd": _end,
}
