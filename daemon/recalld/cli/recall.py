"""``recalld recall TEXT``: what an agent would be told before answering this prompt."""

import os
from pathlib import Path
from typing import Annotated

import typer

from recalld.cli._options import ConfigOption, JsonFlag, SocketOption, absolute, daemon
from recalld.cli._output import print_json, say
from recalld.client import Client

# The daemon answers within its own budget; this is for one that does not answer at all.
_GRACE_S = 5.0
_LONGEST_BUDGET_S = 60.0


def attach(app: typer.Typer) -> None:
    @app.command()
    def recall(
        text: Annotated[str, typer.Argument(help="The prompt, as the user would type it.")],
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
                "key": session or f"cli:{Path.cwd()}",
                "client": "recalld-cli",
                "workspace": absolute(workspace) if workspace else None,
            },
            "text": text,
        }
        if budget_ms is not None:
            params["budget_ms"] = budget_ms
        with daemon(socket, config) as client:
            result = ask(client, params)
        if json:
            print_json(result)
        else:
            show(result)


def ask(client: Client, params: dict[str, object]) -> dict[str, object]:
    """The recall result. Without a workspace named, the current folder is the second guess."""
    timeout_s = _LONGEST_BUDGET_S + _GRACE_S
    result = client.call("session.prompt", params, timeout_s=timeout_s)
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
    if result.get("reason") == "no_workspace":
        say("no workspace: name one with --workspace, or add one with 'recalld workspace add DIR'")
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
    parts.append(f"{result.get('status')}")
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
