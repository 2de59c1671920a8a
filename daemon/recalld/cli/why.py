"""``recalld why TRACE``: why a prompt got what it got."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated

import typer

from recalld.cli._options import ConfigOption, JsonFlag, SocketOption, asked, daemon
from recalld.cli._output import print_json, say, shown, table
from recalld.cli._traces import parsed, rotations, trace_files
from recalld.client import ClientError, RpcError
from recalld.errors import BadConfig, NotFound
from recalld.recall.explain import explanation_of

_NOT_FOUND = -32004


def attach(app: typer.Typer) -> None:
    @app.command()
    def why(
        trace: Annotated[
            str, typer.Argument(metavar="TRACE", help="An id, or 'last' for the newest.")
        ],
        *,
        workspace: Annotated[
            list[str] | None,
            typer.Option("--workspace", "-w", metavar="DIR", help="Look in these trace files."),
        ] = None,
        json: JsonFlag = False,
        socket: SocketOption = None,
        config: ConfigOption = None,
    ) -> None:
        """Explain a recall: the rule that fired, each route's ranks, what was cut and why."""
        told = None
        if trace != "last" and not workspace:
            told = explained(trace, socket=socket, config=config)
        if told is None:
            files = trace_files(workspace, socket=socket, config=config)
            told = explanation_of(found(trace, files))
        if json:
            print_json(told)
        else:
            show(told)


def explained(trace: str, *, socket: str | None, config: str | None) -> Mapping[str, object] | None:
    """The daemon's explanation; None when there is no daemon or it does not know the trace."""
    try:
        with daemon(socket, config) as client:
            return asked(client, "recall.explain", {"trace_id": trace})
    except RpcError as error:
        if error.code != _NOT_FOUND:
            raise
    except ClientError:
        pass
    return None


def found(trace: str, files: tuple[Path, ...]) -> dict[str, object]:
    """The trace from the files. Raises ``NotFound``."""
    newest: dict[str, object] | None = None
    for record in _records(files):
        if record.get("traceId") == trace:
            return record
        if newest is None or str(record.get("ts")) >= str(newest.get("ts")):
            newest = record
    if trace == "last" and newest is not None:
        return newest
    places = ", ".join(str(file) for file in files)
    raise NotFound(f"trace {trace} (looked in {places})")


def _records(files: tuple[Path, ...]) -> Iterator[dict[str, object]]:
    for file in files:
        for part in (file, *rotations(file)):
            try:
                data = part.read_bytes()
            except FileNotFoundError:
                continue
            except OSError as error:
                raise BadConfig(os.fspath(part), (error.strerror or str(error)).lower()) from error
            for line in data.split(b"\n"):
                record = parsed(line)
                if record is not None:
                    yield record


def show(told: Mapping[str, object]) -> None:
    session = _said("  session {}", told.get("session"))
    say(f"trace    {told.get('trace_id') or '-'}{_said('  {}', told.get('at'))}{session}")
    if told.get("prompt"):
        say(f"prompt   {told['prompt']}")
    reason = f" ({told['reason']})" if told.get("reason") else ""
    say(f"status   {told.get('status') or '-'}{reason}")
    _gate(_part(told, "gate"))
    _signal(_part(told, "strong_signal"))
    _quality(_part(told, "quality"))
    _rescue(_part(told, "rescue"))
    _stages(told.get("stages"))
    routes = _part(told, "routes")
    for route, rows in routes.items():
        say()
        say(f"route {route}")
        _places(rows, ("rank", "raw_score"))
    for title, key, more in (("in the block", "shown", ()), ("cut", "cut", ("rule",))):
        rows = told.get(key)
        if isinstance(rows, list) and rows:
            say()
            say(title)
            _places(rows, ("raw_score", *more))


def _part(told: Mapping[str, object], name: str) -> dict[str, object]:
    part = told.get(name)
    return part if isinstance(part, dict) else {}


def _gate(gate: dict[str, object]) -> None:
    """What the gate said, as far as it was asked: an older or internal trace lacks fields."""
    if gate.get("decision") is not None:
        because = _said(" because {}", gate.get("reason"))
        say(f"gate     {gate['decision']}{because}{_said(', rule {}', gate.get('rule'))}")
    if gate.get("probe_top_score") is not None:
        passed = "passed" if gate.get("probe_passed") else "not passed"
        say(f"probe    {passed}, best raw score {shown(gate['probe_top_score'])}")
    if gate.get("depth") is not None:
        route = _said(", route {}", gate.get("route"))
        say(f"depth    {gate['depth']}{route}{_said(', {}', gate.get('fallback_reason'))}")


def _signal(signal: dict[str, object]) -> None:
    """Nothing where nothing was found; a second of 0 is a file that is not there."""
    if not signal.get("top"):
        return
    word = "yes" if signal.get("strong") else "no"
    second = shown(signal["second"]) if signal.get("second") else "none good enough in another file"
    source = _said(", source {}", signal.get("source"))
    say(f"strong   {word}: best {shown(signal['top'])}, next: {second}{source}")


def _quality(quality: dict[str, object]) -> None:
    if not quality.get("best_raw_score"):
        return
    counts = [f"{quality.get(name) or 0} {name}" for name in ("accepted", "rejected")]
    hits = quality.get("route_hits")
    routes = _said(" on {}", hits and f"{hits} route{'' if hits == 1 else 's'}")
    best = shown(quality["best_raw_score"])
    say(f"quality  {', '.join(counts)}; best raw score {best}{routes}")


def _rescue(rescue: dict[str, object]) -> None:
    """Why a language model was asked or not, where depth alone did not rule it out."""
    if rescue.get("status") in (None, "not_run", "skipped_not_deep"):
        return
    because = _said(" because {}", rescue.get("reason"))
    queries = rescue.get("queries")
    found = _said(", {} more", queries and f"{queries} quer{'y' if queries == 1 else 'ies'}")
    say(f"rescue   {rescue['status']}{because}{found}")


def _said(pattern: str, value: object) -> str:
    """``pattern`` with the value in it; nothing where there is none."""
    return pattern.format(value) if value else ""


def _stages(stages: object) -> None:
    if not isinstance(stages, list) or not stages:
        return
    say()
    say("stages")
    rows = [
        [stage.get("name"), stage.get("startMs"), stage.get("tookMs"), stage.get("outcome")]
        for stage in stages
    ]
    table(rows, head=("name", "start ms", "took ms", "outcome"), indent="  ")


def _places(rows: object, columns: tuple[str, ...]) -> None:
    listed = rows if isinstance(rows, list) else []
    lines = [
        [
            *(row.get(column) for column in columns),
            f"{row.get('path')}:{row.get('start_line')}-{row.get('end_line')}",
            row.get("source"),
        ]
        for row in listed
    ]
    head = (*(column.replace("_", " ") for column in columns), "place", "source")
    table(lines, head=head, indent="  ")
