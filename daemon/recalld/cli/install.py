"""``recalld install``: put recalld into an agent host's settings, or out of them again."""

import importlib
import os
import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from recalld.cli._options import JsonFlag
from recalld.cli._output import print_json, safe, say, write
from recalld.client.address import socket_path
from recalld.config import state_dir
from recalld.install.disk import Records
from recalld.install.flow import Change, Step, run
from recalld.install.model import Target
from recalld.install.place import here
from recalld.install.targets import TARGETS, module_of

_SAID = {
    Change.CREATED: "created",
    Change.CHANGED: "changed",
    Change.REMOVED: "removed",
}


def attach(app: typer.Typer) -> None:
    app.command("install")(install)


def _known(name: str) -> str:
    if name not in TARGETS:
        raise typer.BadParameter(f"{name!r} is none of {', '.join(TARGETS)}")
    return name


def install(
    name: Annotated[
        str,
        typer.Argument(metavar="HOST", callback=_known, help=f"One of {', '.join(TARGETS)}."),
    ],
    *,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would change and write nothing.")
    ] = False,
    uninstall: Annotated[
        bool, typer.Option("--uninstall", help="Take recalld out again; the rest stays.")
    ] = False,
    json: JsonFlag = False,
) -> None:
    """Install recalld into a host's settings: shows the difference, keeps all that is there.

    'skill' prints a text for agents whose host has no hooks.
    """
    place = here(os.environ)
    target = importlib.import_module(f"recalld.install.targets.{module_of(name)}").target(place)
    if target.text is not None:
        _print(name, target.text, uninstall=uninstall, json=json)
        return
    steps: list[Step] = []

    def show(planned: Sequence[Step]) -> None:
        steps.extend(planned)
        if not json:
            for step in planned:
                write(safe(step.diff()))

    run(target, Records(state_dir(os.environ)), uninstall=uninstall, dry_run=dry_run, show=show)
    warnings = [f"{step.found.path}: {told}" for step in steps for told in step.warnings]
    if not uninstall:
        warnings += _about_the_socket()
    changed = any(step.change is not Change.NONE for step in steps)
    told = (target.uninstalled if uninstall else target.installed) if changed else ()
    if json:
        print_json(
            {
                "target": name,
                "uninstall": uninstall,
                "dry_run": dry_run,
                "changed": changed,
                "files": [_facts(step) for step in steps],
                "warnings": warnings,
                "next": list(told),
            }
        )
        return
    _tell(target, steps, told, uninstall=uninstall, dry_run=dry_run)
    for warning in warnings:
        sys.stderr.write(f"warning: {safe(warning)}\n")


def _print(name: str, text: str, *, uninstall: bool, json: bool) -> None:
    if uninstall:
        raise typer.BadParameter(f"{name} is only printed: there is nothing to uninstall")
    if json:
        print_json({"target": name, "text": text})
    else:
        write(text)


def _facts(step: Step) -> dict[str, object]:
    return {
        "path": step.found.path,
        "real": str(step.found.real),
        "change": str(step.change),
        "diff": step.diff(),
    }


def _tell(
    target: Target, steps: list[Step], told: Sequence[str], *, uninstall: bool, dry_run: bool
) -> None:
    for step in steps:
        if step.change is Change.NONE:
            state = "holds nothing of recalld's" if uninstall else "is as it should be"
            say(f"nothing to do: {step.found.path} {state}")
        elif dry_run:
            say(f"dry run: {step.found.path} would be {_SAID[step.change]}")
        else:
            link = "" if str(step.found.real) == step.found.path else f" (in {step.found.real})"
            say(f"{_SAID[step.change]} {step.found.path}{link}")
    if told and not dry_run:
        say(f"{target.title}, next:")
        for line in told:
            say(f"  {line}")


def _about_the_socket() -> list[str]:
    """A hook reads no configuration, so it misses a socket that is named there alone."""
    daemon = socket_path(None, os.environ)
    if daemon == socket_path(None, os.environ, config=os.devnull):
        return []
    return [
        f"the configuration has the socket at {daemon}, and hooks read no configuration: "
        f"set RECALLD_SOCKET={daemon} where the host is started"
    ]
