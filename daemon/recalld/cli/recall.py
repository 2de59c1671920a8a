"""``recalld recall TEXT``: what an agent would be told before answering this prompt."""

import os
import shlex
from pathlib import Path
from typing import Annotated
from uuid import uuid4

import typer

from recalld.cli._input import text_of
from recalld.cli._options import ConfigOption, JsonFlag, SocketOption, absolute, asked, daemon
from recalld.cli._output import in_words, print_json, say
from recalld.cli._traces import daemon_folders
from recalld.client import Client
from recalld.config import Config, read
from recalld.errors import BadConfig

# The daemon answers within its budget; this is for the way, and for a machine under load.
_GRACE_S = 2.0


def attach(app: typer.Typer) -> None:
    @app.command()
    def recall(
        text: Annotated[
            list[str],
            typer.Argument(metavar="TEXT", help="The prompt, as typed; - reads stdin."),
        ],
        *,
        workspace: Annotated[
            str | None, typer.Option("--workspace", "-w", metavar="DIR", help="Look here.")
        ] = None,
        session: Annotated[
            str | None, typer.Option("--session", metavar="KEY", help="The session's key.")
        ] = None,
        budget_ms: Annotated[
            int | None, typer.Option("--budget-ms", min=50, max=60_000, help="At most this long.")
        ] = None,
        json: JsonFlag = False,
        socket: SocketOption = None,
        config: ConfigOption = None,
    ) -> None:
        """Judge a prompt and show the context block it would get."""
        params: dict[str, object] = {
            "session": {
                # A conversation of its own: what an earlier one was told is news to this one.
                "key": session or f"cli:{uuid4().hex[:12]}",
                "client": "recalld-cli",
                "workspace": absolute(workspace) if workspace else None,
            },
            "text": text_of(text),
        }
        if budget_ms is not None:
            params["budget_ms"] = budget_ms
        timeout_s = _GRACE_S + _budget_s(budget_ms, config)
        with daemon(socket, config) as client:
            result = ask(client, params, timeout_s=timeout_s)
        if json:
            print_json(result)
            return
        show(result)
        _advise(result, workspace, socket=socket, config=config)


def _advise(
    result: dict[str, object], named: str | None, *, socket: str | None, config: str | None
) -> None:
    """What to do about a prompt that got nothing."""
    if result.get("reason") == "no_workspace":
        say(_advice(daemon_folders(socket, config), named=named))
    elif result.get("status") == "low_quality":
        say(f"what was found is not good enough: recalld why {result.get('trace_id')}")


def _budget_s(budget_ms: int | None, config: str | None) -> float:
    """How long the daemon may take: what it is told, else what is configured."""
    if budget_ms is None:
        try:
            budget_ms = read(config, os.environ).config.recall.max_total_ms
        except BadConfig:
            # The daemon runs on settings that are not those of the file.
            budget_ms = Config().recall.max_total_ms
    return budget_ms / 1_000


def _advice(folders: list[str], *, named: str | None) -> str:
    if not folders:
        return "nothing is remembered yet: add a folder with 'recalld workspace add DIR'"
    place = absolute(named) if named else Path.cwd()
    listed = "\n".join(f"  recalld recall -w {shlex.quote(folder)} …" for folder in folders)
    return f"{place} is in no remembered folder; name one of them:\n{listed}"


def ask(client: Client, params: dict[str, object], *, timeout_s: float) -> dict[str, object]:
    """The recall result. Without a workspace named, the current folder is the second guess."""
    result = asked(client, "session.prompt", params, timeout_s=timeout_s)
    session = params["session"]
    if result.get("reason") != "no_workspace" or not isinstance(session, dict):
        return result
    if session.get("workspace") is not None:
        return result
    here = {**params, "session": {**session, "workspace": os.getcwd()}}  # noqa: PTH109
    return client.call("session.prompt", here, timeout_s=timeout_s)


def show(result: dict[str, object]) -> None:
    say(headline(result))
    stages = result.get("stages")
    if isinstance(stages, list) and stages:
        say("stages: " + ", ".join(_stage(stage) for stage in stages))
    for name in ("recovery", "context"):
        text = result.get(name)
        if isinstance(text, str) and text:
            say()
            say(text)


def headline(result: dict[str, object]) -> str:
    """One line: what was decided, why, how it went and how long it took."""
    decision = result.get("decision")
    parts = []
    if isinstance(decision, dict):
        parts.append(f"{decision['verdict']} ({decision['reason']}, {decision['confidence']:.2f})")
        parts.append(f"{decision['depth']}")
    reason = result.get("reason")
    parts.append(f"{result.get('status')}" + (f" ({in_words(str(reason))})" if reason else ""))
    hits = result.get("hits")
    if isinstance(hits, list) and hits:
        best = max(hit["raw_score"] for hit in hits)
        parts.append(f"{len(hits)} {'hits' if len(hits) > 1 else 'hit'}, best {best:.2f}")
        parts.append(f"{result.get('tokens')} tokens")
    elapsed = result.get("elapsed_ms")
    if isinstance(elapsed, int | float):
        parts.append(f"{elapsed:.1f} ms")
    if result.get("trace_id"):
        parts.append(f"trace {result['trace_id']}")
    return " · ".join(parts)


def _stage(stage: dict[str, object]) -> str:
    took, outcome = stage.get("took_ms"), stage.get("outcome")
    text = f"{stage.get('name')} {took:.1f}" if isinstance(took, int | float) else f"{stage}"
    return text if outcome == "ok" else f"{text} ({outcome})"
