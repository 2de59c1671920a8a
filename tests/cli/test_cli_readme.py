"""What the README says about commands and settings is so."""

import json
import re
from pathlib import Path

import msgspec
import pytest
from typer.main import get_command

from recalld.cli import COMMANDS
from recalld.cli._run import program
from recalld.config import Config
from recalld.config_schema import leaves, value_at
from recalld.server.methods import METHODS

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "command",
    [
        "python3 -m venv .venv && .venv/bin/pip install . && .venv/bin/recalld demo",
        "python3 -m venv .venv && .venv/bin/pip install '.[test]' && .venv/bin/pytest",
    ],
)
def test_the_two_commands_stand_alone_in_a_block_of_their_own(command: str):
    assert f"```\n{command}\n```" in README


def test_every_command_is_in_the_table_and_no_other():
    named = set(re.findall(r"`recalld ([a-z]+)", README.split("## Commands")[1].split("\n## ")[0]))
    assert named == set(COMMANDS)


def test_the_settings_in_the_table_exist_and_have_the_defaults_it_gives():
    rows = re.findall(r"^\| `([a-z_.]+)` \| `(.+?)` \|", README, re.MULTILINE)
    assert len(rows) >= 8
    known = {key for key, _ in leaves(Config)}
    defaults = msgspec.to_builtins(Config())
    for key, shown in rows:
        assert key in known
        value = value_at(defaults, key)
        effective = Config().recall.high_raw_score if key.endswith("high_raw_score") else value
        assert json.loads(shown) == (list(effective) if effective == () else effective)


def test_every_setting_the_text_names_exists():
    known = {key for key, _ in leaves(Config)}
    tables = {key.split(".")[0] for key in known}
    named = set(re.findall(r"`([a-z_]+(?:\.[a-z_]+)+)(?: = [^`]*)?`", README))
    ours = {name for name in named if name.split(".")[0] in tables}
    methods = {method.name for method in METHODS}
    files = {"config.toml"}
    assert ours - methods - files <= known


def blocks() -> list[str]:
    return re.findall(r"^```\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


def test_the_units_are_installed_before_they_are_enabled():
    (block,) = [block for block in blocks() if "systemctl --user enable" in block]
    lines = [line.strip() for line in block.split("\n")]
    order = [
        "$ recalld install systemd",
        "systemctl --user daemon-reload",
        "systemctl --user enable",
    ]
    at = [next(n for n, line in enumerate(lines) if line.startswith(step)) for step in order]
    assert at == sorted(at)
    # What the command says next is what the text shows.
    assert f"  {lines[at[1]]}\n  {lines[at[2]]}" in block


def test_what_the_session_copies_and_adds_is_there():
    (copy,) = re.findall(r"^cp -r (\S+) (\S+)$", README, re.MULTILINE)
    assert (Path(__file__).parents[2] / copy[0] / "MEMORY.md").is_file()
    assert README.index(f"cp -r {copy[0]}") < README.index(f"$ recalld workspace add {copy[1]}")
    assert README.index("wait for the line") < README.index("$ recalld recall")


def test_every_command_line_of_the_text_has_options_that_exist():
    """``$ recalld memory add … --type event``: up to a quote, which may hold anything."""
    lines = re.findall(r"(?:^\$ |`)recalld ((?:[a-z-]+ ?)+)([^`\n]*)", README, re.MULTILINE)
    checked = 0
    for words, rest in lines:
        command = get_command(program([]))
        for word in words.split():
            command = getattr(command, "commands", {}).get(word, command)
        known = {name for parameter in command.params for name in parameter.opts}
        known |= {name for parameter in command.params for name in parameter.secondary_opts}
        given = re.findall(r"(?<![\w-])(--[a-z][a-z-]+)", re.sub(r"'[^']*'|\"[^\"]*\"", "", rest))
        checked += len(given)
        assert set(given) <= known | {"--help"}, f"recalld {words}{rest}"
    assert checked >= 15
