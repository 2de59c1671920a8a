"""OpenClaw's and pi's transcripts: a header, then entries that form a tree. Pure.

Injected context (``custom_message``), compactions and branch summaries are nobody's speech; they
are part of the tree all the same.
"""

from recalld.index.transcripts.content import mapping, string, text_of, time_of
from recalld.index.transcripts.model import Entry, Host, Line, Role, Speech

_SAID_NOTHING = frozenset({"HEARTBEAT_OK", "NO_REPLY"})


def recognises(line: Line) -> bool:
    if line.get("type") == "session":
        return isinstance(line.get("timestamp"), str) and isinstance(line.get("id"), str)
    message = mapping(line.get("message"))
    return line.get("type") == "message" and isinstance(message.get("role"), str)


def read(line: Line) -> Entry:
    kind = string(line.get("type")) or "unknown"
    if kind == "session":
        return Entry(kind=kind, session=string(line.get("id")), cwd=string(line.get("cwd")))
    return Entry(
        kind=kind,
        speech=_speech(line) if kind == "message" else None,
        uid=string(line.get("id")),
        parent=string(line.get("parentId")),
        # Older files have no ids: there the lines follow one another.
        branching="parentId" in line and string(line.get("id")) is not None,
    )


def _speech(line: Line) -> Speech | None:
    message = mapping(line.get("message"))
    role, text = message.get("role"), text_of(message.get("content"))
    if role not in (Role.USER, Role.ASSISTANT) or text.strip() in _SAID_NOTHING:
        return None
    if not text.strip():
        return None
    at = time_of(line.get("timestamp"), message.get("timestamp"))
    return Speech(role=Role(str(role)), text=text, at=at)


HOST = Host(name="openclaw", recognises=recognises, read=read)
