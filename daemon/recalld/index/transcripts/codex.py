"""Codex' rollouts: ``{timestamp, type, payload}``, every speech told twice. Pure."""

import re

from recalld.index.transcripts.content import mapping, string, text_of, time_of
from recalld.index.transcripts.model import Entry, Host, Line, Role, Speech

_TYPES = frozenset(
    ["session_meta", "turn_context", "response_item", "event_msg", "compacted", "world_state"]
)
_EVENTS = {"user_message": Role.USER, "agent_message": Role.ASSISTANT}
# What the host puts before the user's first words: the environment, AGENTS.md, permissions.
_INJECTED = re.compile(
    r"\s*(?:<[a-z][a-z_ -]{2,40}>|# AGENTS\.md instructions|\[Request interrupted)", re.I
)


def recognises(line: Line) -> bool:
    return line.get("type") in _TYPES and isinstance(line.get("payload"), dict)


def read(line: Line) -> Entry:
    payload = mapping(line.get("payload"))
    kind = string(line.get("type")) or "unknown"
    if kind == "session_meta":
        return Entry(kind=kind, session=string(payload.get("id")), cwd=string(payload.get("cwd")))
    if kind == "turn_context":
        return Entry(kind=kind, cwd=string(payload.get("cwd")))
    at = time_of(line.get("timestamp"))
    if kind == "event_msg":
        return _event(payload, at)
    return _item(payload, at) if kind == "response_item" else Entry(kind=kind)


def _event(payload: Line, at: str | None) -> Entry:
    kind = string(payload.get("type")) or "event"
    text, role = string(payload.get("message")), _EVENTS.get(kind)
    if role is None or text is None:
        return Entry(kind=kind)
    injected = payload.get("kind") not in (None, "plain") or _is_injected(role, text)
    if injected:
        return Entry(kind="injected")
    return Entry(kind=kind, speech=Speech(role=role, text=text, at=at))


def _item(payload: Line, at: str | None) -> Entry:
    kind = string(payload.get("type")) or "message"
    name = payload.get("role")
    if kind != "message" or name not in (Role.USER, Role.ASSISTANT):
        return Entry(kind=kind)
    role, text = Role(str(name)), text_of(payload.get("content"))
    if not text.strip() or _is_injected(role, text):
        return Entry(kind="injected")
    return Entry(kind=kind, speech=Speech(role=role, text=text, at=at, draft=True))


def _is_injected(role: Role, text: str) -> bool:
    return role is Role.USER and _INJECTED.match(text) is not None


HOST = Host(name="codex", recognises=recognises, read=read)
