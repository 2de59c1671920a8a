"""Where a session works, which workspace a path belongs to, and what is kept of a session."""

import threading
from datetime import UTC, datetime

import anyio
import pytest

from recalld.counters import Counters
from recalld.errors import NotFound
from recalld.server.params import SessionParam
from recalld.server.places import SessionBook, Whereabouts
from recalld.server.ports import Place

NOW = datetime(2026, 5, 1, tzinfo=UTC)


class FakeSessions:
    def __init__(self, last=None):
        self.noted = []
        self.last = last

    async def note(self, sighting):
        self.noted.append(sighting)

    async def last_workspace(self, key):
        del key
        return self.last


class FakePlaces:
    """Roots resolve to themselves; a path below a root resolves to it."""

    def __init__(self, *roots):
        self.roots = roots

    def all(self):
        return [Place(id=number, root=root) for number, root in enumerate(self.roots, start=1)]

    def resolve(self, path):
        inside = [place for place in self.all() if path.startswith(place.root + "/")]
        return inside[0] if inside else None


def whereabouts(*roots, last=None):
    book = SessionBook(FakeSessions(last), counters=Counters())
    places = Whereabouts(FakePlaces(*roots), book, counters=Counters())
    return places, book


@pytest.mark.parametrize(
    ("roots", "named", "last", "found"),
    [
        (("/a", "/b"), "/b", None, "/b"),
        (("/a", "/b"), "/b/deep/down", None, "/b"),
        (("/a", "/b"), "/c", None, None),
        (("/a",), "/c", None, None),
        (("/a",), None, None, "/a"),
        (("/a",), None, "/gone", "/a"),
        (("/a", "/b"), None, None, None),
        (("/a", "/b"), None, "/b", "/b"),
        (("/a", "/b"), None, "/gone", None),
        ((), None, None, None),
        ((), "/a", None, None),
    ],
)
async def test_a_message_is_about_the_workspace_it_names_or_the_sessions_last(
    roots, named, last, found
):
    places, _ = whereabouts(*roots, last=last)
    place = await places.of_session(SessionParam(key="s", workspace=named), budget_ms=400)
    assert (place and place.root) == found


@pytest.mark.parametrize(
    ("roots", "path", "found"),
    [
        (("/a", "/b"), "/b", "/b"),
        (("/a", "/b"), "/b/deep", "/b"),
        (("/a",), None, "/a"),
        (("/a", "/b"), None, None),
        (("/a",), "/c", None),
        ((), None, None),
    ],
)
async def test_a_workspace_asked_for_by_name_is_found_or_said_not_to_be(roots, path, found):
    places, _ = whereabouts(*roots)
    if found is None:
        with pytest.raises(NotFound):
            await places.named(path)
    else:
        assert (await places.named(path)).root == found


class HungSessions(FakeSessions):
    async def last_workspace(self, key):
        await anyio.sleep_forever()


@pytest.mark.parametrize(("budget_ms", "spent_ms"), [(5_000, 100), (400, 100), (200, 50)])
async def test_where_a_session_works_costs_a_quarter_of_the_budget_at_most(
    autojump_clock, budget_ms, spent_ms
):
    book = SessionBook(HungSessions(), counters=Counters())
    places = Whereabouts(FakePlaces("/a", "/b"), book, counters=Counters())
    assert await places.of_session(SessionParam(key="s"), budget_ms=budget_ms) is None
    assert anyio.current_time() == pytest.approx(spent_ms / 1_000, abs=0.005)


class HungMount(FakePlaces):
    """Below /mnt/nas nothing ever answers."""

    def __init__(self, *roots):
        super().__init__(*roots)
        self.let_go = threading.Event()
        self.entered = 0

    def resolve(self, path):
        if path.startswith("/mnt/nas"):
            self.entered += 1
            self.let_go.wait(60)
        return super().resolve(path)


async def test_a_mount_that_hangs_costs_two_threads_and_no_other_path():
    counters = Counters()
    mount = HungMount("/a", "/b")
    places = Whereabouts(mount, SessionBook(FakeSessions(), counters=counters), counters=counters)
    try:
        for number in range(5):
            assert await places.of_path(f"/mnt/nas/shared/{number}") is None
        assert (mount.entered, counters.get("places.hung")) == (2, 3)
        found = await places.of_path("/b/deep")
        assert found is not None
        assert found.root == "/b"
    finally:
        mount.let_go.set()


async def test_a_session_is_remembered_before_it_is_written():
    places, book = whereabouts("/a", "/b")
    book.see(SessionParam(key="s", workspace="/b"), NOW)
    place = await places.of_session(SessionParam(key="s"), budget_ms=400)
    assert place is not None
    assert place.root == "/b"


async def test_what_a_session_says_is_merged_until_it_is_written(autojump_clock):
    store = FakeSessions()
    book = SessionBook(store, counters=Counters())
    book.see(SessionParam(key="s", workspace="/b", client="c"), NOW)
    book.see(SessionParam(key="s"), NOW)
    book.end(SessionParam(key="s"), reason="done", at=NOW)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(book.run)
        await anyio.sleep(1)
        tasks.cancel_scope.cancel()
    (noted,) = store.noted
    assert (noted.workspace, noted.client, noted.end_reason) == ("/b", "c", "done")


async def test_two_at_once_write_what_is_unwritten_once(autojump_clock):
    class Slow(FakeSessions):
        async def note(self, sighting):
            await anyio.sleep(1)
            await super().note(sighting)

    store = Slow()
    book = SessionBook(store, counters=Counters())
    for number in range(5):
        book.see(SessionParam(key=f"s{number}"), NOW)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(book.flush)
        tasks.start_soon(book.flush)
    assert sorted(sighting.key for sighting in store.noted) == [f"s{n}" for n in range(5)]


async def test_no_secret_of_a_session_is_written():
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    store = FakeSessions()
    book = SessionBook(store, counters=Counters())
    book.end(SessionParam(key="s", client=f"host {secret}"), reason=f"lost {secret}", at=NOW)
    await book.flush()
    (noted,) = store.noted
    assert noted.end_reason.startswith("lost [redacted:")
    assert noted.client.startswith("host [redacted:")
