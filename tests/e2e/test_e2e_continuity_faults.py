"""A disk or a store in trouble costs a prompt its recovery at most, and no event its truth."""

import errno
import json
import threading
import time
from contextlib import asynccontextmanager
from dataclasses import replace

import anyio
import anyio.to_thread
import pytest

from recalld.atomic import Disk
from recalld.continuity.disk import Workbench
from recalld.server.sockets import connect
from support.continuing import FILE, LEXICAL, NEXT, OBJECTIVE, STATE, TASK
from support.daemon import request, serving
from support.store_world import CountingWrites, HangingReads
from support.wires import read_lines

BUDGET_MS = 300
GRACE_MS = 50
ORDINARY = "please rename the variable in the footer"
KEY = "agent:main:main"


class Trouble:
    """What is wrong with the disks: folders whose reads and writes hang, and ``full``."""

    def __init__(self):
        self.hung = set()
        self.let_go = threading.Event()
        self.full = False
        self.reads = self.writes = 0

    def bench(self, root):
        return TroubledBench(root, self)


class FullDisk(Disk):
    def __init__(self, trouble):
        self._trouble = trouble

    def create(self, name, flags, mode, *, folder):
        if self._trouble.full:
            raise OSError(errno.ENOSPC, "No space left on device")
        return super().create(name, flags, mode, folder=folder)


class TroubledBench(Workbench):
    """The real disk, once it is let go."""

    def __init__(self, root, trouble):
        super().__init__(root, files=FullDisk(trouble))
        self._trouble = trouble
        self._stuck = anyio.CapacityLimiter(4)

    async def _pass(self):
        if self.root in self._trouble.hung:
            await anyio.to_thread.run_sync(
                self._trouble.let_go.wait, 60, abandon_on_cancel=True, limiter=self._stuck
            )

    async def read(self):
        self._trouble.reads += 1
        await self._pass()
        return await super().read()

    async def write(self, checkpoint, *, expected_sha):
        self._trouble.writes += 1
        await self._pass()
        return await super().write(checkpoint, expected_sha=expected_sha)

    async def archive(self, at):
        await self._pass()
        return await super().archive(at)


class CountedStore(CountingWrites):
    """Counts its reads, too."""

    def __init__(self, real):
        super().__init__(real)
        self.reads = 0

    @property
    def settling(self):
        return self._real.settling

    async def read(self, job, *, cut_ms=1_000):
        self.reads += 1
        return await super().read(job, cut_ms=cut_ms)


class House:
    """A daemon in this loop with its disks and its store at hand."""

    def __init__(self, wire, trouble, store, folders, counters):
        self.wire = wire
        self.trouble = trouble
        self.store = store
        self.folders = folders
        self.counters = counters

    def write(self, text, folder=0):
        file = self.folders[folder] / FILE
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def hang(self, folder=0):
        self.trouble.hung.add(str(self.folders[folder]))

    def heal(self):
        self.trouble.hung.clear()
        self.trouble.let_go.set()
        self.trouble.full = False

    async def asked(self, method, *, folder=0, key=KEY, **params):
        session = {"key": key, "workspace": str(self.folders[folder])}
        await self.wire.send_some(memoryview(request(method, session=session, **params)))
        (line,) = await read_lines(self.wire, 1)
        return json.loads(line)

    async def told(self, method, **params):
        reply = await self.asked(method, **params)
        assert "result" in reply, reply
        return reply["result"]

    async def prompt(self, text, **params):
        """The answer, within its budget whatever hangs."""
        began = time.perf_counter()
        result = await self.told("session.prompt", text=text, budget_ms=BUDGET_MS, **params)
        assert (time.perf_counter() - began) * 1_000 < BUDGET_MS + GRACE_MS
        return result

    async def status(self):
        await self.wire.send_some(memoryview(request("status")))
        (line,) = await read_lines(self.wire, 1)
        return json.loads(line)["result"]

    async def until(self, claim, within_s=20):
        with anyio.fail_after(within_s):
            while not await claim():
                await anyio.sleep(0.02)

    async def says(self, words, folder=0):
        file = self.folders[folder] / FILE
        return file.exists() and words in file.read_text("utf-8")


