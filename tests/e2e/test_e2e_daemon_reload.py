"""A reload that fails late leaves everything as it was."""

import os

from support.daemon import running

NO_ENGINE = '[embed]\nengine = "none"\n'


def test_a_reload_refused_for_a_folders_name_changes_no_setting(tmp_path):
    home, notes = tmp_path / "home", tmp_path / "notes"
    notes.mkdir()
    (tmp_path / "link").symlink_to(os.fsdecode(os.fsencode(tmp_path) + b"/\xff"))
    good = f'workspaces = ["{notes}"]\n'
    bad = f'workspaces = ["{tmp_path}/link"]\n[recall]\nenabled = false\n'
    with running(home, config=good + NO_ENGINE) as daemon:
        (home / "config.toml").write_text(bad + NO_ENGINE, encoding="utf-8")
        with daemon.peer() as peer:
            error = peer.ask("config.reload")["error"]
            told = peer.result("session.prompt", session={"key": "s"}, text="hello")
            (home / "config.toml").write_text(good + NO_ENGINE, encoding="utf-8")
            changed = peer.result("config.reload")["changed"]
    assert (error["code"], error["data"]["key"]) == (-32005, "workspaces")
    assert told["status"] == "skipped_not_needed"
    assert changed == []
