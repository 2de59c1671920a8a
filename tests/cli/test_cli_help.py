"""Each command's help names all that can be typed, in one way."""

from collections.abc import Iterator

import pytest
from typer.core import TyperArgument, TyperOption
from typer.main import get_command

from recalld.cli._run import program, run
from recalld.install.targets import TARGETS


def parameters(command, path: str = "recalld") -> Iterator[tuple[str, object]]:
    for name, inner in getattr(command, "commands", {}).items():
        yield from parameters(inner, f"{path} {name}")
    for parameter in command.params:
        yield f"{path} {parameter.name}", parameter


PARAMETERS = dict(parameters(get_command(program([]))))


def test_there_are_commands_to_look_at():
    assert len(PARAMETERS) > 100


@pytest.mark.parametrize("name", PARAMETERS)
def test_every_argument_and_option_says_what_it_is(name: str):
    parameter = PARAMETERS[name]
    assert isinstance(parameter, TyperArgument | TyperOption)
    assert parameter.help, f"{name} has no help"
    if isinstance(parameter, TyperArgument):
        assert parameter.metavar, f"{name} has no name for the usage line"
        # What may be left out and what may be repeated is put round it by the parser.
        assert parameter.metavar.replace("|", "").replace("_", "").isupper(), name


def test_a_host_that_cannot_be_installed_into_is_told_which_can(capsys):
    assert run(["install", "emacs"]) == 2
    said = capsys.readouterr().err
    assert "HOST" in said
    assert all(target in said for target in TARGETS)
