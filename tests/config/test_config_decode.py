"""What a configuration says when it is wrong, and what it takes when it is right."""

import json
from pathlib import Path

import msgspec
import pytest

from recalld.config import Config, Settings, differing, load, read, settle
from recalld.config_decode import convert, variable_of
from recalld.config_schema import leaves, type_at
from recalld.errors import BadConfig
from recalld.recall.policy import RESCUE_TIMEOUT_CAP_MS

NOWHERE = {"HOME": "/nonexistent"}

WRONG = [
    ("recall.serch_timeout_ms = 1", "recall.serch_timeout_ms", "did you mean search_timeout_ms?"),
    ("max_total_ms = 3000", "max_total_ms", "did you mean recall.max_total_ms?"),
    ("[recal]\nenabled = true", "recal", "did you mean recall?"),
    ("recall.max_total_ms = 'fast'", "recall.max_total_ms", "expected int from 500 to 60000, got"),
    ("recall.max_total_ms = 499", "recall.max_total_ms", "int from 500 to 60000, got 499"),
    ("recall.max_total_ms = 500.5", "recall.max_total_ms", "expected int"),
    ("recall.enabled = 1", "recall.enabled", "expected true or false, got 1"),
    ("recall.min_score = nan", "recall.min_score", "expected number from 0.0 to 1.0, got nan"),
    ("recall.min_score = true", "recall.min_score", "expected number"),
    ("recall.profile = 'fast'", "recall.profile", "expected one of 'balanced', 'deep', 'speed'"),
    ("recall.agents = ['main', 3]", "recall.agents[1]", "expected text"),
    ("recall.trigger.explicit_prefixes = ['']", "recall.trigger.explicit_prefixes[0]", "text of 1"),
    ("recall = 3", "recall", "expected table, got 3"),
    ("recall.expansion.endpoint = 'file:///x'", "recall.expansion.endpoint", "neither https nor"),
    ("recall.min_score = 0.7", "recall.quality_gate", "above the high raw score"),
    ("trace.file = '../x'", "trace.file", "leaves the workspace"),
    ("trace.file = 'memory/'", "trace.file", "names a folder"),
    ("workspaces = ['notes']", "workspaces", "neither absolute nor under ~"),
    ("workspaces = [{pth = '/x'}]", "workspaces[0].pth", "did you mean path?"),
    ("workspaces = [{path = '/x', wiki = ['a/**', '!']}]", "workspaces[0].wiki", "not a pattern"),
    ("workspaces = [7]", "workspaces[0]", "expected text"),
    ("[[subscribe]]\nsocket = '/x'", "subscribe[0].name", "missing"),
    ("[recall]\ntop_k = ", "{file}", "not valid TOML"),
]


@pytest.mark.parametrize(("text", "key", "problem"), WRONG)
def test_a_wrong_setting_is_refused_with_its_dotted_key(
    tmp_path: Path, text: str, key: str, problem: str
):
    file = tmp_path / "config.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(BadConfig) as caught:
        load(file, NOWHERE)
    assert caught.value.key == key.format(file=file)
    assert problem in caught.value.problem


def test_one_key_of_a_table_leaves_the_others_of_that_table_as_shipped():
    document = {"recall": {"strong_signal": {"sources": {"sessions": {"min_score": 0.95}}}}}
    sources = convert(document, Config).recall.strong_signal.sources
    assert (sources.sessions.min_score, sources.sessions.gap) == (0.95, 0.20)
    assert sources.memory == Config().recall.strong_signal.sources.memory


def test_a_long_wrong_value_is_cut_in_the_message():
    with pytest.raises(BadConfig) as caught:
        convert({"recall": {"profile": "x" * 10_000}}, Config)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"\xff\xfer\x00", "UTF-16"),
        (b"a = '\xe9'", "not UTF-8 at byte 5"),
        (b"a = " + b"[" * 3_000, "not valid TOML"),
        (b"#" * (1 << 20) + b"\n", "larger than"),
    ],
)
def test_a_file_that_is_no_toml_text_is_refused_by_name(tmp_path: Path, data: bytes, problem: str):
    file = tmp_path / "config.toml"
    file.write_bytes(data)
    with pytest.raises(BadConfig, match=problem) as caught:
        load(file, NOWHERE)
    assert caught.value.key == str(file)


@pytest.mark.parametrize("data", [b"", b"\n", b"\xef\xbb\xbf", b"# nothing\n"])
def test_an_empty_file_is_the_defaults(tmp_path: Path, data: bytes):
    file = tmp_path / "config.toml"
    file.write_bytes(data)
    assert load(file, NOWHERE) == Config()


