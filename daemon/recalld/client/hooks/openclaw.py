"""OpenClaw where its plugin cannot run in the gateway: a script of one's own calls this instead.

Input: ``{"hook": NAME, "event": {…}, "context": {…}}``, the last two as the gateway hands them to
a plugin. Output of ``before_prompt_build`` and ``session_start``: ``{"prependSystemContext":
TEXT}``, to be returned from the former; what a session began with belongs before its first prompt.
"""

from recalld.client.hooks._call import (
    Answer,
    BadEvent,
    Call,
    Host,
    session_of,
    text_in,
    together,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Fields = Mapping[str, object]
    Planner = Callable[["Occasion"], Call | None]

# The gateway has no bound of its own.
MOST_CHARS = 10_000
_SHOWN = frozenset({"before_prompt_build", "session_start"})
_SPEECH = frozenset({"before_prompt_build", "agent_end"})
# Runs that no user asked for, by what started them and by whose key they have.
_HOST_TRIGGERS = frozenset({"heartbeat", "cron", "memory"})
_KEYS_WITHOUT_USER = frozenset({"subagent", "cron", "hook"})
_OUTCOMES = frozenset(["ok", "error", "timeout", "killed", "reset", "deleted"])
_TEXT_BLOCKS = frozenset({"text", "input_text", "output_text"})


class Occasion:
    """One call of a hook. ``run`` names the agent's run, "" where nothing does."""

    __slots__ = ("context", "event", "key", "name", "run")

    def __init__(self, name: str, event: "Fields", context: "Fields") -> None:
        self.name = name
        self.event = event
        self.context = context
        names = ("sessionKey", "sessionId")
        self.key = text_in(context, *names) or text_in(event, *names)
        self.run = text_in(event, "runId") or text_in(context, "runId")

    def call(self, method: str, params: "dict[str, object]", *, ends: bool = False) -> Call:
        told = {"session": self.session(self.key), **params}
        return Call(self.name, method, told, ends=ends, waits=not ends)

    def session(self, key: str) -> "dict[str, object]":
        workspace, agent = text_in(self.context, "workspaceDir"), text_in(self.context, "agentId")
        return session_of(key, workspace=workspace, client="openclaw", agent=agent)

    def event_id(self, *words: str) -> "dict[str, object]":
        """Nothing where the run has no name: the same words may be said twice."""
        return {"event_id": ":".join([self.run[:200], *words])} if self.run else {}


def plan(event: "Fields", until: float) -> Call | None:
    del until
    planner = _PLANNERS.get(text_in(event, "hook"))
    if planner is None:
        return None
    fields, context = event.get("event"), event.get("context")
    if not isinstance(fields, dict) or not isinstance(context, dict):
        raise BadEvent("no event and context of a hook")
    occasion = Occasion(text_in(event, "hook"), fields, context)
    if not occasion.key:
        raise BadEvent(f"{occasion.name} without a session")
    if occasion.name in _SPEECH and text_in(context, "trigger") in _HOST_TRIGGERS:
        return None
    return planner(occasion)


def answer(call: Call, result: "Fields") -> Answer:
    if call.event not in _SHOWN:
        return Answer(None)
    session = call.params.get("session")
    if isinstance(session, dict) and _without_user(text_in(session, "key")):
        result = {"context": result.get("context")}
    text, left_out = together(result, size=len, most=MOST_CHARS)
    return Answer({"prependSystemContext": text} if text else None, left_out)


def _prompt(occasion: Occasion) -> Call:
    text = occasion.event.get("prompt")
    if not isinstance(text, str):
        raise BadEvent("before_prompt_build without a prompt")
    return occasion.call("session.prompt", {"text": text})


def _turn(occasion: Occasion) -> Call | None:
    user, assistant = _last_turn(occasion.event.get("messages"))
    if _without_user(occasion.key) or not (user or assistant):
        return None
    success = occasion.event.get("success") is not False
    params: dict[str, object] = {"user": user, "assistant": assistant, "success": success}
    if occasion.run:
        params["run_id"] = occasion.run[:256]
    params |= occasion.event_id("turn", _mark(user), _mark(assistant), str(success).lower())
    return occasion.call("session.turn", params)


def _before(occasion: Occasion) -> Call | None:
    return _compact(occasion, "before")


def _after(occasion: Occasion) -> Call | None:
    return _compact(occasion, "after")


def _compact(occasion: Occasion, phase: str) -> Call | None:
    if _without_user(occasion.key):
        return None
    trigger = "manual" if occasion.context.get("trigger") == "manual" else "auto"
    return occasion.call("session.compact", {"phase": phase, "trigger": trigger})


def _reset(occasion: Occasion) -> Call | None:
    if _without_user(occasion.key):
        return None
    reason = "new" if occasion.event.get("reason") == "new" else "reset"
    return occasion.call("session.reset", {"reason": reason})


def _start(occasion: Occasion) -> Call | None:
    if _without_user(occasion.key):
        return None
    # The conversation that the host calls resumed is the one this one replaces.
    source = "new" if text_in(occasion.event, "resumedFrom") else "startup"
    return occasion.call("session.start", {"source": source})


def _end(occasion: Occasion) -> Call | None:
    if _without_user(occasion.key):
        return None
    reason = text_in(occasion.event, "reason") or "unknown"
    return occasion.call("session.end", {"reason": reason[:1_024]}, ends=True)


def _child(occasion: Occasion) -> Call | None:
    """The session of the call is the parent's: the hook's own key may be the child's."""
    child = text_in(occasion.event, "targetSessionKey")
    parent = text_in(occasion.context, "requesterSessionKey") or occasion.key
    if not child or parent == child:
        return None
    error = text_in(occasion.event, "error")
    outcome = text_in(occasion.event, "outcome") or ("error" if error else "ok")
    params: dict[str, object] = {
        "session": occasion.session(parent),
        "child": child,
        "outcome": outcome if outcome in _OUTCOMES else "error",
        **({"result": error} if error else {}),
    }
    params |= occasion.event_id("subagent", outcome)
    return Call(occasion.name, "subagent.end", params)


def _without_user(key: str) -> bool:
    """Whether a schedule or another agent speaks in this session where the user would."""
    parts = key.split(":")
    at = 2 if parts[0] == "agent" else 0
    return len(parts) > at + 1 and parts[at] in _KEYS_WITHOUT_USER


def _last_turn(messages: object) -> tuple[str, str]:
    """The user's last words and the agent's last after them; "" for what was not said."""
    assistant = ""
    for message in reversed(messages if isinstance(messages, list) else []):
        role, text = _speech(message)
        if role == "user" and text:
            return text, assistant
        if role == "assistant":
            assistant = assistant or text
    return "", assistant


def _speech(message: object) -> tuple[object, str]:
    if not isinstance(message, dict):
        return None, ""
    content = message.get("content")
    if isinstance(content, str):
        return message.get("role"), content.strip()
    listed = content if isinstance(content, list) else []
    blocks = [block for block in listed if isinstance(block, dict)]
    texts = [block.get("text") for block in blocks if block.get("type") in _TEXT_BLOCKS]
    return message.get("role"), "\n".join(t for t in texts if isinstance(t, str)).strip()


def _mark(text: str) -> str:
    import zlib  # noqa: PLC0415 (no prompt needs it)

    told = text.encode("utf-8", "replace")
    return f"{zlib.crc32(told):08x}-{len(told)}"


_PLANNERS: "dict[str, Planner]" = {
    "before_prompt_build": _prompt,
    "agent_end": _turn,
    "before_compaction": _before,
    "after_compaction": _after,
    "before_reset": _reset,
    "session_start": _start,
    "session_end": _end,
    "subagent_ended": _child,
}

HOST = Host(plan=plan, answer=answer)
