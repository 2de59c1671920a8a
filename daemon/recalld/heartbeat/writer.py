"""The heartbeat's own values in the store: an owner's book, its acts, what the user said."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TypeVar

import msgspec

from recalld.counters import Counters
from recalld.heartbeat.book import Book, KeptAct
from recalld.heartbeat.model import Message
from recalld.heartbeat.ports import HeartbeatStore
from recalld.heartbeat.prompt import Spoken
from recalld.heartbeat.sentiment import sentiment
from recalld.store.model import ActRow, HeartbeatChange, KeptTick

T = TypeVar("T")

# Rhythm looks back two weeks, rates one.
MESSAGES_FOR = timedelta(days=14)
ACTS_FOR = timedelta(days=30)
MAX_MESSAGES = 5_000
# Turns' texts that a language model is given.
SPOKEN = 20


class _Payload(msgspec.Struct):
    user: str = ""
    assistant: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ledger:
    """Of one owner: its book, and its acts of a month, newest first."""

    owner: str
    book: Book = field(default_factory=Book)
    acts: tuple[KeptAct, ...] = ()


class Keeper:
    """Reads and writes ledgers. A body that is none of ours is left out and counted."""

    def __init__(self, store: HeartbeatStore, counters: Counters) -> None:
        self._store = store
        self._counters = counters
        self._messages: tuple[Message, ...] = ()
        self._conversation: tuple[Spoken, ...] = ()
        self._heard = 0

    @property
    def conversation(self) -> tuple[Spoken, ...]:
        """What was last said, oldest first, as of the last ``messages``."""
        return self._conversation

    async def open(self, owner: str, now: datetime) -> Ledger:
        book = await self._store.book(owner)
        bodies = await self._store.acts(owner, since=now - ACTS_FOR)
        acts = (self._decoded(body, KeptAct) for body in bodies)
        known = None if book is None else self._decoded(book, Book)
        return Ledger(
            owner=owner,
            book=known or Book(),
            acts=tuple(act for act in acts if act is not None),
        )

    async def find(self, act_id: str) -> tuple[str, KeptAct] | None:
        found = await self._store.act(act_id)
        if found is None:
            return None
        kept = self._decoded(found[1], KeptAct)
        return None if kept is None else (found[0], kept)

    async def keep(
        self, owner: str, book: Book, acts: Sequence[KeptAct] = (), tick: KeptTick | None = None
    ) -> None:
        rows = tuple(
            ActRow(id=kept.act.id, at=kept.act.at, body=msgspec.json.encode(kept)) for kept in acts
        )
        await self._store.keep(
            HeartbeatChange(owner=owner, book=msgspec.json.encode(book), acts=rows, tick=tick)
        )

    async def messages(self, now: datetime) -> tuple[Message, ...]:
        """What the user said in two weeks, oldest first; only what is new is read."""
        since = now - MESSAGES_FOR
        turns = await self._store.turns(since=since, after_seq=self._heard, limit=MAX_MESSAGES)
        said = [(turn, self._decoded(turn.payload, _Payload) or _Payload()) for turn in turns]
        new = [
            Message(at=turn.at, session=turn.session_key, sentiment=sentiment(one.user))
            for turn, one in said
        ]
        spoken = [each for _, one in said[-SPOKEN:] for each in _spoken(one)]
        self._conversation = (*self._conversation, *spoken)[-SPOKEN:]
        if turns:
            self._heard = turns[-1].seq
        known = [one for one in (*self._messages, *new) if one.at >= since]
        self._messages = tuple(sorted(known, key=lambda one: one.at)[-MAX_MESSAGES:])
        return self._messages

    def _decoded(self, body: bytes, kind: type[T]) -> T | None:
        try:
            return msgspec.json.decode(body, type=kind)
        except msgspec.DecodeError:
            self._counters.add("heartbeat.unread")
            return None


def _spoken(payload: _Payload) -> Iterator[Spoken]:
    if payload.user.strip():
        yield Spoken(role="user", text=payload.user)
    if payload.assistant.strip():
        yield Spoken(role="assistant", text=payload.assistant)