def test_a_byte_order_mark_does_not_hide_the_first_key(tmp_path: Path):
    file = tmp_path / "config.toml"
    file.write_bytes(b"\xef\xbb\xbfrecall.top_k = 7\n")
    assert load(file, NOWHERE).recall.top_k == 7


def test_a_named_file_that_is_missing_or_a_directory_is_an_error(tmp_path: Path):
    with pytest.raises(BadConfig, match="no such file"):
        load(tmp_path / "absent.toml", NOWHERE)
    with pytest.raises(BadConfig, match="directory"):
        load(tmp_path, NOWHERE)
    with pytest.raises(BadConfig, match="no such file"):
        load(None, {"RECALLD_CONFIG": str(tmp_path / "absent.toml")})


def test_the_null_device_is_an_empty_file_and_the_zero_device_ends():
    assert load("/dev/null", NOWHERE) == Config()
    with pytest.raises(BadConfig, match="larger than"):
        load("/dev/zero", NOWHERE)


def test_the_file_is_the_named_one_else_the_variable_else_the_users(tmp_path: Path):
    files = {}
    for number, name in enumerate(("flag", "variable", "recalld/config"), start=4):
        files[name] = tmp_path / f"{name}.toml"
        files[name].parent.mkdir(exist_ok=True)
        files[name].write_text(f"recall.top_k = {number}", encoding="utf-8")
    environ = {"RECALLD_CONFIG": str(files["variable"]), "XDG_CONFIG_HOME": str(tmp_path)}
    assert load(files["flag"], environ).recall.top_k == 4
    assert load(None, environ).recall.top_k == 5
    del environ["RECALLD_CONFIG"]
    assert load(None, environ).recall.top_k == 6
    assert load(None, {"XDG_CONFIG_HOME": str(tmp_path / "recalld")}) == Config()
    assert load(None, {"HOME": str(tmp_path)}) == Config()


VARIABLES = [
    ("RECALLD_RECALL__MAX_TOTAL_MS", "3000", "recall.max_total_ms", 3000),
    ("RECALLD_RECALL__ENABLED", "false", "recall.enabled", False),
    ("RECALLD_RECALL__MIN_SCORE", "0.5", "recall.min_score", 0.5),
    ("RECALLD_RECALL__PROFILE", "deep", "recall.profile", "deep"),
    ("RECALLD_RECALL__EXPANSION__MODEL", "42", "recall.expansion.model", "42"),
    ("RECALLD_RECALL__INJECT_TOKEN_BUDGET", "600", "recall.inject_token_budget", 600),
    ("RECALLD_RECALL__AGENTS", '["a", "b"]', "recall.agents", ["a", "b"]),
    ("RECALLD_WORKSPACES", '["/notes", {path = "/code"}]', "workspaces", None),
    ("RECALLD_WORKSPACES", '["/notes", {"path": "/code"}]', "workspaces", None),
    ("RECALLD_RECALL", "{top_k = 4}", "recall.top_k", 4),
]


@pytest.mark.parametrize(("name", "text", "key", "value"), VARIABLES)
def test_a_variable_is_typed_by_the_key_it_sets(name: str, text: str, key: str, value: object):
    config = load(None, {**NOWHERE, name: text})
    assert differing(Config(), config) == (key,)
    here: object = msgspec.to_builtins(config)
    for part in key.split("."):
        assert isinstance(here, dict)
        here = here[part]
    if value is not None:
        assert here == value or here == tuple(value)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("RECALLD_RECALL__MAX_TOTAL_MS", "fast", "got 'fast' (from RECALLD_RECALL__MAX_TOTAL_MS)"),
        ("RECALLD_RECALL__AGENTS", "main", "expected list of text"),
        ("RECALLD_RECALL__TOP_K", "3\nprofile = 1", "expected int"),
        ("RECALLD_RECALL__TOPK", "3", "did you mean top_k? (from RECALLD_RECALL__TOPK)"),
        ("RECALLD_RECAL__TOP_K", "3", "did you mean recall.top_k?"),
        ("RECALLD_SERVER_SOCKET", "/x", "did you mean server.socket?"),
    ],
)
def test_a_wrong_variable_is_refused_by_name(name: str, text: str, says: str):
    with pytest.raises(BadConfig) as caught:
        load(None, {**NOWHERE, name: text})
    assert says in str(caught.value)


