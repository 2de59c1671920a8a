"""``recalld model``: the larger engine's checkpoint, whether it is there and how it gets there."""

import os
from pathlib import Path
from typing import Annotated

import typer

from recalld.cli._exits import Exit
from recalld.cli._options import ConfigOption, JsonFlag
from recalld.cli._output import print_json, say
from recalld.config import read
from recalld.embed.bge_fetch import Fetched, changed_files, fetch_folder, fetch_hub, is_hub_id
from recalld.embed.bge_files import fault_of, identity_of, model_folder
from recalld.embed.bge_m3 import installed

NOT_INSTALLED = "FlagEmbedding is not installed: pip install 'recalld[bge]'"


def attach(app: typer.Typer) -> None:
    group = typer.Typer(
        help="Look after the model of the larger engine, BGE-M3.", no_args_is_help=True
    )
    app.add_typer(group, name="model")
    group.command("status")(status)
    group.command("fetch")(fetch)


def status(
    *,
    verify: Annotated[
        bool, typer.Option("--verify", help="Compare every file with what was fetched.")
    ] = False,
    json: JsonFlag = False,
    config: ConfigOption = None,
) -> None:
    """Say whether BGE-M3 can be used; exit 1 with what is lacking if not."""
    policy = read(config, os.environ).config.embed
    folder = model_folder(policy.model, os.environ)
    fault = fault_of(folder)
    lacking = [why for why in (None if installed() else NOT_INSTALLED, fault) if why]
    if verify and fault is None:
        lacking += [f"{folder / name} is not what was fetched" for name in changed_files(folder)]
    identity = None if fault else str(identity_of(folder))
    used = policy.engine in ("auto", "bge_m3") and not lacking
    if json:
        print_json(
            {
                "ok": not lacking,
                "folder": str(folder),
                "identity": identity,
                "installed": installed(),
                "engine": policy.engine,
                "used": used,
                "lacking": lacking,
            }
        )
    else:
        say(f"folder: {folder}")
        say(f"identity: {identity or 'none'}")
        says_so = "yes" if used else "no" if lacking else f"no, embed.engine is {policy.engine}"
        say(f"used: {says_so}")
        for why in lacking:
            say(f"lacking: {why}")
    if lacking:
        raise typer.Exit(Exit.FINDING)


def fetch(
    source: Annotated[
        str,
        typer.Argument(metavar="PATH|HUB_ID", help="A folder with the model, or OWNER/NAME."),
    ],
    *,
    link: Annotated[
        bool, typer.Option("--link", help="Link to the files of PATH instead of copying them.")
    ] = False,
    json: JsonFlag = False,
    config: ConfigOption = None,
) -> None:
    """Put the model where the daemon looks for it. Only OWNER/NAME uses the network.

    Files are checked first, and what is there is replaced once the new one is complete.
    """
    policy = read(config, os.environ).config.embed
    target = model_folder(policy.model, os.environ)
    fetched = (
        fetch_hub(source, target)
        if is_hub_id(source)
        else fetch_folder(Path(source).expanduser(), target, link=link)
    )
    _report(fetched, json=json)


def _report(fetched: Fetched, *, json: bool) -> None:
    if json:
        print_json({"ok": True, "folder": str(fetched.folder), "sha256": dict(fetched.sums)})
        return
    for name, found in fetched.sums.items():
        say(f"{found}  {name}")
    say(f"in {fetched.folder}; restart the daemon to use it")
