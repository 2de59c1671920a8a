"""A place that cannot even be looked at is one line and a code for every command."""

from pathlib import Path

import pytest

from recalld.cli._run import run

TOO_LONG = "/tmp/" + "a" * 300


@pytest.fixture(autouse=True)
def surroundings(tmp_path: Path, monkeypatch) -> None:
    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"):
        monkeypatch.setenv(name, str(tmp_path))
    for name in ("RECALLD_CONFIG", "RECALLD_STATE_DIR", "RECALLD_SOCKET"):
        monkeypatch.delenv(name, raising=False)


NAMED = [
    ["doctor", "-w", TOO_LONG],
    ["workspace", "add", TOO_LONG],
    ["checkpoint", "show", "-w", TOO_LONG],
    ["why", "last", "-w", TOO_LONG],
    ["status", "--config", TOO_LONG],
    ["config", "check", TOO_LONG],
    ["demo", TOO_LONG],
    ["eval", TOO_LONG],
    ["replay", TOO_LONG],
    ["calibrate", TOO_LONG],
    ["model", "fetch", TOO_LONG],
]


@pytest.mark.parametrize("arguments", NAMED, ids=lambda arguments: "-".join(arguments[:2])[:16])
def test_one_that_is_named_is_told_back(capsys, arguments: list[str]):
    assert run(arguments) in {1, 2, 78}
    captured = capsys.readouterr()
    # The box round a usage error breaks long words.
    assert "aaaaaaaa" in captured.out + captured.err


@pytest.mark.parametrize("variable", ["RECALLD_STATE_DIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME"])
@pytest.mark.parametrize(
    "arguments",
    [
        ["doctor", "-w", "."],
        ["tail", "--no-follow"],
        ["why", "last"],
        ["workspace", "add", "."],
        ["workspace", "list"],
        ["checkpoint", "show", "-w", "."],
        ["model", "status"],
        ["config", "show", "recall.top_k"],
        ["status"],
        ["install", "codex", "--dry-run"],
    ],
    ids=lambda arguments: "-".join(arguments[:2]),
)
def test_one_from_the_environment_ends_no_command_in_a_stack_trace(
    tmp_path: Path, monkeypatch, capsys, variable: str, arguments: list[str]
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(variable, TOO_LONG)
    code = run(arguments)
    captured = capsys.readouterr()
    assert code in {0, 1, 2, 69, 78}
    assert captured.out + captured.err != ""


def test_settings_that_cannot_be_looked_at_are_not_taken_for_none(monkeypatch, capsys):
    monkeypatch.setenv("XDG_CONFIG_HOME", TOO_LONG)
    assert run(["config", "check"]) == 78
    assert "file name too long" in capsys.readouterr().err


def test_doctor_goes_on_with_the_next_folder(tmp_path: Path, capsys):
    assert run(["doctor", "-w", TOO_LONG, "-w", str(tmp_path)]) == 2
    out = capsys.readouterr().out
    assert f"there is no folder {TOO_LONG}" in out
    assert f"workspace {tmp_path}" in out
