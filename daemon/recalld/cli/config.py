"""``recalld config``: check, show and import settings."""

import os
import sys
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from recalld.cli._exits import Exit
from recalld.cli._input import STANDARD_INPUT, standard_input
from recalld.cli._options import ConfigOption, JsonFlag
from recalld.cli._output import print_json, safe, say, write
from recalld.config import Config, Loaded, choose_file, problems, read, read_file
from recalld.config_import import import_plugin
from recalld.config_render import render
from recalld.config_schema import suggest, type_at, value_at
from recalld.errors import BadConfig, NotFound


def attach(app: typer.Typer) -> None:
    group = typer.Typer(help="Check, show or import the configuration.", no_args_is_help=True)
    app.add_typer(group, name="config")
    group.command("check")(check)
    group.command("show")(show)
    group.command("import")(import_)


def check(
    file: Annotated[
        str | None, typer.Argument(metavar="FILE", help="Default: the one in use.")
    ] = None,
    *,
    json: JsonFlag = False,
    config: ConfigOption = None,
) -> None:
    """Say whether the configuration is valid; list what is wrong with it and exit 78 if not."""
    found = problems(file or config, os.environ)
    if found:
        _complain(found, choose_file(file or config, os.environ), json=json)
        raise typer.Exit(Exit.CONFIG)
    loaded = read(file or config, os.environ)
    if json:
        print_json({"ok": True, "file": _name(loaded), "warnings": list(loaded.warnings)})
        return
    say(f"ok: {_name(loaded) or 'the built-in defaults'}")
    for warning in loaded.warnings:
        say(f"warning: {warning}")


def _complain(found: tuple[BadConfig, ...], file: Path | None, *, json: bool) -> None:
    if json:
        listed = [{"key": fault.key, "problem": fault.problem} for fault in found]
        print_json({"ok": False, "file": None if file is None else str(file), "problems": listed})
        return
    for fault in found:
        sys.stderr.write(f"recalld: {safe(str(fault))}\n")


def show(
    key: Annotated[
        str | None, typer.Argument(metavar="KEY", help="One key or table, as recall.top_k.")
    ] = None,
    *,
    json: JsonFlag = False,
    config: ConfigOption = None,
) -> None:
    """Print the configuration in effect: file, environment and defaults together."""
    loaded = read(config, os.environ)
    document = msgspec.to_builtins(loaded.config)
    if key is not None:
        value = value_at(document, key)
        if value is None:
            raise NotFound(_nothing_at(key))
        if json or not isinstance(value, dict):
            print_json(value)
            return
        for name in reversed(key.split(".")):
            value = {name: value}
        document = value
    if json:
        print_json(document)
        return
    source = _name(loaded) or "the built-in defaults"
    write(render(document, Config, comment=f"In effect, from {source}."))


def _nothing_at(key: str) -> str:
    """Why there is nothing to show: the key is none, or it has no value of its own."""
    if type_at(Config, key) is None:
        near = suggest(Config, key)
        parent = key.rpartition(".")[0]
        whole = f"{parent}.{near}" if near and parent and "." not in near else near
        return f"{key}: there is no such key" + (f", did you mean {whole}?" if whole else "")
    return f"a value of {key}: it is not set, and config.toml says what then counts"


def import_(
    source: Annotated[
        str, typer.Argument(metavar="FILE", help="openclaw.json, or - for standard input.")
    ],
    *,
    output: Annotated[
        str | None, typer.Option("--output", "-o", metavar="FILE", help="Write here instead.")
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Convert the Active Recall plugin's settings. Exit 78, naming the key, when refused."""
    done = import_plugin(_text(source), name=STANDARD_INPUT if source == "-" else source)
    if json:
        print_json({"toml": done.toml, "notes": list(done.notes)})
    elif output is None:
        write(done.toml)
    if output is not None:
        _create(Path(output), done.toml)
    if not json:
        for note in done.notes:
            sys.stderr.write(f"note: {note}\n")


def _text(source: str) -> str:
    name = STANDARD_INPUT if source == "-" else source
    data = standard_input() if source == "-" else read_file(Path(source))
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadConfig(name, f"not UTF-8 at byte {error.start}") from error


def _create(path: Path, text: str) -> None:
    """Never over a file that is there: it may hold settings of its own."""
    try:
        with path.open("x", encoding="utf-8") as stream:
            stream.write(text)
    except OSError as error:
        raise BadConfig(str(path), (error.strerror or str(error)).lower()) from error


def _name(loaded: Loaded) -> str | None:
    return None if loaded.path is None else str(loaded.path)
