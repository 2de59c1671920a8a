"""Results of sub-agents and owed snapshots, from where they are kept to whoever is told.

Memory decides, so that a prompt asks nobody; the store remembers over a restart, and the file
shows what waits. Store and file follow behind the answer: after a crash between the two a result
may be told twice, never not at all.
"""

from collections.abc import Awaitable, Callable, Iterable
from functools import partial

import anyio

from recalld.continuity.bounded import attempt
from recalld.continuity.making import NOTHING_SAID
from recalld.continuity.model import ChildResult, Origin, Ruling
from recalld.continuity.surfacing.owed import Claim, Owed, Who
from recalld.continuity.surfacing.results import Lines, labels_in
from recalld.continuity.world import World
from recalld.continuity.writer import Desk, Seen, news_of

STORE_MS = 2_000
# Claims that the store could not be told of; beyond that the oldest may be told again.
MAX_LATE = 1_024


class News:
    """That there is something to do behind the answers."""

    def __init__(self) -> None:
        self._event = anyio.Event()
        self._event.set()

    @property
    def told(self) -> bool:
        return self._event.is_set()

    def tell(self) -> None:
        self._event.set()

    def forget(self) -> None:
        """What was told is done from here on."""
        self._event = anyio.Event()

    async def wait(self) -> None:
        await self._event.wait()


class Surfacing:
    """``owed`` is asked and claimed from directly; ``told`` says that a claim reached its agent."""

    def __init__(self, world: World) -> None:
        self.owed = Owed()
        self.news = News()
        self._world = world
        self._claims: list[Claim] = []
        self._roots: set[str] = set()
        self._loaded = False

    @property
    def late(self) -> bool:
        """Whether the store or a file is behind what memory knows."""
        return bool(self._claims or self.due()) or not self._loaded

    async def load(self) -> None:
        """What the store kept of before the start; once it could say."""
        if not self._loaded:
            self._loaded = await self._attempted("load", self._load)

    async def keep_child(self, parent: Who, child: ChildResult) -> int:
        """Durable when it returns; how many results wait for the parent. ``Unavailable``."""
        promises = self._world.promises
        if await promises.add_child(parent.root, parent.key, child):
            if not self.owed.child(parent, child):
                self._world.counters.add("continuity.results_forgotten")
            self._roots.add(parent.root)
            self.news.tell()
        return self.owed.count(parent)

    async def owe(self, who: Who) -> None:
        """The session is owed a snapshot; durable when it returns. ``Unavailable``."""
        self.owed.snapshot(who)
        await self._world.promises.set_pending(who.root, who.key, at=self._world.now())

    def told(self, claim: Claim) -> None:
        """The claim was told; store and file are to learn it."""
        if not claim.snapshot and not claim.children:
            return
        self._claims.append(claim)
        for lost in self._claims[:-MAX_LATE]:
            self._world.counters.add("continuity.surfaced_unkept", len(lost.children))
        del self._claims[:-MAX_LATE]
        if claim.children:
            self._roots.add(claim.who.root)
        self.news.tell()

    def untold(self, claim: Claim) -> None:
        """The claim was told to nobody. The store may say otherwise until the next start."""
        self._claims = [other for other in self._claims if other is not claim]
        self.owed.give_back(claim)
        if claim.children:
            self._roots.add(claim.who.root)
            self.news.tell()

    def due(self) -> frozenset[str]:
        """Workspaces whose file does not say what waits."""
        known = self._world.roots() if self._world.policy().enabled else ()
        return frozenset(self._roots) & frozenset(known)

    async def settle(self) -> None:
        """Tell the store what was told; what it cannot take now is told to it later."""
        await self.load()
        claims, self._claims = self._claims, []
        for number, claim in enumerate(claims):
            if not await self._attempted("surface", partial(self._surface, claim)):
                self._claims = [*claims[number:], *self._claims]
                return

    async def tidy(self, desk: Desk, *, make: bool = False) -> Seen:
        """Let the file show what waits and nothing else; the file as it is then.

        ``make`` an empty file where there is none. The desk's lock is held. Raise as
        ``Desk.change``.
        """
        self._roots.discard(desk.root)
        done = False
        try:
            await desk.learn_lines()
            change = await desk.change(
                partial(self._ruling, desk, make),
                origin=None,
                at=self._world.now(),
                session_key=None,
            )
            self.owed.keep_labels(desk.root, labels_in(change.seen.checkpoint.unsurfaced_results))
            done = True
            now = self._world.now()
            news = await news_of(change, desk.root, session_key=None, now=now)
            if news is not None:
                self._world.tell(news)
        finally:
            if not done:
                self._roots.add(desk.root)
        return change.seen

    def lines(self, desk: Desk, seen: Seen) -> Lines:
        """What the section should hold. A line that somebody took out was told by them."""
        if seen.origin is Origin.HAND:
            text = seen.checkpoint.unsurfaced_results
            self.taken_out(desk, self._lines(desk.root).told_by_hand(text, desk.lines))
        return self._lines(desk.root)

    def taken_out(self, desk: Desk, children: tuple[ChildResult, ...]) -> None:
        """Whoever took these lines out of the file has told their results."""
        names = {child.child for child in children}
        told = tuple(
            (parent, child)
            for parent, child in self.owed.waiting(desk.root)
            if child.child in names
        )
        for parent, child in told:
            self.owed.surfaced(parent, child.child)
        self.told(Claim(who=Who(desk.root, ""), children=told))

    def reported(self, parent: Who, children: Iterable[ChildResult]) -> None:
        """The parent told these itself; what it was told or left meanwhile is no part of it."""
        waiting = self.owed.own(parent)
        told = tuple((parent, child) for child in children if child in waiting)
        for _, child in told:
            self.owed.surfaced(parent, child.child)
        self._world.counters.add("continuity.reported", len(told))
        self.told(Claim(who=parent, children=told))

    def _lines(self, root: str) -> Lines:
        waiting = tuple(child for _, child in self.owed.waiting(root))
        return Lines(waiting=waiting, known=self.owed.labels(root))

    async def _ruling(self, desk: Desk, make: bool, seen: Seen) -> Ruling:  # noqa: FBT001
        lines = self.lines(desk, seen)
        new = lines.put(seen.checkpoint)
        if seen.sheet is None:
            wanted = make or lines.waiting
            return Ruling(write=new if wanted else None, why="created" if wanted else NOTHING_SAID)
        same = new.unsurfaced_results == seen.checkpoint.unsurfaced_results
        return Ruling(write=None if same else new, why=NOTHING_SAID if same else "results")

    async def _load(self) -> bool:
        promises = self._world.promises
        snapshots = [Who(root, key) for root, key in await promises.load_pending()]
        children = [
            (Who(root, key), child)
            for root, key in await promises.parents()
            for child in await promises.pending(root, key)
        ]
        self.owed.load(snapshots, children)
        self._roots |= {parent.root for parent, _ in children}
        return True

    async def _surface(self, claim: Claim) -> bool:
        promises, at = self._world.promises, self._world.now()
        for parent, child in claim.children:
            # A newer result of the same child, come meanwhile, was not told.
            if not self.owed.waits(parent, child.child):
                await promises.surface(parent.root, parent.key, (child.child,), at=at)
        if claim.snapshot:
            await promises.clear_pending(claim.who.root, claim.who.key)
        return True

    async def _attempted(self, name: str, work: Callable[[], Awaitable[bool]]) -> bool:
        return await attempt(
            name, work, otherwise=False, limit_ms=STORE_MS, counters=self._world.counters
        )
