"""OpenClaw gets our plugin and its permission, unless that would be in vain or do harm."""

from pathlib import Path

import pytest

from recalld.errors import Refused
from recalld.install.hooks import values
from recalld.install.scan import Number, Value
from support.install_home import Home, laid

PLUGIN = "/opt/rec alld/lib/recalld/openclaw"
ENTRY: Value = {"enabled": True, "hooks": {"allowConversationAccess": True}}


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(root=tmp_path)


def installed(home: Home, text: str) -> Value:
    file = laid(home, "openclaw", text)
    home.run("openclaw")
    found = values(file.read_text(encoding="utf-8"))
    assert isinstance(found, dict)
    return found["plugins"]


def test_an_empty_file_gets_the_folder_and_the_permission_and_no_list_of_the_allowed(home: Home):
    # Without a list every plugin may load; one of ours alone would shut out the user's others.
    assert installed(home, "{}") == {"load": {"paths": [PLUGIN]}, "entries": {"recalld": ENTRY}}


@pytest.mark.parametrize(
    ("allow", "wanted"),
    [
        ("['telegram']", ["telegram", "recalld"]),
        ("['telegram', ' Recalld ']", ["telegram", " Recalld "]),
        ("[]", []),
    ],
)
def test_a_list_of_the_allowed_gets_us_too(home: Home, allow: str, wanted: list[str]):
    found = installed(home, f"{{ plugins: {{ allow: {allow} }} }}")
    assert isinstance(found, dict)
    assert found["allow"] == wanted


def test_what_the_user_set_for_us_stays_but_for_what_we_need(home: Home):
    text = """{ plugins: { entries: { recalld: {
        enabled: false, config: { socketPath: '~/s' }, hooks: { timeoutMs: 900 },
    } } } }"""
    found = installed(home, text)
    assert isinstance(found, dict)
    assert found["entries"] == {
        "recalld": {
            "enabled": True,
            "config": {"socketPath": "~/s"},
            "hooks": {"timeoutMs": Number("900"), "allowConversationAccess": True},
        }
    }
    file = home.settings("openclaw")
    file.write_text(file.read_text(encoding="utf-8") + "// later\n", encoding="utf-8")
    home.run("openclaw", uninstall=True)
    assert values(file.read_text(encoding="utf-8")) == values(text)


def test_a_folder_of_an_older_installation_is_replaced_and_others_stay(home: Home):
    text = "{plugins: {load: {paths: ['~/mine', '/old/recalld/openclaw/', '/x/recalld/openclaw']}}}"
    found = installed(home, text)
    assert isinstance(found, dict)
    assert found["load"] == {"paths": ["~/mine", PLUGIN]}


RIVAL = "'active-memory': {enabled: true%s}"


@pytest.mark.parametrize(
    ("plugins", "complaint"),
    [
        (f"entries: {{{RIVAL % ''}}}", r"plugins\.entries\.active-memory\.enabled is true"),
        (f"entries: {{{RIVAL % ', config: {enabled: true}'}}}", "active-memory.enabled is true"),
        (f"allow: ['Active-Memory'], entries: {{{RIVAL % ''}}}", "active-memory.enabled is true"),
        ("enabled: false", r"plugins\.enabled is false"),
        ("deny: ['x', 'Recalld']", r"plugins\.deny names recalld"),
        ("entries: []", r"plugins\.entries is a list, expected an object"),
        ("allow: 'all'", r"plugins\.allow is a string, expected a list"),
        ("load: {paths: {}}", r"plugins\.load\.paths is an object, expected a list"),
    ],
)
def test_it_is_refused_by_key_and_nothing_changes(home: Home, plugins: str, complaint: str):
    file = laid(home, "openclaw", f"{{ plugins: {{ {plugins} }} }}")
    before = file.read_bytes()
    with pytest.raises(Refused, match=complaint):
        home.run("openclaw")
    assert file.read_bytes() == before


@pytest.mark.parametrize(
    "plugins",
    [
        "entries: {'active-memory': {enabled: false}}",
        "entries: {'active-memory': {config: {agents: ['main']}}}",
        f"entries: {{{RIVAL % ', config: {enabled: false}'}}}",
        f"deny: ['active-memory'], entries: {{{RIVAL % ''}}}",
        f"allow: ['telegram'], entries: {{{RIVAL % ''}}}",
    ],
)
def test_a_rival_that_is_switched_off_is_none(home: Home, plugins: str):
    found = installed(home, f"{{ plugins: {{ {plugins} }} }}")
    assert isinstance(found, dict)
    assert isinstance(found["entries"], dict)
    assert found["entries"]["recalld"] == ENTRY


