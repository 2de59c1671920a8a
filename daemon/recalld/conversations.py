"""What was said, as memory: transcripts followed, without what memory itself put into them."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import anyio

from recalld.counters import Counters
from recalld.errors import Corrupt, Unavailable
from recalld.index.echo import MAX_SNIPPETS, Echoes, Fingerprint
from recalld.index.flow import Indexer
from recalld.index.policy import IndexPolicy
from recalld.index.transcripts.flow import Follower, Surroundings
from recalld.index.transcripts.model import Followed
from recalld.index.transcripts.pipeline import Kit
from recalld.recall.internal import is_system_event
from recalld.recall.model import RecallResult
from recalld.store.bridge import Database
from recalld.store.index_write import IndexWriter
from recalld.store.injected import Injected
from recalld.store.transcripts import TranscriptStore

# Fingerprints wait this long for each other; a turn is written down later than that.
WRITE_PAUSE_S = 0.5
MAX_WAITING = MAX_SNIPPETS
# At the start what is indexed already is loaded first: somebody may be asking.
START_PAUSE_S = 0.5


class Heard:
    """What was injected, remembered in memory at once and in the store soon after."""

    def __init__(self, store: Injected, *, counters: Counters) -> None:
        self.echoes = Echoes()
        self._store = store
        self._counters = counters
        self._waiting: list[Fingerprint] = []
        self._news = anyio.Event()
        self._loading = anyio.Lock()
        self._loaded = False

    def note(self, result: RecallResult) -> None:
        """What this answer puts into a prompt is no news when it is heard again."""
        fresh = self.echoes.note(hit.snippet for hit in result.hits)
        if fresh:
            self._waiting += fresh
            del self._waiting[:-MAX_WAITING]
            self._news.set()

    async def load(self) -> None:
        """Once; without the store, what was injected before the start is not known."""
        async with self._loading:
            if self._loaded:
                return
            self._loaded = True
            try:
                for runs in await self._store.all():
                    self.echoes.remember(runs)
            except (Unavailable, Corrupt):
                self._counters.add("echo.not_loaded")

    async def run(self) -> None:
        while True:
            await self._news.wait()
            await anyio.sleep(WRITE_PAUSE_S)
            self._news = anyio.Event()
            waiting, self._waiting = self._waiting, []
            try:
                await self._store.add(waiting)
            except Unavailable:
                self._counters.add("echo.not_kept", len(waiting))


class Conversations:
    """Transcripts of every workspace, read after what was injected is known."""

    def __init__(self, follower: Follower, heard: Heard) -> None:
        self._follower = follower
        self.heard = heard

    async def look(self) -> Followed:
        """Everything that is written down is in the index. ``Unavailable`` with the store."""
        await self.heard.load()
        return await self._follower.look()

    def skipped(self) -> list[dict[str, str]]:
        """The files that are nobody's: what they are, and why they are left out."""
        return [{"path": skip.path, "why": skip.why} for skip in self._follower.skips]

    async def run(self) -> None:
        await anyio.sleep(START_PAUSE_S)
        await self.heard.load()
        async with anyio.create_task_group() as nest:
            nest.start_soon(self.heard.run)
            nest.start_soon(self._follower.run)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stores:
    """Turns are derived and lie in the index; what was injected is not, and lies beside it."""

    index: Database
    state: Database
    counters: Counters


def conversations(
    indexer: Indexer,
    *,
    stores: Stores,
    policy: IndexPolicy,
    home: str,
    on_change: Callable[[int], None],
) -> Conversations:
    heard = Heard(Injected(stores.state, most=MAX_SNIPPETS), counters=stores.counters)
    kit = Kit(
        store=TranscriptStore(IndexWriter(stores.index)),
        policy=policy,
        counters=stores.counters,
        heard=heard.echoes.without,
        is_no_user=is_system_event,
    )
    around = Surroundings(
        workspaces=lambda: indexer.workspaces,
        patterns=tuple(_absolute(policy.transcripts, home)),
        never=lambda: indexer.never,
    )
    return Conversations(Follower(kit, around, on_change=on_change), heard)


def _absolute(patterns: Iterable[str], home: str) -> Iterable[str]:
    return (home + pattern[1:] if pattern.startswith("~/") else pattern for pattern in patterns)
