"""What happened in a repository, read from real ones."""

from pathlib import Path
from time import perf_counter
from typing import Any

import pytest

from recalld.heartbeat.checks.git import CHECK
from recalld.heartbeat.mentions import indexed, named_paths, names_branch
from recalld.heartbeat.model import Seen, Signal, Tier, Workspace
from recalld.heartbeat.workspace import read, seen_now
from recalld.memories.model import Memory, MemoryState, MemoryType, Origin
from support.git_rooms import Room, a_room
from support.snapshots import HOUR, NOW, a_memory, a_snapshot

REPORT = "src/api/upload.py"


@pytest.fixture
def room(tmp_path: Path) -> Room:
    room = a_room(tmp_path / "app")
    room.commit("Begin", "README.md", REPORT)
    return room


async def news(room: Room, seen: Seen, *memories: Memory) -> tuple[Signal, ...]:
    workspace = await read(room.root, now=NOW + HOUR, seen=seen)
    return CHECK.find(a_snapshot(*memories, workspaces=(workspace,)))


async def looked(room: Room) -> Seen:
    return seen_now(await read(room.root, now=NOW), NOW)


def a_plan(name: str = "p", content: str = "Rework upload.py", **changes: Any) -> Memory:
    return a_memory(name, content, **changes)


async def test_nothing_happened(room: Room):
    assert await news(room, await looked(room), a_plan()) == ()


async def test_a_commit_that_touches_what_a_plan_names(room: Room):
    seen = await looked(room)
    hash_ = room.commit("Stream the body", REPORT, "README.md")
    plan, other = a_plan(), a_plan("o", "Rework download.py")
    (signal,) = await news(room, seen, plan, other)
    assert (signal.id, signal.memories, signal.tier) == ("git:p", (plan,), Tier.NORMAL)
    assert signal.title == f"{REPORT} was changed: Rework upload.py"
    assert signal.detail == {
        "event": "touched",
        "path": REPORT,
        "workspace": str(room.root),
        "repository": "app",
        "commit": hash_[:12],
        "subject": "Stream the body",
    }


async def test_commits_that_touch_nothing_planned_are_silent(room: Room):
    seen = await looked(room)
    room.commit("Docs", "README.md")
    assert await news(room, seen, a_plan()) == ()


async def test_a_plan_speaks_once_for_its_newest_commit(room: Room):
    seen = await looked(room)
    room.commit("First", REPORT)
    newest = room.commit("Second", REPORT)
    (signal,) = await news(room, seen, a_plan())
    assert signal.detail["commit"] == newest[:12]


@pytest.mark.parametrize(
    "changes",
    [
        {"type": MemoryType.EVENT},
        {"state": MemoryState.RESOLVED},
        {"state": MemoryState.ARCHIVED},
        {"origin": Origin.HEARTBEAT},
        {"owner": "other"},
    ],
)
async def test_only_living_plans_of_the_owner_are_asked(room: Room, changes: dict[str, Any]):
    seen = await looked(room)
    room.commit("Stream the body", REPORT)
    assert await news(room, seen, a_plan(**changes)) == ()


async def test_a_real_revert_is_told_with_the_plans_it_touches(room: Room):
    seen = await looked(room)
    room.commit("Stream the body", REPORT)
    room.git("revert", "--no-edit", "HEAD")
    hash_ = room.git("rev-parse", "HEAD")
    plan = a_plan()
    revert, touched = await news(room, seen, plan)
    assert (revert.id, revert.memories) == (f"git:revert:{hash_[:12]}", (plan,))
    assert revert.title == 'Reverted: Revert "Stream the body"'
    assert revert.detail["event"] == "revert"
    assert (touched.id, touched.detail["subject"]) == ("git:p", "Stream the body")


@pytest.mark.parametrize(
    ("subject", "reverts"),
    [
        ('Revert "Stream the body"', True),
        ("revert: stream the body", True),
        ("Reverts the stream", True),
        ("Reverted to 1.8", True),
        ("回滚上传改动", True),
        ("撤销 “流式上传”", True),
        ("还原配置", True),
        ("回退到 1.8", True),
        ("Make it revertible", False),
        ("Revertible streams", False),
        ("Do not revert on error", False),
        ("支持回滚", False),
    ],
)
def test_what_a_revert_is_called(subject: str, reverts: bool):
    workspace = Workspace(root="/w", commits=(("a" * 40, subject, ("x.py",)),))
    found = CHECK.find(a_snapshot(workspaces=(workspace,)))
    assert bool(found) is reverts


async def test_another_branch(room: Room):
    seen = await looked(room)
    room.git("switch", "--quiet", "-c", "流式上传")
    plan = a_plan(content="在流式上传分支上完成")
    (signal,) = await news(room, seen, plan)
    assert signal.id == f"git:branch:{room.root}:流式上传"
    assert signal.title == "已切换到分支 流式上传，之前在 main"
    assert signal.memories == (plan,)
    assert signal.detail == {
        "event": "branch",
        "workspace": str(room.root),
        "branch": "流式上传",
        "before": "main",
    }


