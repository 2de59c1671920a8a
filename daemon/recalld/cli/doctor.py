"""``recalld doctor``: whether what an agent resumes from can be relied on, and the daemon too."""

import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperCommand

from recalld.cli._doctor_blocks import Asked, Block, examined
from recalld.cli._doctor_places import Trouble
from recalld.cli._options import ConfigOption, JsonFlag, SocketOption, absolute
from recalld.cli._output import print_json, say
from recalld.cli._traces import NO_WORKSPACE
from recalld.client import ClientError
from recalld.continuity.findings import Finding, Severity, worst
from recalld.errors import RecalldError

USAGE = 64
COLUMN = 12
EXIT = {Severity.OK: 0, Severity.INFO: 0, Severity.WARNING: 1, Severity.CRITICAL: 2}
WORKSPACE_HELP = "Default: the configured ones; may be repeated."
_NONE = f"workspaces: {NO_WORKSPACE}"
_USAGE_ERROR: type[Exception] = next(
    kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "UsageError"
)


class DoctorCommand(TyperCommand):
    """2 is a finding here, so a wrong command line is 64."""

    def make_context(self, *given: Any, **more: Any) -> Any:
        try:
            return super().make_context(*given, **more)
        except _USAGE_ERROR as error:
            error.exit_code = USAGE  # type: ignore[attr-defined]
            raise


def named(folders: list[str] | None) -> list[str] | None:
    """A name that is empty is a variable nobody set, not the current folder."""
    if folders and not all(folder.strip() for folder in folders):
        raise typer.BadParameter("names no folder")
    return folders


def attach(app: typer.Typer) -> None:
    @app.command(cls=DoctorCommand)
    def doctor(
        *,
        workspace: Annotated[
            list[str] | None,
            typer.Option("--workspace", "-w", metavar="DIR", help=WORKSPACE_HELP, callback=named),
        ] = None,
        repair: Annotated[
            bool,
            typer.Option("--repair", help="Mend what can be rebuilt; never CURRENT_STATE.md."),
        ] = False,
        json: JsonFlag = False,
        socket: SocketOption = None,
        config: ConfigOption = None,
    ) -> None:
        """Check the checkpoint of each workspace, and the daemon if it runs.

        Exit 0: all well, 1: a warning, 2: something critical, 64: a wrong command line.
        """
        folders = tuple(dict.fromkeys(absolute(folder) for folder in workspace or ()))
        asked = Asked(folders=folders, socket=socket, config=config)
        blocks = examined(asked)
        if not blocks:
            refuse(json=json)
        repaired: list[Finding] = []
        if repair:
            repaired = [tried(each) for block in blocks for each in block.troubles if each.mend]
            blocks = examined(asked)
        status = max([worst(repaired), *(block.status for block in blocks)])
        show = print_as_json if json else print_plainly
        show(blocks, repaired, status)
        raise typer.Exit(EXIT[status])


def refuse(*, json: bool) -> NoReturn:
    sys.stderr.write(f"recalld: {_NONE}\n")
    if json:
        print_json({"error": {"code": USAGE, "message": _NONE}})
    raise typer.Exit(USAGE)


def tried(each: Trouble) -> Finding:
    """What mending did: OK, or a warning that says why it did not work."""
    if each.mend is None:
        return each.finding
    try:
        done = each.mend()
    except (OSError, RecalldError, ClientError) as error:
        message = f"not repaired: {each.finding.message} ({error})"
        return replace(each.finding, severity=Severity.WARNING, message=message)
    return replace(each.finding, severity=Severity.OK, message=f"repaired: {done}")


def print_plainly(blocks: Sequence[Block], repaired: Sequence[Finding], status: Severity) -> None:
    if repaired:
        _print("repairs", repaired)
    for block in blocks:
        _print(block.title, block.findings)
    say(f"Overall status: {status.name}")


def _print(title: str, findings: Sequence[Finding]) -> None:
    say(f"recalld doctor: {_line(title)}")
    for finding in findings:
        say(f"[{finding.severity.name}]".ljust(COLUMN) + _line(finding.message))
    say()


def _line(text: str) -> str:
    return " ".join(text.split())


def print_as_json(blocks: Sequence[Block], repaired: Sequence[Finding], status: Severity) -> None:
    shared = next((block for block in blocks if block.folder is None), None)
    print_json(
        {
            "status": status.name,
            "workspaces": [
                {"workspace": block.folder, **_told(block)} for block in blocks if block.folder
            ],
            "daemon": None if shared is None else _told(shared),
            "repaired": [_fields(finding) for finding in repaired],
        }
    )


def _told(block: Block) -> dict[str, object]:
    findings = [_fields(finding) for finding in block.findings]
    return {"status": block.status.name, "findings": findings}


def _fields(finding: Finding) -> dict[str, object]:
    return {
        "check": finding.check,
        "severity": finding.severity.name,
        "message": finding.message,
    }
