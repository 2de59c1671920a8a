"""Work that was left a short while ago and may be taken up again."""

from collections.abc import Iterable
from datetime import timedelta
from itertools import takewhile
from operator import attrgetter

from recalld.heartbeat.finding import Found, Label, hours, stamp, told
from recalld.heartbeat.model import Check, Signal, Snapshot, Tier, Workspace
from recalld.heartbeat.roster import LIVE
from recalld.heartbeat.wording import listed, quoted, title
from recalld.memories.model import Memory, MemoryType
from recalld.text.language import is_cjk

LABEL = Label("continuity", Tier.ELEVATED)

FRESH = timedelta(hours=12)
ONE_SESSION = timedelta(hours=2)
WORK = frozenset({MemoryType.CONTEXT, MemoryType.ACTIVITY})
MAX_TOPICS = 3
MAX_TOPIC_CHARS = 80


def _find(snapshot: Snapshot) -> tuple[Signal, ...]:
    """At most one, without memories: the checkpoint written last, if it is fresh and says what is
    worked on; else the newest context or activity with what was said around it.

    None while the user is talking: nothing is interrupted then.
    """
    if snapshot.in_conversation:
        return ()
    found = _checkpoints(snapshot) or _memories(snapshot)
    return told(snapshot, LABEL, found[:1])


def _checkpoints(snapshot: Snapshot) -> list[Found]:
    fresh = [one for one in snapshot.workspaces if one.objective and _is_fresh(snapshot, one)]
    fresh.sort(key=attrgetter("root"))
    fresh.sort(key=lambda one: _age(snapshot, one))
    return [_of_checkpoint(snapshot, one) for one in fresh]


def _memories(snapshot: Snapshot) -> list[Found]:
    recent = (one for one in reversed(snapshot.said) if one.state in LIVE and one.type in WORK)
    newest = next(recent, None)
    if newest is None or snapshot.now - newest.created_at >= FRESH:
        return []
    start = newest.created_at - ONE_SESSION
    around = takewhile(lambda one: one.created_at >= start, recent)
    topics = _topics(one.content for one in (newest, *around) if one.session == newest.session)
    return [_found(snapshot, newest, topics)]


def _found(snapshot: Snapshot, newest: Memory, topics: list[str]) -> Found:
    idle = snapshot.now - newest.created_at
    return Found(
        key=newest.session or "",
        title=_title(topics, idle),
        detail={
            "source": "memories",
            "session": newest.session,
            "topics": topics,
            "last_at": stamp(newest.created_at),
            "hours_idle": hours(idle),
        },
    )


def _of_checkpoint(snapshot: Snapshot, workspace: Workspace) -> Found:
    topics = _topics(text for text in (workspace.objective, workspace.next_action) if text)
    idle = _age(snapshot, workspace)
    return Found(
        key=workspace.root,
        title=_title(topics, idle),
        detail={
            "source": "checkpoint",
            "workspace": workspace.root,
            "topics": topics,
            "last_at": stamp(snapshot.now - idle),
            "hours_idle": hours(idle),
        },
    )


def _topics(texts: Iterable[str]) -> list[str]:
    lines = (quoted(text, MAX_TOPIC_CHARS) for text in texts)
    return list(dict.fromkeys(lines))[:MAX_TOPICS]


def _title(topics: list[str], idle: timedelta) -> str:
    return title("continuity", listed(topics, chinese=is_cjk(topics[0])), span=idle)


def _is_fresh(snapshot: Snapshot, workspace: Workspace) -> bool:
    return workspace.checkpoint_at is not None and _age(snapshot, workspace) < FRESH


def _age(snapshot: Snapshot, workspace: Workspace) -> timedelta:
    """A checkpoint of the future counts as one of now."""
    written = workspace.checkpoint_at or snapshot.now
    return max(timedelta(0), snapshot.now - written)


CHECK = Check(name=LABEL.name, tier=LABEL.tier, find=_find)
