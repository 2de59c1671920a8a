"""Workspaces and what lies around them, as the doctor meets them: real files, a real database."""

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import trio

from recalld.continuity.checkpoint import render
from recalld.continuity.disk import ARCHIVE, FILE
from recalld.continuity.model import Checkpoint
from recalld.continuity.names import archive_name
from recalld.counters import Counters
from recalld.store.event_table import NewEvent, stamp
from recalld.store.events import open_event_log
from recalld.store.model import Sighting
from recalld.store.sessions import Sessions
from support.store_world import open_state

HOUR = timedelta(hours=1)


def work_at(at: datetime, objective: str = "Migrate the invoice export") -> Checkpoint:
    return Checkpoint(
        objective=objective, current_step="Tables copied", next_action="Count rows", updated_at=at
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What was said in a session, ``ago`` before now."""

    user: str
    assistant: str
    ago: timedelta = timedelta(0)
    key: str = "s1"
    client: str | None = "claude-code"


def written(root: Path, checkpoint: Checkpoint | str, *, copy: bool = True) -> Path:
    """A workspace with that checkpoint, as old as it says; ``copy``: and one in the archive."""
    text = checkpoint if isinstance(checkpoint, str) else render(checkpoint)
    at = None if isinstance(checkpoint, str) else checkpoint.updated_at
    file = root / FILE
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    if at is not None:
        os.utime(file, (at.timestamp(), at.timestamp()))
    if copy:
        (root / ARCHIVE).mkdir(exist_ok=True)
        name = archive_name(at or datetime.now(UTC), ())
        (root / ARCHIVE / name).write_text(text, encoding="utf-8")
    return root


def remembered(state: Path, root: Path | None, turns: Sequence[Turn], *, since: timedelta) -> None:
    """A state directory that a daemon used ``since`` ago, and the turns it was told of."""
    state.mkdir(mode=0o700, parents=True, exist_ok=True)
    trio.run(_remember, state, None if root is None else str(root), turns)
    first = (datetime.now(UTC) - since).timestamp()
    (state / "state.lock").touch()
    os.utime(state / "state.lock", (first, first))


async def _remember(state: Path, root: str | None, turns: Sequence[Turn]) -> None:
    now = datetime.now(UTC)
    async with (
        open_state(state / "state.db") as database,
        open_event_log(database, now=lambda: now, counters=Counters()) as log,
    ):
        for turn in turns:
            at = now - turn.ago
            await Sessions(database).note(
                Sighting(key=turn.key, agent="main", workspace=root, client=turn.client, at=at)
            )
            payload = json.dumps({"user": turn.user, "assistant": turn.assistant}).encode()
            await log.append(
                NewEvent(
                    event_id=None,
                    kind="session.turn",
                    session_key=turn.key,
                    agent="main",
                    workspace=root,
                    at=stamp(at),
                    payload=payload,
                )
            )


def transcript(
    root: Path, session: str, *, began: timedelta, said: Sequence[tuple[str, str]] = ()
) -> Path:
    """A transcript of Claude Code in the workspace's own folder, begun so long ago."""
    at = datetime.now(UTC) - began
    lines = []
    for number, (user, assistant) in enumerate(said or [("Look at the export", "Done.")]):
        for role, text in (("user", user), ("assistant", assistant)):
            lines.append(
                {
                    "type": role,
                    "uuid": f"{session}-{number}-{role}",
                    "sessionId": session,
                    "cwd": str(root),
                    "timestamp": (at + timedelta(seconds=number)).isoformat(),
                    "message": {"role": role, "content": text},
                }
            )
    file = root / "sessions" / f"{session}.jsonl"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return file


def state_of(*places: Path) -> dict[str, tuple[int, int, bytes]]:
    """Every file below, with its time, mode and bytes."""
    found = {}
    for place in places:
        for path in (place, *place.rglob("*")):
            status = path.lstat()
            data = path.read_bytes() if path.is_file() else b""
            found[str(path)] = (status.st_mtime_ns, status.st_mode, data)
    return found
