"""``session.prompt``: what the agent should be told before this message, in time or not at all."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Annotated

import anyio
import msgspec
from msgspec import Meta

from recalld.budget import Run, Stage
from recalld.recall.model import Prompt, RecallResult, StageShape
from recalld.server.hub import Event, EventKind
from recalld.server.method import Context, Method
from recalld.server.params import EventParams
from recalld.server.ports import Entry
from recalld.server.services import Services

# Of the budget, what noting an event id may cost before the recall goes on without.
NOTE_SHARE = 0.25
LEAST_MS = 1
# What a recovery may take of the budget, whatever hangs: a file and a few rows are read.
RECOVERY_MS = 500
RECOVERY_SHARE = 0.8


class PromptParams(EventParams, frozen=True, kw_only=True):
    """``budget_ms`` only ever lowers the configured total."""

    text: str
    budget_ms: Annotated[int, Meta(ge=50, le=60_000)] | None = None


async def handle(params: PromptParams, context: Context) -> object:
    services = context.services
    started = anyio.current_time()
    at = params.when(services.clock())
    services.sessions.see(params.session, at)
    total_ms = min(params.budget_ms or services.total_ms(), services.total_ms())

    async def work() -> RecallResult:
        place = await services.places.of_session(params.session, budget_ms=total_ms)
        root = None if place is None else place.root
        prompt = Prompt(
            # A NUL would cut text short in places that count in C strings.
            text=params.text.replace("\0", " "),
            at=_of_the_user(at),
            session_key=params.session.key,
            agent=params.session.agent,
            workspace_id=None if place is None else place.id,
            workspace_root=root,
        )
        spent_ms = (anyio.current_time() - started) * 1_000
        left_ms = max(LEAST_MS, int(total_ms - spent_ms))
        telling = _Telling(context, prompt)
        result = await telling.both(budget_ms=left_ms)
        _announce(services, prompt, result)
        return result

    if params.event_id is None:
        return await work()
    note = Run(int(total_ms * NOTE_SHARE))
    entry = await note.stage(_noted(params, at, services, note.total_ms))
    if entry is None:
        return await work()
    spent_ms = (anyio.current_time() - started) * 1_000
    return await services.recorder.once(
        entry, work, limit_ms=int(note.remaining_ms), wait_ms=int(total_ms - spent_ms)
    )


@dataclass(frozen=True, slots=True)
class _Telling:
    """What is told counts as told, unless the answer does not reach the session."""

    context: Context
    prompt: Prompt

    async def both(self, *, budget_ms: int) -> RecallResult:
        """Recall's answer, with the recovery in it where one is wanted."""
        prompt, continuity = self.prompt, self.context.services.continuity
        recalling = partial(self.recall, budget_ms=budget_ms)
        if not continuity.wants(prompt.workspace_root, prompt.session_key, prompt.text):
            return await recalling()
        return await _both(recalling, self.recover, budget_ms=budget_ms)

    async def recall(self, *, budget_ms: int) -> RecallResult:
        recall, key = self.context.services.recall, self.prompt.session_key
        result = await recall.prompt(self.prompt, budget_ms=budget_ms)
        self.context.undelivered.append(partial(recall.undelivered, key, result))
        return result

    async def recover(self) -> str | None:
        continuity, prompt = self.context.services.continuity, self.prompt
        root, key = prompt.workspace_root, prompt.session_key
        recovery = await continuity.prompted(root, key, prompt.text)
        self.context.undelivered.append(partial(continuity.undelivered, root, key))
        return recovery


async def _both(
    recalling: Callable[[], Awaitable[RecallResult]],
    recovering: Callable[[], Awaitable[str | None]],
    *,
    budget_ms: int,
) -> RecallResult:
    """Recall's answer with the recovery beside it: neither waits for the other to begin."""
    run = Run(budget_ms)
    limit_ms = min(RECOVERY_MS, int(budget_ms * RECOVERY_SHARE))
    stage = Stage(name="recovery", work=recovering, otherwise=None, limit_ms=limit_ms)
    recovery: list[str | None] = []

    async def recover() -> None:
        recovery.append(await run.stage(stage))

    async with anyio.create_task_group() as both:
        both.start_soon(recover)
        result = await recalling()
    (note,) = run.ledger
    shown = StageShape(
        name=note.name,
        start_ms=round(note.start_ms, 3),
        took_ms=round(note.took_ms, 3),
        outcome=note.outcome,
    )
    return msgspec.structs.replace(
        result,
        recovery=recovery[0],
        stages=(*result.stages, shown),
        elapsed_ms=max(result.elapsed_ms, round(run.elapsed_ms, 3)),
    )


def _announce(services: Services, prompt: Prompt, result: RecallResult) -> None:
    """To subscribers, the whole of it: who prompts by a notification has no other answer."""
    hub, told = services.hub, partial(Event, workspace=prompt.workspace_root)
    at = prompt.at.astimezone(UTC)
    if hub.listens(EventKind.RECALL):
        data = {"session": prompt.session_key, "result": msgspec.to_builtins(result)}
        hub.publish(told(kind=EventKind.RECALL, at=at, data=data))
    if hub.listens(EventKind.TRACE):
        trace = services.recall.trace(result.trace_id)
        if trace is not None:
            hub.publish(told(kind=EventKind.TRACE, at=at, data=trace))


def _of_the_user(at: datetime) -> datetime:
    """In the zone whose days the user means: the offset that was sent, else this machine's.

    Hosts write UTC without meaning it, so an offset of zero says nothing.
    """
    return at if at.utcoffset() else at.astimezone()


def _noted(
    params: PromptParams, at: datetime, services: Services, limit_ms: int
) -> Stage[Entry | None]:
    async def work() -> Entry:
        payload = {"text": params.text}
        return await services.recorder.entry(METHOD.name, params, at=at, payload=payload)

    return Stage(name="note", work=work, otherwise=None, limit_ms=limit_ms)


METHOD = Method("session.prompt", PromptParams, handle)
