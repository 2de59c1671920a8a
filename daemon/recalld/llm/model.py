"""One question to a language model and what came back. Pure values and the port."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal, Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRequest:
    """One chat completion. ``key_name`` is the environment variable that holds the key.

    ``thinking`` None: the field is not sent.
    """

    endpoint: str
    key_name: str
    model: str
    system: str
    user: str
    max_output_tokens: int
    response_format: Mapping[str, object]
    thinking: Literal["enabled", "disabled"] | None = None


class Barred(StrEnum):
    """Why nothing is sent now."""

    KEY_MISSING = "key_missing"
    KEY_UNSAFE = "key_unsafe"
    RATE_LIMITED = "rate_limited"


class ChatOutcome(StrEnum):
    """``payload_fail``: an answer that is no chat completion, or one without text."""

    OK = "ok"
    BARRED = "barred"
    REQUEST_FAIL = "request_fail"
    HTTP_FAIL = "http_fail"
    PAYLOAD_FAIL = "payload_fail"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatShape:
    """What an answer looked like, without a word of it.

    ``content_type`` is the JSON type of the content, ``missing`` where there is none;
    ``finish_reason`` one of the known ones, else ``other``. None: not known.
    """

    content_type: str | None = None
    finish_reason: str | None = None
    has_reasoning_content: bool | None = None
    http_status: int | None = None


NO_SHAPE = ChatShape()


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatReply:
    """``content`` is empty unless ``outcome`` is ok, and may be empty then too.

    ``problem`` says in our own words what went wrong; it quotes nobody.
    """

    outcome: ChatOutcome
    content: str = field(default="", repr=False)
    shape: ChatShape = NO_SHAPE
    problem: str = ""


class Chat(Protocol):
    """The one way to ask a language model. It takes as long as it takes: a stage bounds it."""

    def barred(self, endpoint: str, key_name: str) -> Barred | None:
        """Whether a call made now would not be sent, and why."""

    async def complete(self, request: ChatRequest) -> ChatReply:
        """At most one request on the wire. Never raises for what the other side does."""
