"""A workspace is read as it is, whatever it holds, and nothing of it is run or changed."""

import os
from pathlib import Path

import pytest

from recalld.heartbeat.model import Seen, Standing
from recalld.heartbeat.repository import GitLimits
from recalld.heartbeat.workspace import Scope, read, seen_now
from support.git_rooms import Room, a_room
from support.snapshots import DAY, HOUR, NOW


@pytest.fixture
def room(tmp_path: Path) -> Room:
    return a_room(tmp_path / "work")


def state_of(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Every file with its time of change and its content."""
    return {
        str(path.relative_to(folder)): (path.lstat().st_mtime_ns, path.read_bytes())
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


async def test_a_folder_without_a_repository_is_no_problem(tmp_path: Path):
    found = await read(tmp_path, now=NOW)
    assert (found.branch, found.head, found.commits, found.problems) == (None, None, (), ())


async def test_a_folder_that_is_not_there_is_no_error(tmp_path: Path):
    found = await read(tmp_path / "gone", now=NOW, scope=Scope(reports=("*.xml",)))
    assert found.branch is None
    assert found.problems == ("reports: '.' FileNotFoundError",)


async def test_what_the_checkpoint_says_goes_through(tmp_path: Path):
    standing = Standing(
        objective="Ship", next_action="Tag", blocker="CI", blocker_since=NOW - DAY, updated_at=NOW
    )
    found = await read(tmp_path, now=NOW, standing=standing)
    assert (found.objective, found.next_action, found.checkpoint_at) == ("Ship", "Tag", NOW)
    assert (found.blocker, found.blocker_since) == ("CI", NOW - DAY)


async def test_before_the_first_commit_there_is_a_branch_and_no_head(room: Room):
    found = await read(room.root, now=NOW)
    assert (found.branch, found.head, found.problems) == ("main", None, ())


async def test_the_first_reading_has_no_news(room: Room):
    head = room.commit("One", "a.py")
    found = await read(room.root, now=NOW)
    assert (found.branch, found.head, found.seen_branch) == ("main", head, None)
    assert found.commits == ()
    assert seen_now(found, NOW) == Seen(at=NOW, branch="main", head=head)


async def test_commits_since_come_newest_first_with_their_paths(room: Room):
    seen = Seen(at=NOW, branch="main", head=room.commit("One", "a.py"))
    second = room.commit("修复导入", "a.py", "文档/方案 一.md", "with\nline.txt")
    third = room.commit("Nothing at all")
    fourth = room.commit('Say "hi"\n\nBody text', "b.py")
    found = await read(room.root, now=NOW + HOUR, seen=seen)
    assert found.commits == (
        (fourth, 'Say "hi"', ("b.py",)),
        (second, "修复导入", ("a.py", "with\nline.txt", "文档/方案 一.md")),
    )
    assert third not in {hash_ for hash_, _, _ in found.commits}
    assert (found.seen_head, found.seen_branch, found.head) == (seen.head, "main", fourth)


async def test_a_pulled_commit_is_news_however_old(room: Room):
    seen = Seen(at=NOW, branch="main", head=room.commit("One", "a.py"))
    pulled = room.commit("Made last week", "b.py", at=NOW - 7 * DAY)
    found = await read(room.root, now=NOW + HOUR, seen=seen)
    assert [hash_ for hash_, _, _ in found.commits] == [pulled]


async def test_on_another_branch_only_what_is_newer_than_the_last_look_is_news(room: Room):
    room.commit("Base", "a.py", at=NOW - 3 * DAY)
    room.git("switch", "--quiet", "-c", "feature")
    room.commit("Old work of the feature", "b.py", at=NOW - 2 * DAY)
    room.git("switch", "--quiet", "main")
    seen = Seen(at=NOW, branch="main", head=room.git("rev-parse", "HEAD"))
    room.git("switch", "--quiet", "feature")
    newer = room.commit("New work", "b.py", at=NOW + HOUR)
    found = await read(room.root, now=NOW + 2 * HOUR, seen=seen)
    assert (found.branch, found.seen_branch) == ("feature", "main")
    assert [hash_ for hash_, _, _ in found.commits] == [newer]


@pytest.mark.parametrize("head", ["0" * 40, "--output=/tmp/x", "HEAD~1; rm", "main"])
async def test_a_head_that_is_gone_or_none_is_replaced_by_the_time(room: Room, head: str):
    room.commit("Before", "a.py", at=NOW - DAY)
    after = room.commit("After", "b.py", at=NOW + HOUR)
    found = await read(room.root, now=NOW + DAY, seen=Seen(at=NOW, branch="main", head=head))
    assert [hash_ for hash_, _, _ in found.commits] == [after]
    assert found.problems == ()


async def test_off_any_branch_there_is_none(room: Room):
    head = room.commit("One", "a.py")
    room.git("checkout", "--quiet", "--detach")
    found = await read(room.root, now=NOW, seen=Seen(at=NOW, branch="main", head=head))
    assert (found.branch, found.head) == (None, head)


async def test_a_workspace_inside_a_repository_hears_of_its_own_folder(room: Room):
    seen = Seen(at=NOW, branch="main", head=room.commit("One", "notes/a.md"))
    room.commit("Elsewhere", "code/b.py")
    here = room.commit("Here and there", "code/b.py", "notes/c.md")
    found = await read(room.root / "notes", now=NOW + HOUR, seen=seen)
    assert found.commits == ((here, "Here and there", ("c.md",)),)


async def test_a_linked_worktree_is_a_repository(room: Room, tmp_path: Path):
    room.commit("One", "a.py")
    room.git("worktree", "add", "--quiet", "-b", "side", str(tmp_path / "side"))
    assert (await read(tmp_path / "side", now=NOW)).branch == "side"


async def test_more_commits_and_paths_than_are_wanted_are_cut_and_counted(room: Room):
    seen = Seen(at=NOW, branch="main", head=room.commit("Base", "a"))
    for number in range(4):
        newest = room.commit(f"Number {number}", "a", "b", "c")
    scope = Scope(git_limits=GitLimits(commits=3, paths=2))
    found = await read(room.root, now=NOW, seen=seen, scope=scope)
    assert len(found.commits) == 3
    assert found.commits[0] == (newest, "Number 3", ("a", "b"))
    assert found.problems == (
        "git: only the newest 3 commits were read",
        "git: only 2 paths of a commit were read",
    )


async def test_a_log_that_is_too_long_is_a_problem_and_the_branch_is_kept(room: Room):
    seen = Seen(at=NOW, branch="main", head=room.commit("Base", "a"))
    head = room.commit("x" * 500, "b")
    scope = Scope(git_limits=GitLimits(output_bytes=100))
    found = await read(room.root, now=NOW, seen=seen, scope=scope)
    assert (found.branch, found.head, found.commits) == ("main", head, ())
    assert found.problems == ("git: printed over 100 bytes",)


async def test_a_broken_repository_is_a_problem(tmp_path: Path):
    (tmp_path / ".git").write_text("gitdir: nowhere")
    assert (await read(tmp_path, now=NOW)).problems == ("git: the repository cannot be read",)


async def test_a_configuration_that_never_ends_costs_no_more_than_the_limit(room: Room):
    room.commit("One", "a.py")
    os.mkfifo(room.root / "endless")
    with (room.root / ".git" / "config").open("a", encoding="utf-8") as config:
        config.write(f"[include]\n\tpath = {room.root / 'endless'}\n")
    scope = Scope(git_limits=GitLimits(time_s=0.3))
    found = await read(room.root, now=NOW, scope=scope)
    assert found.problems == ("git: took too long",)


def hostile_settings(canary: Path) -> dict[str, str]:
    """Every setting through which a repository could have a program run while it is read."""
    touch = f"touch {canary}"
    return {
        "core.fsmonitor": touch,
        "core.pager": touch,
        "pager.log": touch,
        "core.editor": touch,
        "core.askPass": touch,
        "core.sshCommand": touch,
        "core.gitProxy": touch,
        "core.alternateRefsCommand": touch,
        "credential.helper": f"!{touch}",
        "log.showSignature": "true",
        "gpg.program": touch,
        "diff.external": touch,
        "diff.evil.command": touch,
        "diff.evil.textconv": touch,
        "filter.evil.clean": touch,
        "filter.evil.smudge": touch,
        "filter.evil.process": touch,
        "alias.log": f"!{touch}",
        "alias.rev-parse": f"!{touch}",
        "alias.symbolic-ref": f"!{touch}",
        "protocol.ext.allow": "always",
        "protocol.allow": "always",
        "remote.origin.url": f"ext::sh -c {touch.replace(' ', '% ')}",
        "remote.origin.promisor": "true",
        "remote.origin.partialCloneFilter": "blob:none",
        "extensions.partialClone": "origin",
    }


def hooked(room: Room, canary: Path) -> None:
    for name in (
        "post-index-change",
        "fsmonitor-watchman",
        "reference-transaction",
        "post-checkout",
    ):
        hook = room.root / ".git" / "hooks" / name
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(f"#!/bin/sh\ntouch {canary}\n", encoding="utf-8")
        hook.chmod(0o755)


def signed(room: Room) -> str:
    """The newest commit once more, in its place, with a signature to be checked."""
    head, body = room.git("cat-file", "commit", "HEAD").split("\n\n", 1)
    signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n abc\n -----END PGP SIGNATURE-----"
    file = room.root.parent / "commit"
    file.write_text("\n".join([head, signature, "", body]) + "\n", encoding="utf-8")
    made = room.git("hash-object", "-t", "commit", "-w", str(file))
    room.git("update-ref", "HEAD", made)
    return made


async def test_nothing_that_a_repository_names_is_run(room: Room, tmp_path: Path):
    canary = tmp_path / "canary"
    seen = Seen(at=NOW, branch="main", head=room.commit("One", "a.py"))
    (room.root / ".gitattributes").write_text("* diff=evil filter=evil\n", encoding="utf-8")
    room.commit("Two", "b.py")
    head = signed(room)
    # A tree that is not there: git would fetch it from the remote, which is a program here.
    tree = room.git("rev-parse", f"{head}^{{tree}}")
    lost = room.root / ".git" / "objects" / tree[:2] / tree[2:]
    for key, value in hostile_settings(canary).items():
        room.git("config", key, value)
    room.git("config", "core.repositoryFormatVersion", "1")
    hooked(room, canary)
    canary.unlink(missing_ok=True)

    found = await read(room.root, now=NOW + HOUR, seen=seen)
    assert [subject for _, subject, _ in found.commits] == ["Two"]
    lost.chmod(0o644)
    lost.unlink()
    lacking = await read(room.root, now=NOW + HOUR, seen=seen)
    assert lacking.problems == ("git: the log cannot be read",)
    assert not canary.exists()


async def test_the_settings_would_run_programs_if_they_were_let(room: Room, tmp_path: Path):
    """The canary sings: what is tested above is not harmless anyway."""
    canary = tmp_path / "canary"
    room.commit("One", "a.py")
    for key, value in hostile_settings(canary).items():
        if not key.startswith(("extensions", "remote")):
            room.git("config", key, value)
    room.git("status")
    assert canary.exists()


async def test_the_daemons_own_git_variables_do_not_leak_in(
    room: Room, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    other = a_room(tmp_path / "other")
    other.commit("Other", "x")
    head = room.commit("One", "a.py")
    monkeypatch.setenv("GIT_DIR", str(other.root / ".git"))
    assert (await read(room.root, now=NOW)).head == head


async def test_reading_changes_no_file(room: Room):
    seen = Seen(at=NOW, branch="main", head=room.commit("One", "a.py"))
    room.commit("Two", "b.py")
    (room.root / "a.py").touch()
    (room.root / "junit.xml").write_text("<testsuite/>", encoding="utf-8")
    before = state_of(room.root)
    found = await read(room.root, now=NOW, seen=seen, scope=Scope(reports=("**/junit*.xml",)))
    assert found.commits
    assert state_of(room.root) == before
