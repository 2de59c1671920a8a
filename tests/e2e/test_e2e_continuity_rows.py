"""What is promised of working continuity, row by row, at a running daemon."""

import json
import re
import subprocess
from pathlib import Path

import pytest

import recalld
from support.continuing import (
    ARCHIVE,
    CHATTER,
    FILE,
    NEXT,
    OBJECTIVE,
    STATE,
    STEP,
    Checks,
    Talk,
    many_workspaces,
)
from support.daemon import command, environment
from support.e2e import until

SECTIONS = [
    "Objective",
    "Current Step",
    "Key Decisions",
    "Next Action",
    "Blockers",
    "Unsurfaced Results",
]
ORDINARY = "please rename the variable in the footer"
ROWS = Checks()


@pytest.fixture(scope="module")
def fresh(tmp_path_factory):
    with many_workspaces(tmp_path_factory.mktemp("rows"), count=30) as talks:
        yield talks


@pytest.fixture
def talk(fresh):
    return next(fresh)


def recalled(talk: Talk, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A command of ours, run where no daemon is to be found."""
    lonely = environment(talk.root / "no-state", RECALLD_SOCKET=str(talk.root / "none.sock"))
    return subprocess.run(
        command(*arguments, program=("recalld",)),
        env=lonely,
        capture_output=True,
        text=True,
        check=False,
    )


@ROWS.row("S2.1")
def one_file_a_workspace(talk: Talk) -> None:
    talk.work()
    talk.until_active()
    deep = talk.root / "src" / "deep"
    deep.mkdir(parents=True)
    assert "authentication" in talk.other(root=deep).recovery("continue")
    made = {str(path.relative_to(talk.root)) for path in talk.root.rglob("*") if path.is_file()}
    assert made == {FILE}


@ROWS.row("S2.2")
def the_file_is_replaced_whole(talk: Talk) -> None:
    talk.work()
    talk.until_active()
    before = talk.file.stat().st_ino
    talk.daemon.call("checkpoint.write", workspace=str(talk.root), blockers="the review")
    text = talk.file.read_text("utf-8")
    assert talk.file.stat().st_ino != before
    assert (text.count("# Current State"), text.count("## Blockers")) == (1, 1)
    assert [path.name for path in talk.file.parent.iterdir()] == [talk.file.name]


@ROWS.row("S2.3")
def the_file_stays_short(talk: Talk) -> None:
    talk.work()
    for number in range(12):
        talk.turn(
            f"Go on with part {number} of the authentication module, please.",
            f"Decision: use helper {number} for part {number}.\n\nCompleted part {number}.\n\n"
            + "Some words about it.\n" * 60
            + f"\nNext: write part {number + 1} of the authentication module.",
        )
    until(lambda: talk.read().updated_at is not None, what="a checkpoint")
    talk.compact("before")
    read = talk.read()
    assert len(read.key_decisions) <= 3
    assert len(talk.file.read_text("utf-8").splitlines()) <= 40


@ROWS.row("S2.4", "S2.5")
def the_file_has_its_title_its_time_and_six_sections(talk: Talk) -> None:
    talk.compact("before")
    empty = talk.file.read_text("utf-8").splitlines()
    talk.work()
    talk.until_active()
    for lines in (empty, talk.file.read_text("utf-8").splitlines()):
        assert lines[0] == "# Current State"
        assert [line[3:] for line in lines if line.startswith("## ")] == SECTIONS
    assert empty.count("None") == 5
    assert empty.count("- None") == 1
    found = re.fullmatch(r"> Last updated: (\S+)", lines[1])
    assert found is not None
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", found[1])


@ROWS.row("S2.6")
def work_is_recovered_whatever_interrupted_it(talk: Talk) -> None:
    talk.write(STATE)
    for source in ("startup", "resume", "clear", "compact", "new"):
        assert OBJECTIVE in talk.other().start(source)["recovery"], source
    talk.compact("after")
    assert OBJECTIVE in talk.recovery(ORDINARY)
    # Another model answers the same session: nothing announces it, the next question finds it.
    assert OBJECTIVE in talk.recovery("continue")


@ROWS.row("S2.7")
def the_questions_of_the_seed_are_understood(talk: Talk) -> None:
    talk.write(STATE)
    for question in ("刚才我们说到哪了", "continue", "what were we doing", "resume", "继续"):
        assert OBJECTIVE in talk.recovery(question), question


@ROWS.row("S2.8")
def a_recovery_says_what_where_and_what_next_in_this_order(talk: Talk) -> None:
    talk.write(STATE.replace("## Blockers\nNone", "## Blockers\nNo access to staging"))
    recovery = talk.recovery("continue")
    places = [recovery.index(part) for part in (OBJECTIVE, STEP, NEXT, "No access to staging")]
    assert places == sorted(places)


@ROWS.row("S2.9")
def a_greeting_does_not_outrank_active_work(talk: Talk) -> None:
    talk.write(STATE)
    recovery = talk.start("new")["recovery"]
    assert "before any greeting" in recovery
    talk.write("# Current State\n\n## Objective\nNone\n")
    assert talk.start("new")["recovery"] is None


@ROWS.row("S2.10")
def what_is_not_known_is_said_not_to_be_known(talk: Talk) -> None:
    missing = talk.recovery("what were we doing?")
    assert "does not exist" in missing
    talk.write("# Current State\n\n## Objective\n[what]\n")
    assert "template" in talk.recovery("what were we doing?")
    talk.file.write_bytes(b"\xff\xfe#\x00 \x00")
    broken = talk.recovery("刚才我们说到哪了")
    assert "cannot be read" in broken
    assert "UTF-8" in broken
    for said in (missing, broken):
        assert "do not guess" in said


@ROWS.row("S2.11")
def the_file_is_read_anew_each_time(talk: Talk) -> None:
    for number in range(3):
        talk.write(STATE.replace(NEXT, f"step number {number}"))
        assert f"step number {number}" in talk.recovery("continue")
        read = talk.daemon.call("checkpoint.read", workspace=str(talk.root))
        assert (read["next_action"], read["origin"]) == (f"step number {number}", "hand")


@ROWS.row("S2.12")
def the_checkpoint_stands_before_what_a_search_finds(talk: Talk) -> None:
    talk.write(STATE)
    note = "# Diary\n\nWhat were we doing: we were painting the fence of the office.\n"
    (talk.root / "memory" / "diary.md").write_text(note, encoding="utf-8")
    talk.daemon.call("index.sync", workspace=str(talk.root))
    result = talk.prompt("what were we doing?")
    assert OBJECTIVE in result["recovery"]
    assert "fence" not in result["recovery"]


@ROWS.row("S2.13")
def copies_lie_in_the_archive_by_their_second(talk: Talk) -> None:
    paths = []
    for number in range(3):
        talk.write(STATE.replace(NEXT, f"step number {number}"))
        paths.append(talk.reset())
    names = [Path(path).name for path in paths]
    assert all(path.startswith(f"{ARCHIVE}/") for path in paths)
    assert names == sorted(set(names))
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d(_\d\d)*\.md", name) for name in names)
    for number, path in enumerate(paths):
        assert f"step number {number}" in (talk.root / path).read_text("utf-8")


@ROWS.row("S2.14")
def new_archives_a_copy_and_keeps_the_live_file(talk: Talk) -> None:
    assert talk.reset() is None
    assert talk.file.exists()
    assert talk.archived() == []
    talk.write(STATE)
    archived = talk.reset()
    assert (talk.root / archived).read_bytes() == talk.file.read_bytes() == STATE.encode()


@ROWS.row("S2.15")
def before_a_compaction_the_checkpoint_is_on_the_disk(talk: Talk) -> None:
    talk.work()
    # No pause: what was acknowledged a moment ago is in it.
    fields = talk.compact("before")["checkpoint"]
    assert "authentication" in fields["objective"]
    assert talk.read().objective == fields["objective"]


@ROWS.row("S2.16")
def a_run_ends_with_a_checkpoint_of_what_was_said(talk: Talk) -> None:
    talk.work()
    read = talk.until_active()
    until(lambda: "/auth/refresh" in talk.read().next_action, what="the last step")
    assert "authentication module" in read.objective
    for user, assistant in CHATTER:
        talk.turn(user, assistant)
    talk.compact("before")
    assert talk.read().objective == read.objective


@ROWS.row("S2.17", "S2.25")
def the_snapshot_is_pushed_at_the_start_and_within_its_budget(talk: Talk) -> None:
    assert talk.start()["recovery"] is None
    long = STATE.replace(STEP, "A step with many words. " * 200)
    talk.write(long)
    begun = talk.start()
    assert begun["checkpoint"]["age_s"] > 0
    # Four letters are about a token.
    assert len(begun["recovery"]) < 300 * 6
    assert NEXT in begun["recovery"]


@ROWS.row("S2.18", "S2.23", "S2.26")
def the_plugin_takes_no_slot_and_touches_nothing_native(talk: Talk) -> None:
    plugin = Path(recalld.__file__).parent / "openclaw"
    manifest = json.loads((plugin / "openclaw.plugin.json").read_text("utf-8"))
    assert "kind" not in manifest
    assert "contextEngine" not in json.dumps(manifest)
    for source in (plugin / "dist").rglob("*.js"):
        assert "registerContextEngine" not in source.read_text("utf-8")
    talk.work()
    talk.until_active()
    talk.end()
    made = [path.relative_to(talk.root) for path in talk.root.rglob("*") if path.is_file()]
    assert all(str(path).startswith((FILE, ARCHIVE)) for path in made)


@ROWS.row("S2.19", "S2.20")
def the_doctor_needs_no_daemon_and_changes_nothing(talk: Talk) -> None:
    talk.write(STATE)
    before = talk.file.stat().st_mtime_ns
    told = recalled(talk, "doctor", "--workspace", str(talk.root))
    assert told.returncode in {0, 1}
    assert talk.file.stat().st_mtime_ns == before
    talk.file.unlink()
    assert recalled(talk, "doctor", "--workspace", str(talk.root)).returncode == 2


@ROWS.row("S2.21")
def a_result_is_told_in_the_next_reply_and_then_cleared(talk: Talk) -> None:
    talk.write(STATE)
    talk.child("worker", "found the missing rows")
    talk.until_lines("found the missing rows")
    assert "found the missing rows" in talk.recovery(ORDINARY)
    talk.until_lines()
    assert talk.recovery(ORDINARY) is None


@ROWS.row("S2.22")
def now_is_asked_of_continuity_and_before_of_recall(talk: Talk) -> None:
    talk.write(STATE)
    for now in ("what are we doing right now?", "what should happen next?", "我们现在在做什么？"):
        assert OBJECTIVE in talk.recovery(now), now
    for before in (
        "what did we discuss before?",
        "what did we decide last time about the gateway?",
        "之前我们讨论了什么？",
        "上次关于网关我们定了什么？",
    ):
        assert talk.recovery(before) is None, before


@ROWS.row("S2.24")
def every_moment_of_a_session_is_heard_and_answered(talk: Talk) -> None:
    talk.write(STATE)
    assert OBJECTIVE in talk.start("startup")["recovery"]
    assert talk.reset() is not None
    assert talk.compact("before")["checkpoint"]["active"]
    talk.work()
    assert talk.compact("after")["checkpoint"]["active"]
    assert talk.end("logout") is not None


@ROWS.row("S2.27")
def the_contract_for_hosts_without_hooks_is_printed(talk: Talk) -> None:
    told = recalled(talk, "install", "skill")
    assert told.returncode == 0
    assert FILE in told.stdout
    assert all(f"## {section}" in told.stdout for section in SECTIONS)


PROMISED = [f"S2.{number}" for number in range(1, 28)]


@pytest.mark.parametrize("name", PROMISED)
def test_the_row_holds(talk, name):
    ROWS[name](talk)


def test_every_row_is_there_and_no_other():
    assert sorted(ROWS) == sorted(PROMISED)
