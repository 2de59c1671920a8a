"""The body of a chat completion and the reading of its answer. Pure."""

from collections.abc import Mapping

import orjson

from recalld.llm.model import ChatOutcome, ChatReply, ChatRequest, ChatShape

FINISH_REASONS = frozenset(
    {
        "stop",
        "length",
        "content_filter",
        "tool_calls",
        "function_call",
        "insufficient_system_resource",
    }
)


def body_of(request: ChatRequest) -> dict[str, object]:
    """The request as JSON."""
    body: dict[str, object] = {
        "model": request.model,
        "messages": [
            {"role": "system", "content": request.system},
            {"role": "user", "content": request.user},
        ],
        "max_tokens": request.max_output_tokens,
        "response_format": dict(request.response_format),
        "stream": False,
    }
    if request.thinking is not None:
        body["thinking"] = {"type": request.thinking}
    return body


def reply_of(body: bytes, *, http_status: int) -> ChatReply:
    """The text of the first choice: a string, or a list of text parts joined.

    Anything else is a ``payload_fail`` with the shape of what was there instead.
    """
    try:
        payload = orjson.loads(body)
    except ValueError:
        return _failed(ChatShape(http_status=http_status), "no JSON")
    choice = _first_choice(payload)
    message = choice.get("message")
    if not isinstance(message, dict):
        return _failed(ChatShape(http_status=http_status), "no message")
    content = message.get("content")
    shape = ChatShape(
        content_type=_type_of(content) if "content" in message else "missing",
        finish_reason=_finish_reason(choice.get("finish_reason")),
        has_reasoning_content=bool(message.get("reasoning_content") or message.get("reasoning")),
        http_status=http_status,
    )
    text = _text_of(content)
    if text is None:
        return _failed(shape, "no text")
    return ChatReply(outcome=ChatOutcome.OK, content=text, shape=shape)


def _failed(shape: ChatShape, problem: str) -> ChatReply:
    return ChatReply(outcome=ChatOutcome.PAYLOAD_FAIL, shape=shape, problem=problem)


def _first_choice(payload: object) -> Mapping[str, object]:
    choices = payload.get("choices") if isinstance(payload, dict) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    return first if isinstance(first, dict) else {}


def _text_of(content: object) -> str | None:
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return None
    parts = [part if isinstance(part, str) else _part(part) for part in content]
    texts = [part for part in parts if part is not None]
    return "".join(texts) if texts else None


def _part(part: object) -> str | None:
    text = part.get("text") if isinstance(part, dict) else None
    return text if isinstance(text, str) else None


def _finish_reason(value: object) -> str | None:
    if not isinstance(value, str):
        return None
    return value if value in FINISH_REASONS else "other"


def _type_of(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    names = {str: "string", list: "array", dict: "object", int: "number", float: "number"}
    return names.get(type(value), "other")
