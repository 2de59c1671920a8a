"""Hooks in a settings file: ours are found, kept up to date and told from everybody else's."""

import json

import pytest

from recalld.errors import Refused
from recalld.install.hooks import command_of, with_hooks, without_hooks
from recalld.install.model import Before
from recalld.install.targets import claude_code, codex
from support.install_home import Home, laid

COMMAND = "/bin/recalld-hook claude-code"
STOP = {"Stop": 5}


def handler(command: str, **more: object) -> dict[str, object]:
    return {"type": "command", "command": command, **more}


def installed(hooks: object, timeouts: dict[str, int] | None = None) -> object:
    text = json.dumps({"hooks": hooks})
    merged = with_hooks(text, host="claude-code", command=COMMAND, timeouts=timeouts or STOP)
    found = json.loads(merged.text or "")["hooks"]
    again = with_hooks(merged.text, host="claude-code", command=COMMAND, timeouts=timeouts or STOP)
    assert again.text == merged.text
    return found


def left(hooks: object, before: Before | None = None) -> object:
    text = without_hooks(json.dumps({"hooks": hooks}), before, host="claude-code").text
    return json.loads(text or "")


OURS = handler(COMMAND, timeout=5)


@pytest.mark.parametrize(
    ("hooks", "wanted"),
    [
        ({}, {"Stop": [{"hooks": [OURS]}]}),
        ({"Stop": []}, {"Stop": [{"hooks": [OURS]}]}),
        # An installation that moved: in place, with what its user set.
        (
            {
                "Stop": [
                    {"matcher": "x", "hooks": [handler("/old/recalld-hook claude-code", timeout=2)]}
                ]
            },
            {"Stop": [{"matcher": "x", "hooks": [handler(COMMAND, timeout=2)]}]},
        ),
        (
            {"Stop": [{"hooks": [handler("recalld-hook claude-code")]}]},
            {"Stop": [{"hooks": [handler(COMMAND)]}]},
        ),
        # Twice for the same occasions: once. For other occasions: both.
        ({"Stop": [{"hooks": [OURS]}, {"hooks": [OURS]}]}, {"Stop": [{"hooks": [OURS]}]}),
        (
            {"Stop": [{"hooks": [OURS, OURS, handler("say")]}]},
            {"Stop": [{"hooks": [OURS, handler("say")]}]},
        ),
        (
            {"Stop": [{"matcher": "a", "hooks": [OURS]}, {"matcher": "b", "hooks": [OURS]}]},
            {"Stop": [{"matcher": "a", "hooks": [OURS]}, {"matcher": "b", "hooks": [OURS]}]},
        ),
        # An event that is ours no more.
        ({"Old": [{"hooks": [OURS]}]}, {"Stop": [{"hooks": [OURS]}]}),
        (
            {"Old": [{"hooks": [OURS, handler("say")]}]},
            {"Old": [{"hooks": [handler("say")]}], "Stop": [{"hooks": [OURS]}]},
        ),
        # Dressed up by a person: it counts, and is not touched.
        *(
            ({"Stop": [{"hooks": [dressed]}]}, {"Stop": [{"hooks": [dressed]}]})
            for dressed in (
                handler("RECALLD_SOCKET=/s '/o d/recalld-hook' claude-code"),
                handler("/old/recalld-hook claude-code 2>/dev/null"),
                handler("/old/recalld-hook", args=["claude-code"]),
            )
        ),
        # Somebody else's, whatever it is called.
        *(
            ({"Stop": [{"hooks": [other]}]}, {"Stop": [{"hooks": [other]}, {"hooks": [OURS]}]})
            for other in (
                handler("recalld-hook codex"),
                handler("my-recalld-hook claude-code"),
                handler("echo 'unbalanced"),
                {"type": "prompt", "prompt": "recalld-hook claude-code"},
                {"type": "command", "command": ["recalld-hook", "claude-code"]},
                "recalld-hook claude-code",
            )
        ),
        (
            {"Stop": [{"hooks": "x"}, 3, None]},
            {"Stop": [{"hooks": "x"}, 3, None, {"hooks": [OURS]}]},
        ),
    ],
)
def test_each_event_runs_our_hook_once(hooks: object, wanted: object):
    assert installed(hooks) == wanted


@pytest.mark.parametrize(
    ("hooks", "before", "wanted"),
    [
        ({"Stop": [{"hooks": [OURS]}]}, None, {}),
        ({"Stop": [{"hooks": [OURS]}]}, {"hooks": {}}, {"hooks": {}}),
        ({"Stop": [{"hooks": [OURS]}]}, {"hooks": {"Stop": []}}, {"hooks": {"Stop": []}}),
        (
            {"Stop": [{"hooks": [OURS]}, {"hooks": []}], "Other": []},
            None,
            {"hooks": {"Stop": [{"hooks": []}], "Other": []}},
        ),
        (
            {"Stop": [{"matcher": "", "hooks": [handler("say"), OURS]}]},
            None,
            {"hooks": {"Stop": [{"matcher": "", "hooks": [handler("say")]}]}},
        ),
        (
            {"Stop": [{"hooks": [OURS], "own": 1}]},
            None,
            {"hooks": {"Stop": [{"hooks": [], "own": 1}]}},
        ),
        (
            {
                "Stop": [{"hooks": [handler("/x/recalld-hook claude-code")]}],
                "Old": [{"hooks": [OURS]}],
            },
            None,
            {},
        ),
        ({"Stop": "x"}, None, {"hooks": {"Stop": "x"}}),
    ],
)
def test_only_what_is_ours_leaves(hooks: object, before: object, wanted: object):
    known = None if before is None else Before(text=json.dumps(before))
    assert left(hooks, known) == wanted


