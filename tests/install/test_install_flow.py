"""Install and uninstall keep what is the user's, to the byte, whatever state the file is in."""

import json
import os
import stat
from pathlib import Path

import pytest

from recalld.errors import Refused
from recalld.install.flow import Change
from support.install_home import ALL_TARGETS, JSON_TARGETS, RICH, Home, laid, ours_in, snapshot

COMMENTED = {
    "claude-code": '// mine\n{\n  "model": "opus", // the big one\n  /* later: hooks */\n}\n',
    "codex": "{\r\n  // none yet\r\n}\r\n",
    "openclaw": "\ufeff/* head */ {\n  // plugins come here\n  agents: {}, // none\n}\n// tail",
    "systemd": "# mine\n[Service]\nExecStart=/usr/bin/recalld serve # not a comment to systemd\n",
}
BROKEN = {
    "claude-code": (
        '{\n  "a": 1\n  "b": 2\n}\n',
        "line 3, column 3: expected ',' or '}', found '\"b\"'",
    ),
    "codex": ('{"hooks": {"Stop": [}}', "line 1, column 21: expected a value, found '}'"),
    "openclaw": ("{ plugins: { allow: ['a' }", "line 1, column 26: expected ',' or ']', found '}'"),
    "systemd": ("[Service]\nExecStart=/bin/false\n", "no ExecStart runs recalld"),
}


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(root=tmp_path)


@pytest.mark.parametrize("name", ALL_TARGETS)
def test_a_file_that_is_absent_is_made_and_removed_again(home: Home, name: str):
    file = home.settings(name)
    assert set(home.run(name)) == {Change.CREATED}
    assert ours_in(home, name, file)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    once = snapshot(home.root)
    assert set(home.run(name)) == {Change.NONE}
    assert snapshot(home.root) == once
    assert set(home.run(name, uninstall=True)) == {Change.REMOVED}
    assert [path.name for path in home.root.iterdir()] == ["state"]
    assert list((home.root / "state" / "install").iterdir()) == []
    assert set(home.run(name, uninstall=True)) == {Change.NONE}


@pytest.mark.parametrize("name", ALL_TARGETS)
@pytest.mark.parametrize("texts", [RICH, COMMENTED, None], ids=["rich", "commented", "empty"])
def test_a_file_that_is_there_comes_back_to_the_byte(home: Home, name: str, texts):
    if texts is None and name == "systemd":
        laid(home, name, "")
        with pytest.raises(Refused, match="no ExecStart"):
            home.run(name)
        return
    text = "" if texts is None else texts[name]
    file = laid(home, name, text)
    before = snapshot(home.root)
    home.run(name, dry_run=True)
    assert snapshot(home.root) == before
    assert Change.CHANGED in home.run(name)
    assert ours_in(home, name, file)
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    once = snapshot(home.root)
    assert set(home.run(name)) == {Change.NONE}
    assert snapshot(home.root) == once
    home.run(name, uninstall=True)
    assert file.read_bytes() == text.encode()
    assert stat.S_IMODE(file.stat().st_mode) == 0o640


@pytest.mark.parametrize("name", ALL_TARGETS)
@pytest.mark.parametrize("uninstall", [False, True])
def test_a_broken_file_is_named_and_nothing_changes(home: Home, name: str, uninstall: bool):
    text, complaint = BROKEN[name]
    file = laid(home, name, text)
    before = snapshot(home.root / SETTINGS_FOLDER[name])
    if uninstall and name == "systemd":
        assert Change.NONE in home.run(name, uninstall=True)
        assert home.warnings() == ["the unit is not as it was installed; it stays"]
        return
    with pytest.raises(Refused) as refused:
        home.run(name, uninstall=uninstall)
    assert str(refused.value).startswith(f"{file}: ")
    assert complaint in str(refused.value)
    assert "nothing was changed" in str(refused.value)
    assert snapshot(home.root / SETTINGS_FOLDER[name]) == before


SETTINGS_FOLDER = {
    "claude-code": ".claude",
    "codex": ".codex",
    "openclaw": ".openclaw",
    "systemd": ".config",
}


@pytest.mark.parametrize("name", ALL_TARGETS)
def test_a_file_behind_links_is_written_where_it_lies(home: Home, name: str):
    real = home.root / "dotfiles" / "deep" / "file"
    real.parent.mkdir(parents=True)
    real.write_text(RICH[name], encoding="utf-8")
    middle = home.root / "middle"
    middle.symlink_to("dotfiles/deep/file")
    file = home.settings(name)
    file.parent.mkdir(parents=True)
    file.symlink_to(middle)
    home.run(name)
    assert file.is_symlink()
    assert middle.is_symlink()
    assert ours_in(home, name, real)
    assert str(home.shown[0].found.real) == str(real)
    home.run(name, uninstall=True)
    assert file.is_symlink()
    assert real.read_text(encoding="utf-8") == RICH[name]


@pytest.mark.parametrize("name", JSON_TARGETS)
def test_a_link_to_nothing_gets_its_file_and_loses_it_again(home: Home, name: str):
    file = home.settings(name)
    file.parent.mkdir(parents=True)
    file.symlink_to(home.root / "dotfiles" / "file")
    home.run(name)
    assert ours_in(home, name, home.root / "dotfiles" / "file")
    home.run(name, uninstall=True)
    assert file.is_symlink()
    assert not (home.root / "dotfiles").exists()


