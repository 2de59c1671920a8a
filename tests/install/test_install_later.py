"""What is installed stays right while users, hosts and installations go on changing."""

import json
from pathlib import Path

import pytest

from recalld.install.flow import Change
from support.install_home import ALL_TARGETS, JSON_TARGETS, RICH, Home, laid


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(root=tmp_path)


@pytest.mark.parametrize("name", JSON_TARGETS)
def test_what_the_user_changed_since_stays_when_we_leave(home: Home, name: str):
    file = laid(home, name, RICH[name])
    home.run(name)
    text = file.read_text(encoding="utf-8")
    first = text.index("{") + 1
    changed = text[:first] + '\n  "description": "new", ' + text[first:]
    changed = changed.replace('"description": "mine",', "", 1)
    file.write_text(changed, encoding="utf-8")
    home.run(name, uninstall=True)
    left = file.read_text(encoding="utf-8")
    wanted = RICH[name][:first] + '\n  "description": "new", ' + RICH[name][first:]
    assert left == wanted.replace('"description": "mine",', "", 1)


@pytest.mark.parametrize("name", JSON_TARGETS)
def test_a_file_of_ours_that_the_user_filled_stays_with_what_is_theirs(home: Home, name: str):
    home.run(name)
    file = home.settings(name)
    text = file.read_text(encoding="utf-8")
    file.write_text(text[:1] + '\n  "theirs": 1,' + text[1:], encoding="utf-8")
    assert home.run(name, uninstall=True) == [Change.CHANGED]
    assert json.loads(file.read_text(encoding="utf-8")) == {"theirs": 1}


@pytest.mark.parametrize("name", JSON_TARGETS)
def test_a_file_of_ours_that_a_host_rewrote_goes_whole(home: Home, name: str):
    home.run(name)
    file = home.settings(name)
    file.write_text(json.dumps(json.loads(file.read_text(encoding="utf-8"))), encoding="utf-8")
    assert home.run(name, uninstall=True) == [Change.REMOVED]
    assert not file.parent.exists()


@pytest.mark.parametrize("name", ALL_TARGETS)
def test_without_the_record_our_part_still_leaves(home: Home, name: str):
    file = laid(home, name, RICH[name])
    home.run(name)
    for record in (home.root / "state" / "install").iterdir():
        record.write_text("not a record", encoding="utf-8")
    if name == "systemd":
        assert home.run(name, uninstall=True) == [Change.NONE, Change.REMOVED]
        assert home.warnings() == ["the unit is not as it was installed; it stays"]
        return
    home.run(name, uninstall=True)
    assert file.read_text(encoding="utf-8") == RICH[name]


@pytest.mark.parametrize("name", ALL_TARGETS)
def test_an_installation_that_moved_is_brought_up_to_date(home: Home, name: str):
    file = laid(home, name, RICH[name])
    home.run(name)
    first = file.read_text(encoding="utf-8")
    moved = Home(root=home.root, hook="/new/bin/recalld-hook", plugin="/new/recalld/openclaw")
    changes = moved.run(name)
    if name == "systemd":
        assert set(changes) == {Change.NONE}
        return
    assert changes == [Change.CHANGED]
    old, new = (
        (home.plugin, moved.plugin)
        if name == "openclaw"
        else ("'" + str(home.hook) + "'", moved.hook)
    )
    assert file.read_text(encoding="utf-8") == first.replace(str(old), str(new))
    moved.run(name, uninstall=True)
    assert file.read_text(encoding="utf-8") == RICH[name]


@pytest.mark.parametrize("name", JSON_TARGETS)
def test_a_file_that_was_changed_before_a_second_install_comes_back_as_it_then_was(home, name):
    file = laid(home, name, RICH[name])
    home.run(name)
    text = file.read_text(encoding="utf-8") + "\n\n"
    file.write_text(text, encoding="utf-8")
    moved = Home(root=home.root, hook="/new/bin/recalld-hook", plugin="/new/recalld/openclaw")
    moved.run(name)
    moved.run(name, uninstall=True)
    assert file.read_text(encoding="utf-8") == RICH[name] + "\n\n"
