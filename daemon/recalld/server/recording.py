"""Events kept once: the same id again returns the first reply and does nothing."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import datetime
from functools import partial

import anyio
import anyio.to_thread
import msgspec
import orjson

from recalld.budget import Run, Stage
from recalld.counters import Counters
from recalld.errors import BadRequest, Busy, Unavailable
from recalld.server.answers import Answers, Name, name_of
from recalld.server.params import EventParams
from recalld.server.ports import Entry, Journal, Kept
from recalld.text.clean import strip_own_blocks
from recalld.text.redact import redact

# Text that short is cleaned within a millisecond; longer text would hold the loop.
INLINE_CHARS = 4_096
# A store that cannot sync within this refuses the event; the peer may send it again.
KEEP_MS = 4_000
# A duplicate waits for the first answer as long as keeping and doing may take, and a little.
ANSWER_MS = 9_000
RETRY_MS = 1_000


class Recorder:
    """Keeps entries in the journal and answers duplicates from it."""

    def __init__(self, journal: Journal, *, counters: Counters) -> None:
        self._journal = journal
        self._counters = counters
        self._threads = anyio.CapacityLimiter(2)
        self._making: dict[Name, anyio.Event] = {}
        self._answers = Answers()

    async def _cleaned(self, payload: Mapping[str, object]) -> bytes:
        """JSON of ``payload``, every text without our own blocks and without secrets."""
        chars = sum(len(value) for value in _texts(payload))
        if chars <= INLINE_CHARS:
            return _clean_json(payload)
        work = partial(
            anyio.to_thread.run_sync,
            partial(_clean_json, payload),
            abandon_on_cancel=True,
            limiter=self._threads,
        )
        run = Run(KEEP_MS)
        stage: Stage[bytes | None] = Stage(
            name="clean", work=work, otherwise=None, limit_ms=KEEP_MS
        )
        cleaned = await run.stage(stage)
        if cleaned is None:
            self._counters.add("events.not_kept")
            raise Unavailable("store", run.ledger[-1].error or "the text is not cleaned yet")
        return cleaned

    async def entry(
        self,
        kind: str,
        params: EventParams,
        *,
        at: datetime,
        payload: Mapping[str, object],
        reply: object = None,
    ) -> Entry:
        """The event as it may be kept. ``reply`` is the answer, where it is known beforehand.

        Raise ``Unavailable`` when it does not get clean within ``KEEP_MS``.
        """
        return Entry(
            kind=kind,
            event_id=params.event_id,
            session_key=params.session.key,
            agent=params.session.agent,
            workspace=params.session.workspace,
            at=at,
            payload=await self._cleaned(payload),
            reply=None if reply is None else encoded(reply),
        )

    async def keep(self, entry: Entry, *, limit_ms: int = KEEP_MS) -> Kept:
        """Durable when it returns. Raise ``Unavailable`` when the store cannot."""
        run = Run(limit_ms)
        problem: list[BadRequest] = []

        async def work() -> Kept | None:
            try:
                return await self._journal.append(entry)
            except BadRequest as error:
                problem.append(error)
                return None

        kept = await run.stage(Stage(name="journal", work=work, otherwise=None, limit_ms=limit_ms))
        if problem:
            raise problem[0]
        if kept is None:
            self._counters.add("events.not_kept")
            raise Unavailable("store", run.ledger[-1].error or "the event is not kept yet")
        if kept.duplicate:
            self._counters.add("events.duplicate")
        return kept

    async def once(
        self,
        entry: Entry,
        work: Callable[[], Awaitable[object]],
        *,
        limit_ms: int,
        wait_ms: int,
    ) -> object:
        """``work``'s result, or the first result of a duplicate. Fails open without the store.

        An answer given without the store is remembered while the daemon lives, so that the same
        event again is answered the same however long the store's trouble lasts. A duplicate that
        overtakes the first answer waits for it, at most ``wait_ms``; then it is answered by
        ``work`` like a stranger.
        """
        async with self._alone(entry, wait_ms=wait_ms) as alone:
            return await (self._once(entry, work, limit_ms=limit_ms) if alone else work())

    async def through(
        self, entry: Entry, work: Callable[[], Awaitable[object]], *, limit_ms: int = KEEP_MS
    ) -> object:
        """``work``'s result once the event is kept; a duplicate does nothing and gets the first.

        What ``work`` raises is no answer: the same event again does the work again. Where the
        event cannot be kept the work is done all the same, then ``Unavailable`` says so. ``Busy``
        for a duplicate whose first one is not answered within ``ANSWER_MS``.
        """
        async with self._alone(entry, wait_ms=ANSWER_MS) as alone:
            if not alone:
                raise Busy("the first of these events is not answered yet", RETRY_MS)
            try:
                kept = await self.keep(entry, limit_ms=limit_ms)
            except Unavailable:
                await work()
                raise
            first = self._first(entry, kept)
            if first is not None:
                return repeated(first)
            result = await work()
            await self._record(entry, kept, result)
            return result

    @asynccontextmanager
    async def _alone(self, entry: Entry, *, wait_ms: int) -> AsyncIterator[bool]:
        """While no other event of this id is answered; False where that takes too long."""
        name = name_of(entry)
        if name is None:
            yield True
            return
        with anyio.move_on_after(wait_ms / 1_000):
            while name in self._making:
                await self._making[name].wait()
        if name in self._making:
            self._counters.add("events.duplicate_late")
            yield False
            return
        done = self._making[name] = anyio.Event()
        try:
            yield True
        finally:
            done.set()
            if self._making.get(name) is done:
                del self._making[name]

    async def _once(
        self, entry: Entry, work: Callable[[], Awaitable[object]], *, limit_ms: int
    ) -> object:
        known = self._answers.of(entry)
        if known is not None:
            self._counters.add("events.duplicate")
            return repeated(known)
        try:
            kept = await self.keep(entry, limit_ms=limit_ms)
        except Unavailable:
            result = await work()
            self._answers.keep(entry, encoded(result))
            return result
        first = self._first(entry, kept)
        if first is not None:
            return repeated(first)
        result = await work()
        await self._record(entry, kept, result)
        return result

    def _first(self, entry: Entry, kept: Kept) -> bytes | None:
        """The first answer to a duplicate; None where the work is still to be done."""
        return (kept.reply or self._answers.of(entry)) if kept.duplicate else None

    async def _record(self, entry: Entry, kept: Kept, result: object) -> None:
        if entry.event_id is None:
            return
        reply = encoded(result)
        try:
            await self._journal.record_reply(kept.seq, reply)
        except Unavailable:
            self._counters.add("events.reply_lost")
            self._answers.keep(entry, reply)


def repeated(reply: bytes) -> dict[str, object]:
    """A first reply as a duplicate receives it."""
    return {**orjson.loads(reply), "duplicate": True}


def encoded(result: object) -> bytes:
    return orjson.dumps(msgspec.to_builtins(result))


def _texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, Mapping):
        return [text for item in value.values() for text in _texts(item)]
    if isinstance(value, list | tuple):
        return [text for item in value for text in _texts(item)]
    return []


def _clean_json(payload: Mapping[str, object]) -> bytes:
    return orjson.dumps(_clean(msgspec.to_builtins(payload)))


def _clean(value: object) -> object:
    if isinstance(value, str):
        return redact(strip_own_blocks(value)).text
    if isinstance(value, dict):
        return {key: _clean(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_clean(item) for item in value]
    return value
