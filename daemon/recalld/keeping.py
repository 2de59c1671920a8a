"""What a daemon keeps beside its notes: the work at hand, typed memories, heartbeats."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import datetime

from recalld.beating import Beating, OwnMessages
from recalld.beating import Surroundings as HeartbeatSurroundings
from recalld.config import Settings
from recalld.continuing import Continuing
from recalld.continuing import Surroundings as ContinuitySurroundings
from recalld.continuity.disk import Workbench
from recalld.counters import Counters
from recalld.embed.port import Embedder
from recalld.errors import RecalldError
from recalld.heartbeat.model import Standing
from recalld.llm.model import Chat
from recalld.remembering import Remembering
from recalld.remembering import Surroundings as MemorySurroundings
from recalld.server.hub import Hub
from recalld.store.bridge import Database


@dataclass(frozen=True, slots=True, kw_only=True)
class Around:
    """What of the daemon these live in. ``is_echo``: whether a text only repeats what was put
    into prompts; ``bench`` is the disk of a workspace."""

    database: Database
    settings: Settings
    embedder: Embedder
    chat: Chat
    now: Callable[[], datetime]
    new_id: Callable[[], str]
    counters: Counters
    hub: Hub
    roots: Callable[[], Collection[str]]
    bench: Callable[[str], Workbench]
    is_echo: Callable[[str], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """Each with what handlers ask of it and what runs behind the answers."""

    continuing: Continuing
    remembering: Remembering
    beating: Beating


def kept_of(around: Around) -> Kept:
    """Memories know what heartbeats said, and heartbeats what work and memories there are."""
    own = OwnMessages()
    continuing = Continuing(
        ContinuitySurroundings(
            database=around.database,
            policy=lambda: around.settings.current.continuity,
            roots=around.roots,
            now=around.now,
            counters=around.counters,
            hub=around.hub,
            bench=around.bench,
        )
    )
    remembering = Remembering(
        MemorySurroundings(
            database=around.database,
            embedder=around.embedder,
            policy=lambda: around.settings.current.heartbeat,
            now=around.now,
            new_id=around.new_id,
            counters=around.counters,
            is_echo=around.is_echo,
            own_words=own.holds,
        )
    )
    beating = Beating(_heartbeats(around, continuing, own), remembering.service)
    return Kept(continuing=continuing, remembering=remembering, beating=beating)


def _heartbeats(around: Around, continuing: Continuing, own: OwnMessages) -> HeartbeatSurroundings:
    async def standing(root: str) -> Standing | None:
        try:
            fields = await continuing.checkpoints.read(root)
        except RecalldError:
            # A check that knows less is no fault; what is wrong with the file is told elsewhere.
            around.counters.add("heartbeat.no_standing")
            return None
        return standing_of(fields)

    return HeartbeatSurroundings(
        database=around.database,
        settings=around.settings,
        embedder=around.embedder,
        chat=around.chat,
        now=around.now,
        new_id=around.new_id,
        counters=around.counters,
        hub=around.hub,
        roots=lambda: tuple(around.roots()),
        standing=standing,
        own=own,
    )


def standing_of(fields: Mapping[str, object]) -> Standing:
    """Of a checkpoint's fields. A blocker is as old as the checkpoint that says it."""
    at = fields.get("updated_at")
    updated_at = datetime.fromisoformat(at) if isinstance(at, str) else None
    blocker = str(fields.get("blockers") or "")
    return Standing(
        objective=str(fields.get("objective") or ""),
        next_action=str(fields.get("next_action") or ""),
        blocker=blocker,
        blocker_since=updated_at if blocker else None,
        updated_at=updated_at,
    )