def test_what_a_person_dressed_up_stays_and_is_named():
    text = json.dumps({"hooks": {"Stop": [{"hooks": [handler("nice recalld-hook claude-code")]}]}})
    merged = without_hooks(text, None, host="claude-code")
    assert merged.text == text
    assert merged.warnings == ("hooks.Stop runs recalld-hook in a way of your own; it stays",)


@pytest.mark.parametrize(
    ("hooks", "complaint"),
    [
        ([], "hooks is a list, expected an object"),
        (None, "hooks is null, expected an object"),
        ({"Stop": {}}, "hooks.Stop is an object, expected a list"),
    ],
)
def test_hooks_of_another_kind_are_refused_by_name(hooks: object, complaint: str):
    with pytest.raises(Refused, match=complaint):
        installed(hooks)


def test_a_path_is_quoted_for_the_shell():
    assert command_of("/a b/it's/recalld-hook", "codex") == "'/a b/it'\"'\"'s/recalld-hook' codex"


def test_claude_code_gets_each_of_its_events_with_a_short_timeout(tmp_path):
    home = Home(root=tmp_path)
    home.run("claude-code")
    hooks = json.loads(home.settings("claude-code").read_text(encoding="utf-8"))["hooks"]
    command = "'/opt/rec alld/bin/recalld-hook' claude-code"
    assert hooks == {
        event: [{"hooks": [handler(command, timeout=5)]}]
        for event in (
            *("SessionStart", "UserPromptSubmit", "PreCompact", "PostCompact"),
            *("Stop", "SubagentStop", "SessionEnd"),
        )
    }


@pytest.mark.parametrize(
    ("version", "missing"),
    [
        (None, set()),
        ((2, 1, 76), set()),
        ((2, 1, 75), {"PostCompact"}),
        ((1, 0, 84), {"PostCompact", "SessionEnd"}),
    ],
)
def test_an_event_that_an_old_claude_code_would_choke_on_is_left_out(tmp_path, version, missing):
    home = Home(root=tmp_path)
    home.run("claude-code")
    if version is not None:
        home.versions = {"claude": version}
    home.run("claude-code")
    hooks = json.loads(home.settings("claude-code").read_text(encoding="utf-8"))["hooks"]
    assert set(claude_code.EVENTS) - set(hooks) == missing
    assert {told.split()[0] for told in home.warnings()} == missing


def test_codex_gets_its_events_and_no_timeout_that_it_would_cut(tmp_path):
    home = Home(root=tmp_path)
    home.run("codex")
    found = json.loads(home.settings("codex").read_text(encoding="utf-8"))
    assert set(found) == {"hooks"}
    timeouts = {event: groups[0]["hooks"][0]["timeout"] for event, groups in found["hooks"].items()}
    assert timeouts == codex.TIMEOUTS
    assert timeouts["SessionEnd"] == 3
    assert all("matcher" not in groups[0] for groups in found["hooks"].values())
    assert home.warnings() == []


@pytest.mark.parametrize(
    ("name", "text", "warning"),
    [
        ("claude-code", '{"disableAllHooks": true}', "disableAllHooks is true"),
        ("claude-code", "{\n  // mine\n}", "line 2, column 3 is no plain JSON"),
        ("claude-code", '\ufeff{"a": 1,}', "is no plain JSON"),
        ("codex", "\ufeff{}", "line 1, column 1 is no plain JSON"),
        ("codex", '{"$schema": "x"}', "$schema: Codex takes no hooks from a file with this key"),
    ],
)
def test_what_keeps_hooks_from_running_is_said(tmp_path, name: str, text: str, warning: str):
    home = Home(root=tmp_path)
    laid(home, name, text)
    home.run(name)
    (told,) = home.warnings()
    assert warning in told


def test_a_switch_in_the_codex_configuration_is_said(tmp_path):
    home = Home(root=tmp_path, environ={"CODEX_HOME": str(tmp_path / "cx")})
    (tmp_path / "cx").mkdir()
    config = tmp_path / "cx" / "config.toml"
    config.write_text("[features]\nhooks = false\n", encoding="utf-8")
    home.run("codex")
    assert (tmp_path / "cx" / "hooks.json").is_file()
    assert home.warnings() == ["features.hooks is false in config.toml: Codex runs no hooks"]
    config.write_text("not [ toml", encoding="utf-8")
    home.run("codex")
    assert home.warnings() == []
