"""What the doctor makes of conversations: activity, greetings, and hooks that never fired."""

import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from recalld.cli._doctor_hooks import UNSEEN_IN_A_ROW
from recalld.cli._run import run
from support.doctoring import HOUR, Turn, remembered, transcript, work_at, written

GREETED = ("continue", "Hello! How can I help you today?")
GREETED_ZH = ("刚才我们说到哪了", "你好！请问有什么可以帮您？")
RESUMED = ("continue", "The invoice export: next I count the rows.")


def now() -> datetime:
    """As late as it is asked: between collecting and running a whole suite lie minutes."""
    return datetime.now(UTC)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in [name for name in os.environ if name.startswith(("RECALLD_", "XDG_"))]:
        monkeypatch.delenv(name)
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("RECALLD_STATE_DIR", str(home / "state"))
    monkeypatch.setenv("RECALLD_SOCKET", str(home / "absent"))
    return home


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return written(tmp_path / "ws", work_at(now() - HOUR))


def found(capsys, check: str, *arguments: str | Path) -> list[tuple[str, str]]:
    capsys.readouterr()
    run(["doctor", "--json", *map(str, arguments)])
    told = json.loads(capsys.readouterr().out)
    blocks = [*told["workspaces"], told["daemon"]]
    return [
        (one["severity"], one["message"])
        for block in blocks
        for one in block["findings"]
        if one["check"] == check
    ]


def test_c3_2_turns_that_the_daemon_kept_are_activity(root: Path, home: Path, capsys):
    turn = Turn(user="and the tests?", assistant="All pass.", ago=HOUR / 2)
    remembered(home / "state", root, [turn], since=9 * HOUR)
    ((severity, message),) = found(capsys, "staleness", "-w", root)
    assert severity == "WARNING"
    assert "30 min older" in message


@pytest.mark.parametrize(
    "turn",
    [
        Turn(user="x", assistant="y", key="agent:cron:nightly"),
        Turn(user="x", assistant="y", key="cli:0123456789ab", client="recalld-cli"),
        Turn(user="HEARTBEAT: check", assistant="y"),
        Turn(user="x", assistant="y", ago=2 * HOUR),
    ],
    ids=["a machine's session", "the command line", "a system event", "before the checkpoint"],
)
def test_c3_2_what_no_user_did_since_is_no_activity(root: Path, home: Path, capsys, turn: Turn):
    remembered(home / "state", root, [turn], since=9 * HOUR)
    assert [one for one, _ in found(capsys, "staleness", "-w", root)] == ["OK"]


def test_c3_2_a_turn_of_another_workspace_is_none_of_this_one(
    root: Path, tmp_path, home, capsys, monkeypatch
):
    other = written(tmp_path / "other", work_at(now()))
    remembered(home / "state", other, [Turn(user="x", assistant="y")], since=9 * HOUR)
    assert [one for one, _ in found(capsys, "staleness", "-w", root)] == ["OK"]
    inside = root / "src"
    inside.mkdir()
    remembered(home / "state2", inside, [Turn(user="x", assistant="y")], since=9 * HOUR)
    monkeypatch.setenv("RECALLD_STATE_DIR", str(home / "state2"))
    assert [one for one, _ in found(capsys, "staleness", "-w", root)] == ["WARNING"]


def test_c3_2_a_session_without_a_workspace_belongs_to_the_only_one(
    root: Path, tmp_path: Path, home: Path, capsys
):
    remembered(home / "state", None, [Turn(user="x", assistant="y")], since=9 * HOUR)
    assert [one for one, _ in found(capsys, "staleness", "-w", root)] == ["WARNING"]
    other = written(tmp_path / "other", work_at(now() - HOUR))
    both = found(capsys, "staleness", "-w", root, "-w", other)
    assert [one for one, _ in both] == ["OK", "OK"]


def test_c3_2_a_transcript_in_the_workspace_is_activity(root: Path, capsys):
    transcript(root, "t1", began=HOUR / 2)
    ((severity, message),) = found(capsys, "staleness", "-w", root)
    assert severity == "WARNING"
    assert "a claude-code transcript" in message


def test_c3_2_transcripts_elsewhere_count_where_the_settings_name_them(
    root: Path, tmp_path: Path, capsys
):
    far = tmp_path / "far"
    transcript(far, "t1", began=HOUR / 2)
    moved = far / "sessions" / "t1.jsonl"
    moved.write_text(moved.read_text("utf-8").replace(str(far), str(root)), encoding="utf-8")
    assert [one for one, _ in found(capsys, "staleness", "-w", root)] == ["OK"]
    config = tmp_path / "config.toml"
    config.write_text(f'[index]\ntranscripts = ["{far}/sessions/*.jsonl"]\n', encoding="utf-8")
    told = found(capsys, "staleness", "-w", root, "--config", config)
    assert [one for one, _ in told] == ["WARNING"]


@pytest.mark.parametrize(
    ("said", "severity"),
    [(GREETED, "WARNING"), (GREETED_ZH, "WARNING"), (RESUMED, "OK"), (("hello", "Hello!"), "OK")],
)
@pytest.mark.parametrize("where", ["kept", "transcript"])
def test_c3_7_a_greeting_is_found_wherever_the_exchange_was_kept(
    root: Path, home: Path, capsys, where: str, said: tuple[str, str], severity: str
):
    if where == "kept":
        turn = Turn(user=said[0], assistant=said[1], ago=HOUR / 2)
        remembered(home / "state", root, [turn], since=9 * HOUR)
    else:
        transcript(root, "t1", began=HOUR / 2, said=[("Start", "Fine."), said])
    ((one, message),) = found(capsys, "greeting", "-w", root)
    assert one == severity
    assert (said[0] in message) == (severity == "WARNING")


