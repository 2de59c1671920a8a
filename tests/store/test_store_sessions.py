"""The session table: what is remembered of a session, and what a sighting costs."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from recalld.store.model import Sighting
from recalld.store.sessions import Session, Sessions
from support.store_world import open_state

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def sighting(
    key: str = "s1",
    *,
    at: datetime = NOON,
    workspace: str | None = None,
    client: str | None = None,
    end_reason: str | None = None,
) -> Sighting:
    return Sighting(
        key=key, agent="main", workspace=workspace, client=client, at=at, end_reason=end_reason
    )


async def test_an_unseen_session_is_nobody(tmp_path: Path) -> None:
    async with open_state(tmp_path / "state.db") as database:
        sessions = Sessions(database)
        assert await sessions.get("s1") is None
        assert await sessions.last_workspace("s1") is None


async def test_what_a_message_leaves_out_is_kept_from_before(tmp_path: Path) -> None:
    async with open_state(tmp_path / "state.db") as database:
        sessions = Sessions(database)
        await sessions.note(sighting(workspace="/w", client="openclaw"))
        later = NOON + timedelta(minutes=5)
        await sessions.note(sighting(at=later))
        assert await sessions.get("s1") == Session(
            key="s1",
            agent="main",
            workspace="/w",
            client="openclaw",
            started_at=NOON,
            seen_at=later,
            ended_at=None,
            end_reason=None,
        )


async def test_the_last_workspace_named_wins(tmp_path: Path) -> None:
    async with open_state(tmp_path / "state.db") as database:
        sessions = Sessions(database)
        for workspace in ("/one", "/two", None):
            await sessions.note(sighting(workspace=workspace))
        assert await sessions.last_workspace("s1") == "/two"


async def test_an_ended_session_that_speaks_again_is_open_again(tmp_path: Path) -> None:
    async with open_state(tmp_path / "state.db") as database:
        sessions = Sessions(database)
        await sessions.note(sighting())
        await sessions.note(sighting(at=NOON + timedelta(seconds=5), end_reason="reset"))
        ended = await sessions.get("s1")
        assert ended is not None
        assert (ended.ended_at, ended.end_reason) == (NOON + timedelta(seconds=5), "reset")
        await sessions.note(sighting(at=NOON + timedelta(seconds=4)))
        assert (await sessions.get("s1")) == ended
        await sessions.note(sighting(at=NOON + timedelta(seconds=6)))
        again = await sessions.get("s1")
        assert again is not None
        assert (again.ended_at, again.end_reason) == (None, None)


async def test_keys_are_opaque(tmp_path: Path) -> None:
    keys = ["", "agent:main:feishu:1", "a'b\"; --", "会话", "a\0b", "A", "a"]
    async with open_state(tmp_path / "state.db") as database:
        sessions = Sessions(database)
        for number, key in enumerate(keys):
            await sessions.note(sighting(key, workspace=f"/{number}"))
        found = [await sessions.last_workspace(key) for key in keys]
        assert found == [f"/{number}" for number in range(len(keys))]