def test_an_unrelated_variable_is_a_warning_and_the_documented_ones_are_none():
    places = {"RECALLD_SOCKET": "/s", "RECALLD_STATE_DIR": "/d", "RECALLD_EVAL_DATA": "/e"}
    loaded = read(None, {**NOWHERE, **places, "RECALLD_FOO": "1"})
    assert loaded.config == Config()
    assert [warning.split(":")[0] for warning in loaded.warnings] == ["RECALLD_FOO"]


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("RECALLD_SOKET", "RECALLD_SOCKET"),
        ("RECALLD_CONFG", "RECALLD_CONFIG"),
        ("RECALLD_STATE_DIRR", "RECALLD_STATE_DIR"),
        ("RECALLD_FOO", None),
    ],
)
def test_a_misspelt_place_is_warned_about_with_the_right_name(name: str, near: str | None):
    (warning,) = read(None, {**NOWHERE, name: "/x"}).warnings
    assert (near is not None) == ("did you mean" in warning)
    assert near is None or near in warning


def test_the_command_line_wins_over_the_variable_which_wins_over_the_file(tmp_path: Path):
    file = tmp_path / "config.toml"
    file.write_text("recall.top_k = 4\nrecall.snippet_chars = 100", encoding="utf-8")
    environ = {"RECALLD_RECALL__TOP_K": "5", "RECALLD_RECALL__SNIPPET_CHARS": "120"}
    config = read(file, environ, overrides={"recall.top_k": 6}).config
    assert (config.recall.top_k, config.recall.snippet_chars) == (6, 120)


def test_every_key_has_a_variable_that_reaches_it():
    for key, field in leaves(Config):
        name = variable_of(key)
        assert type_at(Config, name.removeprefix("RECALLD_").lower().replace("__", ".")), key
        assert field.type is not None


def test_the_rescue_timeout_is_capped_with_a_warning():
    config = convert({"recall": {"expansion": {"timeout_ms": 9_000}}}, Config)
    settled, warnings = settle(config)
    assert settled.recall.expansion.timeout_ms == RESCUE_TIMEOUT_CAP_MS
    assert any("recall.expansion.timeout_ms" in warning for warning in warnings)
    assert settle(Config()) == (Config(), ())


def test_the_semantic_gate_is_accepted_and_called_compatibility_only():
    config = convert({"recall": {"semantic_gate": {"enabled": True}}}, Config)
    assert any("compatibility only" in warning for warning in settle(config)[1])


def test_a_reload_applies_everything_and_names_what_waits_for_a_restart(tmp_path: Path):
    file = tmp_path / "config.toml"
    file.write_text("", encoding="utf-8")
    settings = Settings(file, NOWHERE)
    file.write_text("recall.top_k = 5\nserver.socket = '/elsewhere'", encoding="utf-8")
    done = settings.adopt(settings.reread())
    assert settings.current.recall.top_k == 5
    assert set(done.changed) == {"recall.top_k", "server.socket"}
    assert done.needs_restart == ("server.socket",)


@pytest.mark.parametrize("text", ["recall.top_k = 5\nrecall.min_score = 7", "[recall", None])
def test_a_reload_of_a_broken_or_vanished_file_keeps_the_old_settings(
    tmp_path: Path, text: str | None
):
    file = tmp_path / "config.toml"
    file.write_text("recall.top_k = 4", encoding="utf-8")
    settings = Settings(file, NOWHERE)
    before = settings.current
    if text is None:
        file.unlink()
    else:
        file.write_text(text, encoding="utf-8")
    with pytest.raises(BadConfig):
        settings.adopt(settings.reread())
    assert settings.current is before


def test_a_reload_keeps_what_the_command_line_said(tmp_path: Path):
    file = tmp_path / "config.toml"
    file.write_text("workspaces = ['/from-file']", encoding="utf-8")
    settings = Settings(file, NOWHERE, overrides={"workspaces": ["/from-flag"]})
    file.write_text("workspaces = ['/other']\nrecall.top_k = 9", encoding="utf-8")
    assert settings.adopt(settings.reread()).changed == ("recall.top_k",)
    assert settings.current.workspaces == ("/from-flag",)


def test_the_tree_survives_a_round_trip_through_json():
    plain = json.loads(msgspec.json.encode(Config()))
    without_unset = _without_none(plain)
    assert isinstance(without_unset, dict)
    assert convert(without_unset, Config) == Config()


def _without_none(value: object) -> object:
    if isinstance(value, dict):
        return {name: _without_none(inner) for name, inner in value.items() if inner is not None}
    return value
