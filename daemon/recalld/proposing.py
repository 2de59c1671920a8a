"""Memories proposed of turns, behind the answers.

The event log is the queue: what was acknowledged and not heard before a crash is heard at the
next start. While nobody listens (``heartbeat.propose = "off"``) turns pass by for good.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from math import inf

import anyio
import anyio.to_thread
import msgspec
import structlog

from recalld.budget import Outcome, Run, Stage
from recalld.counters import Counters
from recalld.errors import BadRequest, Refused, Unavailable
from recalld.memories.content import content_key
from recalld.memories.model import Added, MemoryType, NewMemory, Origin
from recalld.memories.ports import OwnWords
from recalld.memories.propose import Proposal, Said, proposals
from recalld.store.model import KeptProposal, SpokenTurn
from recalld.store.proposals import ProposalStore

# A session tells nobody whose it is.
OWNER = "default"
# The first of what a turn says; more would be a transcript.
MAX_PER_TURN = 3
# A burst of turns ends; the next ones are heard this much later.
PAUSE_S = 0.3
FIRST_RETRY_S, LONGEST_RETRY_S = 1.0, 60.0
AT_ONCE = 32
READ_MS = 2_000

_log = structlog.get_logger("recalld.proposing")


class _Turn(msgspec.Struct):
    """What is read of a kept turn. ``heartbeat``: signals had been put into it."""

    user: str = ""
    assistant: str = ""
    success: bool = True
    heartbeat: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """What proposing works with. ``mode`` is off, suggest or on; ``add`` keeps a memory.

    ``is_no_user`` says of which text a host is the author, ``is_echo`` what an agent only repeats
    of what it was shown, ``own_words`` what a heartbeat said. Counted: ``proposals.made``,
    ``.added``, ``.known``, ``.dropped``, ``.over_limit``, ``.own_words``, ``.echo``,
    ``.refused``, ``.unread``, ``.late``.
    """

    store: ProposalStore
    add: Callable[[NewMemory], Awaitable[Added]]
    mode: Callable[[], str]
    is_no_user: Callable[[str, str], bool]
    is_echo: Callable[[str], bool]
    own_words: OwnWords
    new_id: Callable[[], str]
    counters: Counters


class Proposing:
    """Hears turns and keeps what they are worth. ``run`` never returns."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._news = anyio.Event()
        self._news.set()
        # Every turn up to ``mark`` was heard; None: not known yet, or nobody listens. ``first``
        # is the first turn since somebody does. Where none was told of yet, it begins behind the
        # last event there is, ``skipped``; a turn up to there that is told of after all was said
        # in that moment, and is gone back to.
        self._mark: int | None = None
        self._first: int | None = None
        self._skipped = 0
        self._is_off = False
        self._working = False
        self.late = False

    @property
    def idle(self) -> bool:
        """Whether every turn that was noted is heard."""
        return not (self._news.is_set() or self._working or self.late)

    def heard(self, seq: int) -> None:
        """A turn is kept as this event."""
        if self._world.mode() == "off":
            if self._is_off:
                return
        elif (self._mark is None and self._first is None) or seq <= self._skipped:
            self._first = seq if self._first is None else min(self._first, seq)
        self._news.set()

    async def run(self) -> None:
        pause_s = FIRST_RETRY_S
        while True:
            with anyio.move_on_after(pause_s if self.late else inf):
                await self._news.wait()
            self._working = True
            await anyio.sleep(PAUSE_S)
            self._news = anyio.Event()
            try:
                await self._hear_all()
                self.late, pause_s = False, FIRST_RETRY_S
            except Unavailable as fault:
                self.late, pause_s = True, min(2 * pause_s, LONGEST_RETRY_S)
                self._world.counters.add("proposals.late")
                _log.warning("proposals.late", problem=str(fault))
            finally:
                self._working = False

    async def _hear_all(self) -> None:
        store = self._world.store
        while self._world.mode() != "off":
            self._is_off = False
            mark = await self._begun()
            turns = await store.turns(after_seq=mark, limit=AT_ONCE)
            if not turns:
                return
            await self._hear(turns, keep=self._world.mode() == "on")
            self._mark = turns[-1].seq
        # Before the store is told: it may be on again when that is done.
        self._mark = self._first = None
        if not self._is_off:
            await store.set_heard(None)
            self._is_off = True

    async def _begun(self) -> int:
        """Up to where turns were heard: by the store, else from the first noted one on."""
        mark = self._mark
        if mark is None:
            progress = await self._world.store.progress()
            mark = progress.heard
            if mark is None:
                mark = self._skipped = progress.last
                await self._world.store.set_heard(mark)
        if self._first is not None:
            mark, self._first = min(mark, self._first - 1), None
        self._mark = mark
        return mark

    async def _hear(self, turns: Sequence[SpokenTurn], *, keep: bool) -> None:
        """Make memories (``keep``) or proposals of the turns, and remember that it was done."""
        found = [(turn, await self._made(turn)) for turn in turns]
        if keep:
            for turn, made in found:
                for number, each in enumerate(made):
                    await self._add(each, event_id=f"recalld:turn:{turn.seq}:{number}")
            await self._world.store.set_heard(turns[-1].seq)
            return
        every = [each for _, made in found for each in made]
        put = await self._world.store.put(every, heard=turns[-1].seq)
        counters = self._world.counters
        for name, count in (
            ("made", put.added),
            ("known", len(every) - put.added),
            ("dropped", put.dropped),
        ):
            if count:
                counters.add(f"proposals.{name}", count)

    async def _add(self, proposal: KeptProposal, *, event_id: str) -> None:
        try:
            await self._world.add(memory_of(proposal, event_id=event_id))
            self._world.counters.add("proposals.added")
        except (BadRequest, Refused):
            self._world.counters.add("proposals.refused")

    async def _made(self, turn: SpokenTurn) -> list[KeptProposal]:
        """What the turn proposes, at most ``MAX_PER_TURN``; a turn that breaks this, nothing."""
        work = partial(anyio.to_thread.run_sync, partial(self._read, turn), abandon_on_cancel=True)
        run = Run(READ_MS)
        nothing: list[Proposal] = []
        found = await run.stage(
            Stage(name="propose", work=work, otherwise=nothing, limit_ms=READ_MS)
        )
        counters = self._world.counters
        if run.ledger[-1].outcome is not Outcome.OK:
            counters.add("proposals.unread")
        if len(found) > MAX_PER_TURN:
            counters.add("proposals.over_limit", len(found) - MAX_PER_TURN)
        return [self._proposal(turn, each) for each in found[:MAX_PER_TURN]]

    def _read(self, turn: SpokenTurn) -> list[Proposal]:
        """In a worker's thread."""
        world = self._world
        try:
            said = msgspec.json.decode(turn.payload, type=_Turn)
        except msgspec.DecodeError:
            world.counters.add("proposals.unread")
            return []
        if said.heartbeat or world.is_no_user(turn.session_key, said.user):
            world.counters.add("proposals.own_words")
            return []
        found = []
        for each in proposals(Said(user=said.user, assistant=said.assistant, success=said.success)):
            if world.own_words(OWNER, each.content):
                world.counters.add("proposals.own_words")
            elif each.said_by is Origin.AGENT and world.is_echo(each.content):
                world.counters.add("proposals.echo")
            else:
                found.append(each)
        return found

    def _proposal(self, turn: SpokenTurn, said: Proposal) -> KeptProposal:
        return KeptProposal(
            id=self._world.new_id(),
            owner=OWNER,
            key=content_key(said.content),
            content=said.content,
            type=said.type,
            session=turn.session_key,
            agent=turn.agent,
            said_by=said.said_by,
            said_at=turn.at,
        )


def memory_of(proposal: KeptProposal, *, event_id: str) -> NewMemory:
    """The memory that a proposal becomes; a tag says who said it."""
    return NewMemory(
        content=proposal.content,
        type=MemoryType(proposal.type),
        owner=proposal.owner,
        session=proposal.session,
        agent=proposal.agent,
        tags=(f"said-by:{proposal.said_by}",),
        created_at=proposal.said_at,
        event_id=event_id,
        origin=Origin.PROPOSED,
    )