@pytest.mark.parametrize("name", ALL_TARGETS)
def test_a_read_only_file_is_refused_by_name(home: Home, name: str):
    file = laid(home, name, RICH[name])
    file.chmod(0o444)
    before = snapshot(file.parent)
    for dry_run in (True, False):
        with pytest.raises(Refused, match=r"is read-only; nothing was changed"):
            home.run(name, dry_run=dry_run)
        # What would change is shown first.
        assert home.shown[0].diff().startswith(f"--- {file}\n+++ {file}\n")
    assert snapshot(file.parent) == before
    assert home.records.load(file) is None


@pytest.mark.parametrize("name", JSON_TARGETS)
def test_a_file_with_a_second_name_is_refused(home: Home, name: str):
    file = laid(home, name, RICH[name])
    os.link(file, home.root / "twin")
    with pytest.raises(Refused, match="hard link"):
        home.run(name)
    assert file.read_text(encoding="utf-8") == RICH[name]


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        (b'{"a": "\xff"}', "not UTF-8 at byte 7"),
        ('{"a": 1}'.encode("utf-16"), "not UTF-8 at byte 0"),
        (b'{"a": 1, "a": 2}', "the key a is given twice"),
        (b'["a"]', "the file holds a list, expected an object"),
        (b'{"hooks": [], "plugins": []}', "is a list, expected an object"),
        (
            b'{"hooks": {"Stop": {}}, "plugins": {"load": {"paths": {}}}}',
            "is an object, expected a",
        ),
        (b" " * (4 * 1024 * 1024 + 1), "over 4 MiB"),
    ],
)
@pytest.mark.parametrize("name", JSON_TARGETS)
def test_what_cannot_be_edited_is_refused_with_its_reason(home: Home, name, data, complaint):
    file = home.settings(name)
    file.parent.mkdir()
    file.write_bytes(data)
    with pytest.raises(Refused, match=complaint):
        home.run(name)
    assert file.read_bytes() == data


def test_what_is_no_file_is_refused(home: Home):
    file = home.settings("codex")
    file.mkdir(parents=True)
    with pytest.raises(Refused, match="is no plain file"):
        home.run("codex")
    file.rmdir()
    os.mkfifo(file)
    with pytest.raises(Refused, match="is no plain file"):
        home.run("codex")
    file.unlink()
    file.symlink_to(file.name)
    with pytest.raises(Refused, match="is no plain file"):
        home.run("codex")


def test_a_big_file_is_edited_all_the_same(home: Home):
    lines = ",\n".join(f'  "k{n}": ["{"x" * 90}", {n}, true]' for n in range(2_500))
    text = "{\n" + lines + "\n}\n"
    assert len(text) > 250_000
    file = laid(home, "claude-code", text)
    home.run("claude-code")
    assert json.loads(file.read_text(encoding="utf-8"))["k2499"] == ["x" * 90, 2499, True]
    home.run("claude-code", uninstall=True)
    assert file.read_text(encoding="utf-8") == text


@pytest.mark.parametrize("name", JSON_TARGETS)
@pytest.mark.parametrize("uninstall", [False, True])
def test_a_file_that_changes_meanwhile_is_left_to_who_changed_it(home: Home, name, uninstall):
    file = laid(home, name, RICH[name])
    if uninstall:
        home.run(name)
    record = home.records.load(file)

    def somebody() -> None:
        file.write_text('{"theirs": 1}', encoding="utf-8")

    with pytest.raises(Refused, match="changed by somebody else just now; run this again"):
        home.run(name, uninstall=uninstall, at_rename=somebody)
    assert file.read_text(encoding="utf-8") == '{"theirs": 1}'
    assert home.records.load(file) == record
    assert [path.name for path in file.parent.iterdir()] == [file.name]


def test_a_file_that_appears_meanwhile_is_not_overwritten(home: Home):
    file = home.settings("claude-code")

    def somebody() -> None:
        file.write_bytes(b"{}")

    with pytest.raises(Refused, match="changed by somebody else"):
        home.run("claude-code", at_rename=somebody)
    assert file.read_bytes() == b"{}"


def test_of_two_files_both_are_written_or_none(home: Home):
    socket = home.settings("systemd").with_name("recalld.socket")
    calls = []

    def second() -> None:
        calls.append(1)
        if len(calls) == 2:
            socket.write_text("theirs", encoding="utf-8")

    with pytest.raises(Refused, match=r"recalld\.socket: was changed by somebody else"):
        home.run("systemd", at_rename=second)
    assert not home.settings("systemd").exists()
    assert socket.read_text(encoding="utf-8") == "theirs"
    assert list((home.root / "state" / "install").iterdir()) == []


@pytest.mark.parametrize("name", ALL_TARGETS)
def test_a_dry_run_writes_nothing_at_all(home: Home, name: str):
    home.run(name, dry_run=True)
    assert home.shown[0].change is Change.CREATED
    assert list(home.root.iterdir()) == []


def test_records_are_for_the_user_alone(home: Home):
    laid(home, "claude-code", RICH["claude-code"])
    home.run("claude-code")
    folder = home.root / "state" / "install"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert [stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()] == [0o600]


def test_a_part_that_is_missing_from_the_installation_is_named(home: Home):
    home.hook = home.plugin = None
    with pytest.raises(Refused, match="recalld-hook is not part of this installation"):
        home.run("claude-code")
    with pytest.raises(Refused, match="the OpenClaw plugin is not part of this installation"):
        home.run("openclaw")