def test_uninstalling_is_not_refused_for_a_rival_that_came_later(home: Home):
    file = laid(home, "openclaw", "{}")
    home.run("openclaw")
    text = file.read_text(encoding="utf-8")
    rival = text.replace('"entries": {', '"entries": {' + RIVAL % "" + ",", 1)
    file.write_text(rival, encoding="utf-8")
    with pytest.raises(Refused, match="active-memory"):
        home.run("openclaw")
    home.run("openclaw", uninstall=True)
    assert values(file.read_text(encoding="utf-8")) == values(
        f"{{plugins: {{entries: {{{RIVAL % ''}}}}}}}"
    )


def test_what_is_included_counts_and_is_not_edited(home: Home):
    file = laid(home, "openclaw", "{ plugins: { $include: './parts/plugins.json5' } }")
    parts = file.parent / "parts"
    parts.mkdir()
    (parts / "plugins.json5").write_text("{ $include: ['a.json5', 'b.json5'] }", encoding="utf-8")
    (parts / "a.json5").write_text("{ allow: ['telegram'] /* mine */ }", encoding="utf-8")
    (parts / "b.json5").write_text("{ allow: ['discord'], entries: {} }", encoding="utf-8")
    home.run("openclaw")
    found = values(file.read_text(encoding="utf-8"))
    assert isinstance(found, dict)
    assert found["plugins"] == {
        "$include": "./parts/plugins.json5",
        "load": {"paths": [PLUGIN]},
        "allow": ["recalld"],
        "entries": {"recalld": ENTRY},
    }
    home.run("openclaw", uninstall=True)
    (parts / "b.json5").write_text(f"{{ entries: {{{RIVAL % ''}}} , allow: ['active-memory'] }}")
    with pytest.raises(Refused, match=r"active-memory\.enabled is true"):
        home.run("openclaw")


@pytest.mark.parametrize(
    ("include", "complaint"),
    [
        ("'missing.json5'", r"\$include missing\.json5: .*missing\.json5 cannot be read"),
        ("['loop.json5']", "more than 10 deep"),
        ("'broken.json5'", r"\$include broken\.json5: .*line 1, column 2"),
        ("3", r"\$include names something that is no file"),
    ],
)
def test_an_include_that_cannot_be_used_is_named(home: Home, include: str, complaint: str):
    file = laid(home, "openclaw", f"{{ plugins: {{ $include: {include} }} }}")
    (file.parent / "loop.json5").write_text("{$include: 'loop.json5'}", encoding="utf-8")
    (file.parent / "broken.json5").write_text("{,}", encoding="utf-8")
    with pytest.raises(Refused, match=complaint):
        home.run("openclaw")


@pytest.mark.parametrize(
    ("environ", "file"),
    [
        ({}, ".openclaw/openclaw.json"),
        ({"OPENCLAW_STATE_DIR": "~/oc"}, "oc/openclaw.json"),
        ({"OPENCLAW_HOME": "{root}/other"}, "other/.openclaw/openclaw.json"),
        ({"OPENCLAW_CONFIG_PATH": " ~/my.json5 ", "OPENCLAW_STATE_DIR": "/nowhere"}, "my.json5"),
    ],
)
def test_the_file_is_the_one_that_openclaw_reads(tmp_path: Path, environ, file: str):
    given = {name: value.format(root=tmp_path) for name, value in environ.items()}
    home = Home(root=tmp_path, environ=given)
    home.run("openclaw")
    assert (tmp_path / file).is_file()
    assert home.warnings() == [
        "there was no openclaw.json; run 'openclaw onboard' if OpenClaw is new here"
    ]


def test_a_new_file_is_not_laid_over_settings_of_an_older_name(home: Home):
    (home.root / ".clawdbot").mkdir()
    with pytest.raises(Refused, match=r"may lie in .*\.clawdbot"):
        home.run("openclaw")


def test_a_ban_on_prompts_is_said(home: Home):
    installed(home, "{plugins: {entries: {recalld: {hooks: {allowPromptInjection: false}}}}}")
    (told,) = home.warnings()
    assert told.startswith("plugins.entries.recalld.hooks.allowPromptInjection is false")
