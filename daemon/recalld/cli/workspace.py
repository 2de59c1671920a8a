"""``recalld workspace``: the list of folders that are remembered."""

import glob
import os
import re
import sys
from pathlib import Path
from typing import Annotated

import typer

from recalld.cli._edit import added, listed, opened, removed, save
from recalld.cli._exits import Exit, verdict_on
from recalld.cli._options import ConfigOption, JsonFlag, SocketOption, absolute, asked, daemon
from recalld.cli._output import print_json, safe, say
from recalld.cli._traces import instead_of
from recalld.client import ClientError, NoDaemon
from recalld.config import choose_file, read_file, user_file
from recalld.errors import BadConfig, Refused
from recalld.there import is_folder

_GLOB = re.compile(r"[*?\[]")
FolderArgument = Annotated[str, typer.Argument(metavar="DIR", help="A folder, or a quoted glob.")]


def attach(app: typer.Typer) -> None:
    group = typer.Typer(help="Add, remove or list the remembered folders.", no_args_is_help=True)
    app.add_typer(group, name="workspace")
    group.command("add")(add)
    group.command("remove")(remove)
    group.command("list")(list_)


def add(
    folder: FolderArgument,
    *,
    force: Annotated[
        bool, typer.Option("--force", help="Also a folder as wide as your whole home.")
    ] = False,
    json: JsonFlag = False,
    socket: SocketOption = None,
    config: ConfigOption = None,
) -> None:
    """Remember a folder: add it to your configuration file and reload the daemon."""
    path = absolute(folder)
    found = _folders(path)
    if not found and not _GLOB.search(path):
        raise Refused(f"{path} is not a folder")
    wide = next((one for one in found if _holds_home(one)), None)
    if wide is not None and not force:
        raise Refused(f"{wide} holds your whole home; name a folder of notes, or add --force")
    if not found:
        sys.stderr.write(f"warning: {safe(path)} matches no folder now\n")
    file = _file(config)
    edited = added(opened(file), path)
    if edited is not None:
        save(file, edited)
    said = f"{path} is in the list already" if edited is None else f"added {path}"
    facts: dict[str, object] = {"file": str(file), "changed": edited is not None}
    then = "" if edited is None else "; the daemon reads it now, 'recalld index' waits for that"
    _finish(said, facts, json=json, where=(socket, config), then=then)


def remove(
    folder: FolderArgument,
    *,
    json: JsonFlag = False,
    socket: SocketOption = None,
    config: ConfigOption = None,
) -> None:
    """Forget a folder: take it off the list and reload the daemon. No file is touched."""
    path = absolute(folder)
    file = _file(config)
    edited = removed(opened(file), path)
    if edited is None:
        raise Refused(f"{path} is not in the list of {file}")
    save(file, edited)
    facts: dict[str, object] = {"file": str(file), "changed": True}
    _finish(f"removed {path}", facts, json=json, where=(socket, config))


def list_(
    *, json: JsonFlag = False, socket: SocketOption = None, config: ConfigOption = None
) -> None:
    """Print the list as your file has it; of a broken file, as the running daemon has it."""
    file = _file(config)
    try:
        entries = listed(opened(file))
    except BadConfig as error:
        entries = instead_of(error, socket=socket, config=config)
    if json:
        print_json({"file": str(file), "workspaces": entries})
        return
    for entry in entries:
        say(entry)
    if not entries:
        say(f"none in {file}; add one with 'recalld workspace add DIR'")


def _file(config: str | None) -> Path:
    """The file to edit. One that is named must be there; the user's own is made."""
    file = choose_file(config, os.environ) or user_file(os.environ)
    if config is not None:
        read_file(file)
    return file


def _folders(path: str) -> list[str]:
    """The folders a path or glob means now."""
    found = glob.glob(path) if _GLOB.search(path) else [path]  # noqa: PTH207
    return [one for one in found if is_folder(one)]


def _holds_home(folder: str) -> bool:
    home, real = Path.home().resolve(), Path(folder).resolve()
    return real == home or real in home.parents


def _finish(
    said: str,
    facts: dict[str, object],
    *,
    json: bool,
    where: tuple[str | None, str | None],
    then: str = "",
) -> None:
    """Reload the daemon, if there is one, and say what happened; ``then``: what it does now."""
    reloaded, problem = True, None
    try:
        with daemon(*where) as client:
            asked(client, "config.reload")
    except NoDaemon:
        reloaded = False
    except ClientError as error:
        reloaded, problem = False, error
    if json:
        print_json({**facts, "reloaded": reloaded})
    else:
        say(
            said + (f"; reloaded{then}" if reloaded else "; it counts from the daemon's next start")
        )
    if os.environ.get("RECALLD_WORKSPACES"):
        sys.stderr.write("warning: RECALLD_WORKSPACES is set and hides the file's list\n")
    if problem is not None:
        code, message = verdict_on(problem)
        sys.stderr.write(
            f"recalld: the file is changed, but the daemon did not reload: {message}\n"
        )
        raise typer.Exit(code or Exit.FINDING)