def test_c3_7_an_exchange_that_was_kept_twice_is_one(root: Path, home: Path, capsys):
    transcript(root, "t1", began=HOUR / 2, said=[GREETED])
    turn = Turn(user=GREETED[0], assistant=GREETED[1], ago=HOUR / 2)
    remembered(home / "state", root, [turn], since=9 * HOUR)
    ((_, message),) = found(capsys, "greeting", "-w", root)
    assert "(1 of 1)" in message


def test_c3_7_what_is_weeks_ago_is_over(root: Path, home: Path, capsys):
    written(root, work_at(now() - timedelta(days=30)))
    turn = Turn(user=GREETED[0], assistant=GREETED[1], ago=timedelta(days=8))
    remembered(home / "state", root, [turn], since=timedelta(days=60))
    assert [one for one, _ in found(capsys, "greeting", "-w", root)] == ["OK"]


@pytest.mark.parametrize(
    ("count", "severity"),
    [(1, "INFO"), (UNSEEN_IN_A_ROW - 1, "INFO"), (UNSEEN_IN_A_ROW, "WARNING"), (7, "WARNING")],
)
def test_c6_9_a_hook_that_never_fired_is_told_with_how_many_sessions_it_missed(
    root: Path, home: Path, capsys, count: int, severity: str
):
    remembered(home / "state", root, [], since=9 * HOUR)
    for number in range(count):
        transcript(root, f"t{number}", began=HOUR * (number + 1))
    ((one, message),) = found(capsys, "hooks", "-w", root)
    assert one == severity
    many = f"{count} session{'s' if count > 1 else ''}"
    assert message == (
        f"the hook of claude-code never fired, in {many}: recalld install claude-code"
    )


def test_c6_9_a_hook_that_stopped_firing_is_told_apart_from_one_that_never_did(
    root: Path, home: Path, capsys
):
    turn = Turn(user="x", assistant="y", key="t9", ago=8 * HOUR)
    remembered(home / "state", root, [turn], since=24 * HOUR)
    transcript(root, "t9", began=8 * HOUR)
    for number in range(UNSEEN_IN_A_ROW):
        transcript(root, f"t{number}", began=HOUR * (number + 1))
    told = found(capsys, "hooks", "-w", root)
    assert [one for one, _ in told] == ["WARNING", "OK"]
    assert "has not fired lately, in 3 sessions" in told[0][1]
    assert told[1][1] == "hosts that were heard: claude-code in 1 session"


def test_c6_9_a_session_that_was_heard_by_key_or_by_host_is_no_complaint(root, home, capsys):
    turns = [
        Turn(user="x", assistant="y", key="t0", client=None, ago=HOUR),
        Turn(user="x", assistant="y", key="another", ago=2 * HOUR),
    ]
    remembered(home / "state", root, turns, since=24 * HOUR)
    transcript(root, "t0", began=HOUR)
    transcript(root, "t1", began=2 * HOUR + timedelta(seconds=1), said=[("a", "b"), ("c", "d")] * 2)
    assert [one for one, _ in found(capsys, "hooks", "-w", root)] == ["OK"]


def test_c6_9_sessions_from_before_the_first_daemon_are_nobodys_fault(root, home, capsys):
    for number in range(UNSEEN_IN_A_ROW):
        transcript(root, f"t{number}", began=10 * HOUR)
    assert found(capsys, "hooks", "-w", root) == []
    remembered(home / "state", root, [], since=9 * HOUR)
    ((severity, message),) = found(capsys, "hooks", "-w", root)
    assert severity == "INFO"
    assert "no host has told of a session" in message


def test_c6_9_a_hook_that_fires_in_vain_is_told_by_its_own_notes(root: Path, home: Path, capsys):
    remembered(home / "state", root, [], since=24 * HOUR)
    for number in range(UNSEEN_IN_A_ROW):
        transcript(root, f"t{number}", began=HOUR * (number + 1))
    log = home / "state" / "hook.log"
    noted = f"{now():%Y-%m-%dT%H:%M:%SZ} claude-code UserPromptSubmit: no daemon (after 3 ms)\n"
    old = "2020-01-01T00:00:00Z codex Stop: no daemon (after 3 ms)\n"
    log.write_text(f"torn\n{old}{noted}", encoding="utf-8")
    told = found(capsys, "hooks", "-w", root)
    assert [one for one, _ in told] == ["WARNING", "INFO"]
    assert "fires and does not get through, in 3 sessions: see hook.log" in told[0][1]
    assert "gave up 1 time in the last 7 days" in told[1][1]
    assert "no daemon" in told[1][1]
    log.write_text(noted * 3, encoding="utf-8")
    assert [one for one, _ in found(capsys, "hooks", "-w", root)] == ["WARNING", "WARNING"]


def test_a_broken_transcript_costs_nobody_the_rest(root: Path, home: Path, capsys):
    transcript(root, "good", began=HOUR / 2)
    for name, data in (("bad.jsonl", b"{torn"), ("deep.jsonl", b"[" * 9_000), ("nul.jsonl", b"\0")):
        (root / "sessions" / name).write_bytes(data)
    ((severity, message),) = found(capsys, "staleness", "-w", root)
    assert severity == "WARNING"
    assert "a claude-code transcript" in message
