"""The list of workspaces is edited where it lies; everything else in the file stays."""

import json
import tomllib
from pathlib import Path

import pytest

from recalld.cli._run import run
from support.scripted import scripted_daemon

COMMENTED = """# mine
workspaces = [
  "/a",  # the first
  "/b",
]

[recall]
top_k = 4  # four is enough
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "config.toml"
    path.write_text(COMMENTED, encoding="utf-8")
    return path


def workspace(file: Path, *arguments: str) -> int:
    given = ["--config", str(file)]
    if arguments[0] != "list":
        given += ["--socket", str(file.parent / "absent")]
    return run(["workspace", *arguments, *given])


def test_adding_keeps_every_other_line(file: Path, tmp_path: Path, capsys):
    assert workspace(file, "add", str(tmp_path)) == 0
    lines = file.read_text(encoding="utf-8").split("\n")
    before = COMMENTED.split("\n")
    assert [line for line in lines if line not in before] == [f'  "{tmp_path}",']
    assert [line for line in before if line not in lines] == []
    assert tomllib.loads("\n".join(lines))["workspaces"] == ["/a", "/b", str(tmp_path)]
    assert "next start" in capsys.readouterr().out


def test_removing_takes_one_entry_and_nothing_else(file: Path):
    assert workspace(file, "remove", "/b") == 0
    document = tomllib.loads(file.read_text(encoding="utf-8"))
    assert document == {"workspaces": ["/a"], "recall": {"top_k": 4}}
    assert "# the first" in file.read_text(encoding="utf-8")


def test_adding_twice_changes_nothing(file: Path, tmp_path: Path):
    workspace(file, "add", str(tmp_path))
    once = file.read_bytes()
    assert workspace(file, "add", f"{tmp_path}/") == 0
    assert file.read_bytes() == once


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[recall]\ntop_k = 4\n",
        "workspaces = []\n[recall]\n",
        "[[workspaces]]\npath = '/a'\n[recall]\ntop_k = 3\n",
        "workspaces = [{path = '/a', wiki = ['kb/**']}]\n",
    ],
)
def test_a_folder_is_added_whatever_form_the_list_has(tmp_path: Path, text: str, capsys):
    file = tmp_path / "config.toml"
    file.write_text(text, encoding="utf-8")
    assert workspace(file, "add", str(tmp_path)) == 0
    capsys.readouterr()
    assert workspace(file, "list", "--json") == 0
    entries = json.loads(capsys.readouterr().out)["workspaces"]
    assert entries == [*(["/a"] if "/a" in text else []), str(tmp_path)]
    assert workspace(file, "remove", str(tmp_path)) == 0
    before = {"workspaces": [], **tomllib.loads(text)}
    assert tomllib.loads(file.read_text(encoding="utf-8")) == before


def test_a_file_reached_through_a_link_is_edited_where_it_lies(file: Path, tmp_path: Path):
    link = tmp_path / "link.toml"
    link.symlink_to(file)
    file.chmod(0o640)
    assert workspace(link, "add", str(tmp_path)) == 0
    assert link.is_symlink()
    assert str(tmp_path) in file.read_text(encoding="utf-8")
    assert file.stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["add", "/nonexistent/notes"], 1, "not a folder"),
        (["remove", "/nonexistent/notes"], 1, "not in the list"),
    ],
)
def test_a_folder_that_is_not_there_is_refused(file: Path, capsys, arguments, code, says):
    assert workspace(file, *arguments) == code
    assert says in capsys.readouterr().err
    assert file.read_text(encoding="utf-8") == COMMENTED


def test_a_broken_file_is_not_touched(tmp_path: Path, capsys):
    file = tmp_path / "config.toml"
    file.write_text("[recall]\ntopk = 4\n", encoding="utf-8")
    assert workspace(file, "add", str(tmp_path)) == 78
    assert "did you mean top_k?" in capsys.readouterr().err
    assert file.read_text(encoding="utf-8") == "[recall]\ntopk = 4\n"


def test_a_running_daemon_is_told_to_reload(file: Path, tmp_path: Path, capsys):
    with scripted_daemon(tmp_path / "s", {}) as daemon:
        arguments = ["--config", str(file), "--socket", str(daemon.path)]
        assert run(["workspace", "add", str(tmp_path), *arguments]) == 0
        assert len(daemon.seen("config.reload")) == 1
    assert "reloaded" in capsys.readouterr().out


def test_a_daemon_that_cannot_reload_is_reported_after_the_edit(file: Path, tmp_path: Path, capsys):
    error: dict[str, object] = {"error": {"code": -32005, "message": "broken elsewhere"}}
    with scripted_daemon(tmp_path / "s", {"config.reload": error}) as daemon:
        arguments = ["--config", str(file), "--socket", str(daemon.path)]
        assert run(["workspace", "add", str(tmp_path), *arguments]) == 1
    assert "broken elsewhere" in capsys.readouterr().err
    assert str(tmp_path) in file.read_text(encoding="utf-8")


@pytest.mark.parametrize("folder", ["/", "~", "{home}", "{home}/..", "{home}/../*"])
def test_a_folder_that_holds_the_whole_home_is_refused_unless_forced(
    file: Path, tmp_path: Path, monkeypatch, capsys, folder: str
):
    home = tmp_path / "people" / "maya"
    home.mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    folder = folder.format(home=home)
    assert workspace(file, "add", folder) == 1
    assert "--force" in capsys.readouterr().err
    assert file.read_text(encoding="utf-8") == COMMENTED
    assert workspace(file, "add", "--force", folder) == 0
    assert file.read_text(encoding="utf-8") != COMMENTED


def test_a_glob_that_matches_nothing_is_added_with_a_warning(file: Path, tmp_path: Path, capsys):
    pattern = f"{tmp_path}/nothing-here-*"
    assert workspace(file, "add", pattern) == 0
    assert f"warning: {pattern} matches no folder" in capsys.readouterr().err
    assert pattern in file.read_text(encoding="utf-8")
