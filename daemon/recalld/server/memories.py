"""Memories on the wire: their shape, and the words a caller may use for types and states. Pure."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, TypeVar

from msgspec import Meta, Struct

from recalld.errors import BadRequest
from recalld.memories.model import Memory, MemoryState, MemoryType
from recalld.server.wire import shown
from recalld.store.model import KeptProposal

E = TypeVar("E", bound=StrEnum)

# Whose a memory is, and who heard it, where a caller does not say.
OWNER = "default"
AGENT = "main"

# A word for a type or a state, and lists of them; which there are is asked by ``types_of``.
Word = Annotated[str, Meta(max_length=64)]
Words = Annotated[tuple[Word, ...], Meta(max_length=16)]
MemoryId = Annotated[str, Meta(min_length=1, max_length=256)]
MemoryIds = Annotated[tuple[MemoryId, ...], Meta(max_length=1_000)]
Limit = Annotated[int, Meta(ge=1, le=100)]
Query = Annotated[str, Meta(max_length=65_536)]


class MemoryShape(Struct, frozen=True, kw_only=True):
    """A memory as every client receives it."""

    id: str
    owner: str
    content: str
    type: MemoryType
    state: MemoryState
    importance: float
    tags: tuple[str, ...]
    session: str | None
    agent: str
    created_at: datetime
    updated_at: datetime
    expires_at: datetime | None
    origin: str


def shape_of(memory: Memory) -> MemoryShape:
    return MemoryShape(**{name: getattr(memory, name) for name in MemoryShape.__struct_fields__})


class ProposalShape(Struct, frozen=True, kw_only=True):
    """What a turn proposed. ``said_by``: ``user`` or ``agent``; ``created_at``: when."""

    id: str
    owner: str
    content: str
    type: str
    session: str
    agent: str
    said_by: str
    created_at: datetime


def proposal_of(kept: KeptProposal) -> ProposalShape:
    return ProposalShape(
        id=kept.id,
        owner=kept.owner,
        content=kept.content,
        type=kept.type,
        session=kept.session,
        agent=kept.agent,
        said_by=kept.said_by,
        created_at=kept.said_at,
    )


def type_of(word: str, *, key: str = "params.type") -> MemoryType:
    """The type of that name, in any case. ``BadRequest`` for none."""
    return _member(MemoryType, word, word.upper() if word.isascii() else "", key=key)


def state_of(word: str, *, key: str = "params.state") -> MemoryState:
    """The state of that name. ``BadRequest`` for none."""
    return _member(MemoryState, word, word, key=key)


def types_of(words: tuple[str, ...] | None) -> frozenset[MemoryType]:
    """Those named; empty, which means all, without a list."""
    pairs = enumerate(words or ())
    return frozenset(type_of(word, key=f"params.types[{at}]") for at, word in pairs)


def states_of(words: tuple[str, ...] | None) -> frozenset[MemoryState]:
    """Those named; empty, which means all that are not put away, without a list."""
    pairs = enumerate(words or ())
    return frozenset(state_of(word, key=f"params.states[{at}]") for at, word in pairs)


def _member(kind: type[E], word: str, name: str, *, key: str) -> E:
    for member in kind:
        if member.value == name:
            return member
    raise BadRequest(key, f"{shown(word)} is none of {', '.join(kind)}")