@asynccontextmanager
async def house(tmp_path, *, store=CountedStore):
    folders = [tmp_path / name for name in ("a", "b")]
    for folder in folders:
        folder.mkdir()
    trouble, held = Trouble(), {}

    def adjust(base):
        held["store"] = store(base.state.database)
        state = replace(base.state, database=held["store"])
        return replace(base, bench=trouble.bench, state=state)

    async with serving(tmp_path / "d", workspaces=folders, config=LEXICAL, adjust=adjust) as inside:
        wire = await connect(str(inside.socket_path))
        try:
            yield House(wire, trouble, held["store"], folders, inside.counters)
        finally:
            trouble.let_go.set()
            await wire.aclose()


async def test_an_ordinary_prompt_asks_neither_disk_nor_store(tmp_path):
    async with house(tmp_path) as home:
        home.write(STATE)
        await home.prompt("what were we doing")
        await anyio.sleep(1.0)  # what follows behind the answers is done
        before = home.trouble.reads, home.store.reads, home.store.writes
        for number in range(20):
            result = await home.prompt(f"{ORDINARY} {number}")
            assert (result["recovery"], "recovery" in str(result["stages"])) == (None, False)
        assert (home.trouble.reads, home.store.reads, home.store.writes) == before


@pytest.mark.allow_errors
async def test_a_hung_disk_costs_a_question_its_recovery_and_no_time(tmp_path):
    async with house(tmp_path) as home:
        home.write(STATE)
        await home.told("session.compact", phase="after")
        home.hang()
        result = await home.prompt("what were we doing")
        assert result["recovery"] is None
        assert [stage["outcome"] for stage in result["stages"] if stage["name"] == "recovery"] == [
            "timeout"
        ]
        began = time.perf_counter()
        begun = await home.told("session.start", source="startup")
        assert (begun["recovery"], begun["checkpoint"]) == (None, None)
        assert time.perf_counter() - began < 1.0
        # Another workspace has its own disk, and what was owed is owed still.
        home.write(STATE, folder=1)
        assert OBJECTIVE in (await home.prompt("continue", folder=1, key="other"))["recovery"]
        home.heal()
        assert OBJECTIVE in (await home.prompt(ORDINARY))["recovery"]
        assert (await home.prompt(ORDINARY))["recovery"] is None
        assert home.counters.get("continuity.start_timeout") == 1


@pytest.mark.allow_errors
async def test_a_hung_store_costs_the_snapshot_what_was_said_since_and_no_more(tmp_path):
    async with house(tmp_path, store=HangingReads) as home:
        home.write(STATE)
        with home.store.hanging():
            result = await home.prompt("刚才我们说到哪了")
            assert NEXT in result["recovery"]
            assert (await home.told("session.start", source="startup"))["checkpoint"][
                "objective"
            ] == OBJECTIVE
        assert home.counters.get("continuity.later_turns_timeout") == 2
        assert home.counters.get("continuity.origin_timeout") == 1


@pytest.mark.allow_errors
async def test_before_a_compaction_a_hung_store_delays_and_prevents_nothing(tmp_path):
    async with house(tmp_path, store=HangingReads) as home:
        home.write(STATE)
        began = time.perf_counter()
        with home.store.hanging():
            done = await home.told("session.compact", phase="before")
            assert done["checkpoint"]["objective"] == OBJECTIVE
            archived = await home.told("session.reset", reason="new")
            assert (home.folders[0] / archived["archived"]).exists()
        assert time.perf_counter() - began < 8


