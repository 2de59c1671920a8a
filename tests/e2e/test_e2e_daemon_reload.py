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


def test_a_refused_reload_is_counted_and_told_until_a_good_one(tmp_path):
    home = tmp_path / "home"
    with running(home, config=NO_ENGINE) as daemon:
        before = daemon.call("status")
        (home / "config.toml").write_text(NO_ENGINE + "[recall]\ntopk = 3\n", encoding="utf-8")
        with daemon.peer() as peer:
            error = peer.ask("config.reload")["error"]
        refused = daemon.call("status")
        (home / "config.toml").write_text(NO_ENGINE, encoding="utf-8")
        daemon.call("config.reload")
        after = daemon.call("status")
    assert before["parts"]["config"] == {"state": "ok", "file": str(home / "config.toml")}
    assert refused["counters"]["config.refused"] == 1
    part = refused["parts"]["config"]
    assert part["state"] == "degraded"
    assert part["problem"] == error["message"]
    assert "recall.topk: unknown key, did you mean top_k?" in part["problem"]
    assert part["refused_at"].endswith("+00:00")
    assert any(why.startswith("config: the last reload was refused") for why in refused["degraded"])
    assert after["parts"]["config"] == before["parts"]["config"]
    assert not any(why.startswith("config:") for why in after["degraded"])


def test_a_reloaded_trace_file_is_never_memory(tmp_path):
    home, notes = tmp_path / "home", tmp_path / "notes"
    (notes / "memory").mkdir(parents=True)
    (notes / "memory" / "asked.md").write_text("the turbine was asked about\n", encoding="utf-8")
    config = f'workspaces = ["{notes}"]\n' + NO_ENGINE
    with running(home, config=config) as daemon:
        assert daemon.call("index.sync")["files"] == 1
        moved = config + '[trace]\nfile = "memory/asked.md"\n'
        (home / "config.toml").write_text(moved, encoding="utf-8")
        daemon.call("config.reload")
        assert daemon.call("index.sync")["files"] == 0
        assert daemon.call("search", query="turbine")["hits"] == []


def test_a_folder_nobody_configured_is_told_of_and_is_no_error(tmp_path):
    notes = tmp_path / "notes"
    notes.mkdir()
    with running(tmp_path / "home", workspaces=[notes], config=NO_ENGINE) as daemon:
        elsewhere = str(tmp_path / "elsewhere")
        told = daemon.call("index.sync", workspace=elsewhere)
        assert told["skipped"] == [{"path": elsewhere, "why": "not a configured workspace"}]
        assert (told["files"], told["chunks"], told["added"]) == (0, 0, 0)
        assert daemon.call("index.status", workspace=elsewhere)["workspaces"] == []
