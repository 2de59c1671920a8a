"""The heartbeat's own values in the store: an owner's book, its acts, what the user said."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TypeVar

import anyio
import anyio.to_thread
import msgspec

from recalld.counters import Counters
from recalld.heartbeat.book import Book, KeptAct
from recalld.heartbeat.model import Act, Message
from recalld.heartbeat.ports import HeartbeatStore
from recalld.heartbeat.prompt import Spoken
from recalld.heartbeat.sentiment import sentiment
from recalld.store.model import ActRow, HeartbeatChange, KeptTick, SpokenTurn

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
    heartbeat: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Ledger:
    """Of one owner: its book, and its acts of a month, newest first."""

    owner: str
    book: Book = field(default_factory=Book)
    acts: tuple[KeptAct, ...] = ()


class Keeper:
    """Reads and writes ledgers. A body that is none of ours is left out and counted."""

    def __init__(
        self,
        store: HeartbeatStore,
        counters: Counters,
        is_own: Callable[[str], bool] = lambda _: False,
    ) -> None:
        """``is_own``: whether a text is a heartbeat's, though it stands as the user's words."""
        self._store = store
        self._counters = counters
        self._is_own = is_own
        # Ticks of several owners read the same turns, each of which counts once.
        self._reading = anyio.Lock()
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

    async def said(self, *, limit: int) -> tuple[tuple[str, Act], ...]:
        """The newest acts of all owners, with the owner, oldest first."""
        bodies = await self._store.said(limit=limit)
        found = ((owner, self._decoded(body, KeptAct)) for owner, body in bodies)
        return tuple((owner, kept.act) for owner, kept in found if kept is not None)

    async def messages(self, now: datetime) -> tuple[Message, ...]:
        """What the user said in the two weeks up to ``now``, oldest first; only new is read.

        Not what a heartbeat brought about: exchanges that it was put into, and its own words.
        """
        async with self._reading:
            await self._read(now - MESSAGES_FOR)
        return tuple(one for one in self._messages if one.at <= now)

    async def _read(self, since: datetime) -> None:
        turns = await self._store.turns(since=since, after_seq=self._heard, limit=MAX_MESSAGES)
        if not turns:
            return
        new, spoken = await anyio.to_thread.run_sync(self._heard_in, turns)
        self._conversation = (*self._conversation, *spoken)[-SPOKEN:]
        self._heard = turns[-1].seq
        known = [one for one in (*self._messages, *new) if one.at >= since]
        self._messages = tuple(sorted(known, key=lambda one: one.at)[-MAX_MESSAGES:])

    def _heard_in(self, turns: Sequence[SpokenTurn]) -> tuple[list[Message], list[Spoken]]:
        """What the user said, and what was last said by either. Changes nothing."""
        said = [(turn, self._decoded(turn.payload, _Payload) or _Payload()) for turn in turns]
        messages = [
            Message(at=turn.at, session=turn.session_key, sentiment=sentiment(one.user))
            for turn, one in said
            if one.user.strip() and not one.heartbeat and not self._is_own(one.user)
        ]
        return messages, [each for _, one in said[-SPOKEN:] for each in _spoken(one)]

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
