"""The index first, the user's command where it cannot answer. Real programs."""

import os
import sys
from pathlib import Path
from textwrap import dedent
from typing import Any

import anyio
import pytest

from recalld.budget import Run, Stage
from recalld.counters import Counters
from recalld.errors import Corrupt, Unavailable
from recalld.fallback.answers import Context
from recalld.fallback.flow import FallbackSearcher, Surroundings
from recalld.fallback.policy import FallbackPolicy
from recalld.search.model import Scope, SearchResult, Source
from support.recall_world import NOW, FakeSearcher, hit

SCOPE = Scope(workspace_ids=(1,))
GONE = FakeSearcher(fails=Unavailable("search", "no leg could run"))
NOT_READY = FakeSearcher(degraded=("index: not ready",))
ROW = '{"path":"memory/c.md","line":2,"score":0.8,"snippet":"from the command"}'


class Place:
    """A folder with a program in it, and a searcher that may run it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.counters = Counters()
        self.environ = {"PATH": os.environ["PATH"], "SECRET_KEY": "s3cr3t", "KEPT": "yes"}

    def program(self, body: str) -> tuple[str, ...]:
        path = self.root / "program.py"
        path.write_text("import os, sys, time\n" + dedent(body), encoding="utf-8")
        return (sys.executable, "-I", "-S", str(path), "{query}", "{limit}")

    def searcher(self, index, command: tuple[str, ...]) -> FallbackSearcher:
        context = Context(workspace_id=1, root=str(self.root), source_of=lambda _: Source.MEMORY)
        return FallbackSearcher(
            index,
            policy=lambda: FallbackPolicy(fallback_command=command),
            surroundings=Surroundings(
                environ=self.environ,
                withheld=lambda: ("SECRET_KEY",),
                context_of=lambda key: context if key == 1 else None,
            ),
            counters=self.counters,
        )

    async def search(self, index, command, *, limit_ms: int = 20_000, scope: Scope = SCOPE) -> Any:
        """The result, or None where the stage around it ended without one."""
        here = self.searcher(index, command)

        async def work() -> SearchResult | None:
            try:
                return await here.search("why redis", scope=scope, limit=3, now=NOW)
            except Unavailable:
                return None

        run = Run(limit_ms)
        return await run.stage(Stage(name="s", work=work, otherwise=None, limit_ms=limit_ms))

    def ran(self) -> bool:
        return (self.root / "ran").exists()


@pytest.fixture
def place(tmp_path):
    return Place(tmp_path)


SAYS = f"""
    open("ran", "w").close()
    print('{{"results":[{ROW}]}}')
"""


async def test_an_index_that_answers_is_never_doubled(place):
    for index in (FakeSearcher(hits=(hit(),)), FakeSearcher(degraded=("dense: off",))):
        result = await place.search(index, place.program(SAYS))
        assert result == await index.search("why redis", scope=SCOPE, limit=3, now=NOW)
    assert not place.ran()


@pytest.mark.parametrize("index", [GONE, NOT_READY], ids=["unavailable", "not ready"])
async def test_the_command_answers_where_the_index_cannot(place, index):
    result = await place.search(index, place.program(SAYS))
    assert [found.text for found in result.found] == ["from the command"]
    assert result.found[0].uid.startswith("command:")
    assert result.degraded[-1] == "search.fallback_command answered"
    assert place.counters.snapshot() == {"fallback.searches": 1}


async def test_an_index_that_hangs_leaves_the_command_its_share(place):
    index = FakeSearcher(delay_ms=600_000)
    result = await place.search(index, place.program(SAYS), limit_ms=4_000)
    assert len(result.found) == 1


async def test_without_a_command_the_index_speaks_for_itself(place):
    with pytest.raises(Unavailable):
        await place.searcher(GONE, ()).search("x", scope=SCOPE, limit=3, now=NOW)


async def test_a_contradiction_in_the_index_is_not_covered_up(place):
    broken = FakeSearcher(fails=Corrupt("two rows for one chunk"))
    with pytest.raises(Corrupt):
        await place.searcher(broken, place.program(SAYS)).search("x", scope=SCOPE, limit=3, now=NOW)
    assert not place.ran()


async def test_the_program_gets_its_arguments_its_folder_and_not_our_key(place):
    body = """
        import json
        told = [sys.argv[1:], os.getcwd(), os.environ.get("SECRET_KEY"), os.environ.get("KEPT")]
        row = {"path": "a.md", "score": 1, "snippet": json.dumps(told)}
        print(json.dumps([row]))
    """
    result = await place.search(GONE, place.program(body))
    assert result.found[0].text == f'[["why redis", "3"], "{place.root}", null, "yes"]'


FAILURES = {
    "exit status": "sys.exit(3)",
    "status behind an answer": SAYS + "    sys.exit(1)",
    "no answer": "print('nothing found')",
    "endless output": "while True: sys.stdout.write('x' * 65536)",
}


@pytest.mark.parametrize("body", FAILURES.values(), ids=FAILURES)
async def test_a_program_that_fails_is_counted(place, body):
    command = place.program(body)
    assert await place.search(GONE, command) is None
    waiting = await place.search(NOT_READY, command)
    assert waiting.degraded == ("index: not ready", "fallback: failed")
    assert place.counters.get("fallback.failed") == 2


async def test_a_program_that_is_not_there_is_counted(place):
    assert await place.search(GONE, ("/no/such/program", "{query}")) is None
    assert place.counters.get("fallback.failed") == 1


async def test_a_program_that_hangs_is_killed_with_its_children(place):
    body = """
        import subprocess
        child = subprocess.Popen([sys.executable, "-I", "-S", "-c", "import time; time.sleep(600)"])
        open("pids.tmp", "w").write(f"{os.getpid()} {child.pid}")
        os.rename("pids.tmp", "pids")
        time.sleep(600)
    """
    command = place.program(body)
    async with anyio.create_task_group() as group:

        async def search() -> None:
            assert await place.search(GONE, command) is None

        group.start_soon(search)
        with anyio.fail_after(20):
            while not (place.root / "pids").exists():
                await anyio.sleep(0.01)
    pids = [int(pid) for pid in (place.root / "pids").read_text().split()]
    with anyio.fail_after(10):
        while any(map(_runs, pids)):
            await anyio.sleep(0.01)
    assert place.counters.get("fallback.late") == 1


def _runs(pid: int) -> bool:
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    except (FileNotFoundError, ProcessLookupError):
        return False


@pytest.mark.parametrize("ids", [(), (2,)])
async def test_nothing_is_run_for_a_workspace_that_is_not_known(place, ids):
    assert await place.search(GONE, place.program(SAYS), scope=Scope(workspace_ids=ids)) is None
    assert not place.ran()


async def test_hits_outside_the_asked_sources_are_left_out(place):
    scope = Scope(workspace_ids=(1,), sources=frozenset({Source.WIKI}))
    result = await place.search(GONE, place.program(SAYS), scope=scope)
    assert result.found == ()
