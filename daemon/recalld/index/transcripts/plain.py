"""Any host that writes ``{"role": …, "content": …}``, with or without an envelope. Pure."""

from recalld.index.transcripts.content import has_block, mapping, string, text_of, time_of
from recalld.index.transcripts.model import Entry, Host, Line, Role, Speech

_ROLES = frozenset({"user", "assistant"})


def recognises(line: Line) -> bool:
    return line.get("role") in _ROLES and _content(line) is not None


def read(line: Line) -> Entry:
    role = string(line.get("role")) or "unknown"
    content = _content(line)
    text = text_of(content)
    if role not in _ROLES or not text.strip() or has_block(content, "tool_result"):
        return Entry(kind=role)
    at = time_of(*(line.get(name) for name in ("timestamp", "at", "created_at", "ts")))
    return Entry(
        kind=role,
        speech=Speech(role=Role(role), text=text, at=at),
        session=string(line.get("session")) or string(line.get("session_id")),
        cwd=string(line.get("cwd")),
    )


def _content(line: Line) -> object:
    content = line.get("content")
    return mapping(line.get("message")).get("content") if content is None else content


HOST = Host(name="plain", recognises=recognises, read=read)