@pytest.mark.allow_errors
async def test_a_hung_disk_of_one_workspace_keeps_no_other_from_its_checkpoint(tmp_path):
    async with house(tmp_path) as home:
        home.hang(0)
        for folder in (0, 1):
            for user, assistant in TASK:
                said = {"user": user, "assistant": assistant}
                await home.told("session.turn", folder=folder, key=f"k{folder}", **said)
        await home.until(lambda: home.says("authentication", 1), within_s=4)
        assert not (home.folders[0] / FILE).exists()

        async def behind():
            return (await home.status())["parts"]["continuity"]["sessions_behind"] == 1

        await home.until(behind)
        home.heal()
        await home.until(lambda: home.says("authentication", 0))
        await home.until(lambda: _not(behind))


async def _not(claim):
    return not await claim()


@pytest.mark.allow_errors
async def test_a_full_disk_is_said_where_the_file_must_be_and_no_turn_is_lost(tmp_path):
    async with house(tmp_path) as home:
        home.write(STATE)
        home.trouble.full = True
        for method, params in (
            ("session.reset", {"reason": "new", "event_id": "r"}),
            ("session.end", {"reason": "logout", "event_id": "e"}),
        ):
            error = (await home.asked(method, **params))["error"]
            assert (error["code"], error["data"]) == (-32002, {"part": "disk"}), method
            assert "No space left" in error["message"]
        (home.folders[0] / FILE).unlink()
        for user, assistant in TASK:
            assert await home.told("session.turn", user=user, assistant=assistant) == {
                "accepted": True
            }
        error = (await home.asked("session.compact", phase="before", event_id="c"))["error"]
        assert (error["code"], error["data"]) == (-32002, {"part": "disk"})
        assert not (home.folders[0] / FILE).exists()
        degraded = (await home.status())["degraded"]
        assert any(why.startswith("continuity: ") and "No space left" in why for why in degraded)
        home.heal()
        # The same events again are done now, and once.
        done = await home.told("session.compact", phase="before", event_id="c")
        assert "authentication" in done["checkpoint"]["objective"]
        archived = await home.told("session.reset", reason="new", event_id="r")
        assert (home.folders[0] / archived["archived"]).exists()
        again = await home.told("session.reset", reason="new", event_id="r")
        assert again == {**archived, "duplicate": True}
        degraded = (await home.status())["degraded"]
        assert not any("No space left" in why for why in degraded)


@pytest.mark.allow_errors
async def test_a_hung_disk_is_said_in_time_where_the_file_must_be(tmp_path):
    async with house(tmp_path) as home:
        home.write(STATE)
        home.hang()
        began = time.perf_counter()
        error = (await home.asked("session.compact", phase="before"))["error"]
        assert (error["code"], error["data"]) == (-32002, {"part": "disk"})
        assert time.perf_counter() - began < 6


@pytest.mark.parametrize(
    ("spoil", "part"),
    [
        (lambda file: file.write_bytes(b"\xff\xfe#\x00"), "UTF-8"),
        (lambda file: file.write_bytes(b"x" * 300_000), "larger than"),
        (lambda file: (file.unlink(), file.symlink_to("/etc/hostname")), "out of the workspace"),
        (lambda file: (file.unlink(), file.mkdir()), "not a regular file"),
    ],
)
@pytest.mark.allow_errors
async def test_a_file_that_cannot_be_read_is_named_and_stays_as_it_is(tmp_path, spoil, part):
    async with house(tmp_path) as home:
        home.write(STATE)
        file = home.folders[0] / FILE
        spoil(file)
        before = file.lstat()
        for method, params in (
            ("session.compact", {"phase": "before"}),
            ("session.reset", {"reason": "new"}),
        ):
            error = (await home.asked(method, **params))["error"]
            assert (error["code"], part in error["message"]) == (-32005, True), method
        assert (await home.told("session.start", source="startup"))["checkpoint"] is None
        assert (await home.prompt(ORDINARY))["recovery"] is None
        assert OBJECTIVE not in ((await home.prompt("continue"))["recovery"] or "")
        assert (file.lstat().st_ino, file.lstat().st_size) == (before.st_ino, before.st_size)
        degraded = (await home.status())["degraded"]
        assert any(why.startswith("continuity: ") and part in why for why in degraded)
