"""Versions, sub-agents' results and owed snapshots: kept over a restart, each workspace's own."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import anyio
import pytest

from recalld.continuity.model import ChildResult, NewVersion, Origin
from recalld.errors import NotFound
from recalld.store.checkpoints import CheckpointStore
from support.store_world import open_state

AT = datetime(2026, 3, 1, 10, tzinfo=UTC)
HERE, THERE = "/w/one", "/w/two"
PARENT = "agent:main:1"


@asynccontextmanager
async def opened(folder: Path, *, keep: int = 100) -> AsyncIterator[CheckpointStore]:
    async with open_state(folder / "state.db") as database:
        yield CheckpointStore(database, keep=keep)


def version(number: int, *, origin: Origin = Origin.MACHINE, text: str = "") -> NewVersion:
    return NewVersion(
        text=text or f"text {number}",
        sha=f"{number:064x}",
        origin=origin,
        at=AT + timedelta(minutes=number),
        session_key=PARENT,
    )


def child(name: str, result: str, *, minute: int = 0, outcome: str = "ok") -> ChildResult:
    return ChildResult(
        child=name, outcome=outcome, result=result, at=AT + timedelta(minutes=minute)
    )


async def results(store: CheckpointStore, workspace: str = HERE) -> list[tuple[str, str]]:
    return [(each.child, each.result) for each in await store.pending(workspace, PARENT)]


async def test_versions_come_back_newest_first_and_as_they_were_kept(tmp_path: Path):
    async with opened(tmp_path) as store:
        names = [await store.add_version(HERE, version(number)) for number in range(3)]
    async with opened(tmp_path) as store:
        kept = await store.versions(HERE)
        assert [each.name for each in kept] == names[::-1]
        newest, asked = kept[0], version(2)
        for field in ("text", "sha", "origin", "at", "session_key"):
            assert getattr(newest, field) == getattr(asked, field)
        assert await store.version(HERE, newest.name) == newest
        assert len(await store.versions(HERE, limit=2)) == 2


async def test_only_the_newest_versions_of_each_workspace_are_kept(tmp_path: Path):
    async with opened(tmp_path, keep=3) as store:
        await store.add_version(THERE, version(0))
        for number in range(7):
            await store.add_version(HERE, version(number))
        assert [each.text for each in await store.versions(HERE)] == ["text 6", "text 5", "text 4"]
        assert [each.text for each in await store.versions(THERE)] == ["text 0"]


async def test_the_same_version_again_is_kept_once_and_by_another_hand_twice(tmp_path: Path):
    async with opened(tmp_path) as store:
        assert await store.add_version(HERE, version(1)) is not None
        assert await store.add_version(HERE, version(1)) is None
        assert await store.add_version(HERE, version(1, origin=Origin.HAND)) is not None
        assert [each.origin for each in await store.versions(HERE)] == [Origin.HAND, Origin.MACHINE]


async def test_a_file_is_of_whoever_wrote_its_bytes_last_and_an_unknown_one_is_by_hand(
    tmp_path: Path,
):
    async with opened(tmp_path) as store:
        await store.add_version(HERE, version(1))
        await store.add_version(HERE, version(2, origin=Origin.HAND))
        await store.add_version(HERE, version(2, origin=Origin.MACHINE))
        assert await store.origin_of(HERE, version(1).sha) is Origin.MACHINE
        assert await store.origin_of(HERE, version(2).sha) is Origin.MACHINE
        assert await store.origin_of(HERE, version(3).sha) is Origin.HAND
        assert await store.origin_of(THERE, version(1).sha) is Origin.HAND


async def test_a_version_that_came_to_nothing_is_dropped(tmp_path: Path):
    async with opened(tmp_path) as store:
        kept = await store.add_version(HERE, version(1))
        failed = await store.add_version(HERE, version(2))
        assert kept is not None
        assert failed is not None
        await store.drop_version(THERE, failed)
        assert len(await store.versions(HERE)) == 2
        await store.drop_version(HERE, failed)
        await store.drop_version(HERE, failed)
        assert [each.name for each in await store.versions(HERE)] == [kept]
        assert await store.origin_of(HERE, version(2).sha) is Origin.HAND


@pytest.mark.parametrize(
    "name",
    [
        *("", "v", "v0", "v01", "1", "v-1", "v1 ", " v1", "v1\0", "v1\n", "V1", "v١", "v²", "vv1"),
        *("v1; --", "../v1", "/v1", "v" + "9" * 19, "v" + "1" * 5_000, "2026-03-01_10-00-00.md"),
    ],
)
async def test_a_name_that_is_not_there_is_not_found_whatever_it_looks_like(
    tmp_path: Path, name: str
):
    async with opened(tmp_path) as store:
        await store.add_version(HERE, version(1))
        with pytest.raises(NotFound):
            await store.version(HERE, name)
        await store.drop_version(HERE, name)
        assert len(await store.versions(HERE)) == 1


async def test_a_version_of_one_workspace_is_not_found_in_another(tmp_path: Path):
    async with opened(tmp_path) as store:
        name = await store.add_version(HERE, version(1))
        assert name is not None
        with pytest.raises(NotFound):
            await store.version(THERE, name)
        assert await store.versions(THERE) == ()


async def test_no_secret_reaches_the_database(tmp_path: Path):
    secret = "ghp_" + "a1B2c3D4e5" * 4
    async with opened(tmp_path) as store:
        await store.add_version(HERE, version(1, text=f"## Blockers\n{secret}\n"))
        await store.add_child(HERE, PARENT, child("c", f"the key is {secret}"))
        (kept,) = await store.versions(HERE)
        assert "[redacted:" in kept.text
        assert "[redacted:" in (await store.pending(HERE, PARENT))[0].result
    assert all(secret.encode() not in file.read_bytes() for file in tmp_path.iterdir())


async def test_the_latest_result_of_a_child_waits_over_a_restart(tmp_path: Path):
    async with opened(tmp_path) as store:
        assert await store.add_child(HERE, PARENT, child("b", "first", minute=1))
        assert await store.add_child(HERE, PARENT, child("a", "other", minute=2))
        assert not await store.add_child(HERE, PARENT, child("b", "first", minute=1))
        assert await store.add_child(HERE, PARENT, child("b", "second", minute=3))
        assert not await store.add_child(HERE, PARENT, child("b", "late to arrive", minute=2))
    async with opened(tmp_path) as store:
        assert await results(store) == [("a", "other"), ("b", "second")]
        assert await store.pending(THERE, PARENT) == ()
        assert await store.pending(HERE, "agent:main:2") == ()
        assert await store.parents() == {(HERE, PARENT)}


async def test_a_surfaced_result_comes_back_only_with_other_words(tmp_path: Path):
    async with opened(tmp_path) as store:
        await store.add_child(HERE, PARENT, child("c", "done"))
        assert await store.surface(HERE, PARENT, ["c", "unknown"], at=AT) == ("c",)
        assert not await store.add_child(HERE, PARENT, child("c", "done", minute=5))
        assert await results(store) == []
        assert await store.parents() == frozenset()
        assert await store.add_child(HERE, PARENT, child("c", "done, and more", minute=6))
        assert await results(store) == [("c", "done, and more")]


async def test_of_callers_that_race_for_a_result_one_gets_it(tmp_path: Path):
    async with opened(tmp_path) as store:
        for name in "abcdef":
            await store.add_child(HERE, PARENT, child(name, name))
        taken: list[str] = []

        async def take() -> None:
            waiting = [each.child for each in await store.pending(HERE, PARENT)]
            taken.extend(await store.surface(HERE, PARENT, waiting, at=AT))

        async with anyio.create_task_group() as tasks:
            for _ in range(8):
                tasks.start_soon(take)
        assert sorted(taken) == list("abcdef")


async def test_results_of_two_workspaces_with_one_session_never_mix(tmp_path: Path):
    async with opened(tmp_path) as store:
        await store.add_child(HERE, PARENT, child("c", "here"))
        await store.add_child(THERE, PARENT, child("c", "there"))
        assert await store.surface(HERE, PARENT, ["c"], at=AT) == ("c",)
        assert await results(store, THERE) == [("c", "there")]
        assert await results(store, HERE) == []


async def test_an_owed_snapshot_is_remembered_over_a_restart_until_it_is_given(tmp_path: Path):
    async with opened(tmp_path) as store:
        for key in ("s1", "s1", "s2"):
            await store.set_pending(HERE, key, at=AT)
        await store.set_pending(THERE, "s1", at=AT)
        await store.clear_pending(HERE, "s2")
    async with opened(tmp_path) as store:
        assert await store.load_pending() == {(HERE, "s1"), (THERE, "s1")}
        await store.clear_pending(HERE, "s1")
        await store.clear_pending(HERE, "s1")
        assert await store.load_pending() == {(THERE, "s1")}