async def test_off_a_branch_and_back_is_no_switch(room: Room):
    seen = await looked(room)
    room.git("checkout", "--quiet", "--detach")
    assert await news(room, seen) == ()
    room.git("switch", "--quiet", "main")
    assert await news(room, seen) == ()


async def test_there_and_back_between_two_looks_is_no_switch(room: Room):
    seen = await looked(room)
    room.git("switch", "--quiet", "-c", "side")
    room.git("switch", "--quiet", "main")
    assert await news(room, seen) == ()


async def test_what_a_tick_held_back_is_still_news_to_the_next(room: Room):
    seen = await looked(room)
    room.commit("Stream the body", REPORT)
    first = await news(room, seen, a_plan())
    assert first == await news(room, seen, a_plan())
    told = await looked(room)
    assert await news(room, told, a_plan()) == ()


@pytest.mark.parametrize(
    ("text", "path", "named"),
    [
        ("Rework upload.py", REPORT, True),
        ("Rework api/upload.py, then test", REPORT, True),
        ("Rework src/api/upload.py.", REPORT, True),
        ("Rework ./src/api/upload.py", REPORT, True),
        ("Rework `upload.py`", REPORT, True),
        ("Look at /w/src/api/upload.py:12", REPORT, True),
        ("修改upload.py里的循环", REPORT, True),
        ("改 文档/方案.md。", "文档/方案.md", True),
        ("改方案.md", "文档/方案.md", True),
        ("Change the Makefile", "Makefile", True),
        ("Rework web/upload.py", REPORT, False),
        ("Rework /other/src/api/upload.py", REPORT, False),
        ("Rework upload.pyc", REPORT, False),
        ("Rework upload.py.bak", REPORT, False),
        ("Rework my-upload.py", REPORT, False),
        ("Rework ~/upload.py", REPORT, False),
        ("Rework the upload", REPORT, False),
        ("Rework upload.py/x", REPORT, False),
        ("Change the config", "config", False),  # a word
        ("Change conf/config", "conf/config", True),
        ("Rework uploadXpy", REPORT, False),
        ("", REPORT, False),
    ],
)
def test_when_a_text_names_a_file(text: str, path: str, named: bool):
    paths = indexed(("z.py", path, "文档/别的.md"), root="/w")
    assert named_paths(text, paths) == ({path} if named else frozenset())


@pytest.mark.parametrize(
    ("text", "branch", "named"),
    [
        ("Finish feature/login this week", "feature/login", True),
        ("在feature/login上完成", "feature/login", True),
        ("Finish feature/login2", "feature/login", False),
        ("The main thing", "main", False),
        ("Fix it", "fix", False),
        ("Finish other/feature/login", "feature/login", False),
    ],
)
def test_when_a_text_names_a_branch(text: str, branch: str, named: bool):
    assert names_branch(text, branch) is named


def test_reverts_come_first_then_files_then_branches_and_the_rest_is_counted():
    commits = (("a" * 40, "Stream", ("upload.py",)), ("b" * 40, "Revert it", ("y.py",)))
    workspace = Workspace(root="/w", branch="side", seen_branch="main", commits=commits)
    plans = [a_plan(f"p{n:02d}") for n in range(25)]
    found = CHECK.find(a_snapshot(*plans, workspaces=(workspace,)))
    assert [signal.id for signal in found[:2]] == [f"git:revert:{'b' * 12}", "git:p00"]
    assert (len(found), found[0].detail["left_out"]) == (20, 7)


def test_two_workspaces_of_one_repository_tell_a_revert_once():
    commits = (("b" * 40, "Revert it", ("upload.py",)), ("a" * 40, "Stream", ("upload.py",)))
    both = tuple(Workspace(root=root, commits=commits) for root in ("/w", "/v"))
    found = CHECK.find(a_snapshot(a_plan(), workspaces=both))
    assert [signal.id for signal in found] == [f"git:revert:{'b' * 12}", "git:p"]
    assert found[0].detail["workspace"] == "/v"


def test_many_plans_and_many_paths_are_compared_in_time():
    paths = tuple(f"src/part{n}/file{n}.py" for n in range(1_000))
    commits = tuple((f"{n:040x}", "Change", paths) for n in range(50))
    plans = [a_plan(f"p{n}", f"Rework file{n}.py and {n} more. " * 20) for n in range(1_000)]
    snapshot = a_snapshot(*plans, workspaces=(Workspace(root="/w", commits=commits),))
    start = perf_counter()
    found = CHECK.find(snapshot)
    assert perf_counter() - start < 3
    assert (len(found), found[0].detail["left_out"]) == (20, 980)
