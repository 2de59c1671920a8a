"""``recalld index``: bring the index up to what is on disk; ``index status`` counts."""

import queue
import threading
from collections.abc import Mapping
from typing import Annotated

import typer

from recalld.cli._exits import Exit
from recalld.cli._options import ConfigOption, JsonFlag, SocketOption, absolute, asked, daemon
from recalld.cli._output import print_json, say, tree
from recalld.client import Client, ClientError, TimedOut

_POLL_S = 0.25
_SYNC_TIMEOUT_S = 24 * 3_600.0
# A short sync needs no bar.
_QUIET_S = 1.0
# A busy daemon answers a ping in milliseconds; a machine that swaps may take seconds.
_PULSE_S = 5.0

WorkspaceOption = Annotated[
    str | None, typer.Option("--workspace", "-w", metavar="DIR", help="Only this workspace.")
]
Outcome = dict[str, object] | ClientError


def attach(app: typer.Typer) -> None:
    group = typer.Typer(help="Bring the index up to what is on disk, or count it.")
    app.add_typer(group, name="index")

    @group.callback(invoke_without_command=True)
    def index(
        context: typer.Context,
        *,
        workspace: WorkspaceOption = None,
        json: JsonFlag = False,
        socket: SocketOption = None,
        config: ConfigOption = None,
    ) -> None:
        if context.invoked_subcommand is not None:
            return
        with daemon(socket, config) as client, daemon(socket, config) as other:
            asked(other, "ping")
            result = sync(client, other, _where(workspace), quiet=json)
        if json:
            print_json(result)
        else:
            show(result)
        if workspace is not None and _is_none_of_ours(absolute(workspace), result):
            raise typer.Exit(Exit.FINDING)

    @group.command()
    def status(
        *,
        workspace: WorkspaceOption = None,
        json: JsonFlag = False,
        socket: SocketOption = None,
        config: ConfigOption = None,
    ) -> None:
        """Counts, engine, watcher and whether the parts of the index agree."""
        with daemon(socket, config) as client:
            result = asked(client, "index.status", _where(workspace))
        if json:
            print_json(result)
        else:
            tree(result)


def _where(workspace: str | None) -> dict[str, object]:
    return {} if workspace is None else {"workspace": absolute(workspace)}


def sync(
    client: Client, other: Client, params: dict[str, object], *, quiet: bool
) -> dict[str, object]:
    """The report of ``index.sync``; a bar on standard error while it takes long."""
    done: queue.SimpleQueue[Outcome] = queue.SimpleQueue()

    def work() -> None:
        try:
            done.put(client.call("index.sync", params, timeout_s=_SYNC_TIMEOUT_S))
        except ClientError as error:
            done.put(error)

    # A daemon thread: Ctrl-C ends the command at once, whatever the daemon is still doing.
    threading.Thread(target=work, daemon=True).start()
    outcome = _awaited(done, other, params, quiet=quiet)
    if isinstance(outcome, ClientError):
        raise outcome
    return outcome


def _awaited(
    done: "queue.SimpleQueue[Outcome]", other: Client, params: dict[str, object], *, quiet: bool
) -> Outcome:
    """The outcome, however long it takes, as long as the daemon answers. Raises ``TimedOut``."""
    waited = False
    while quiet or not waited:
        try:
            return done.get(timeout=_QUIET_S)
        except queue.Empty:
            waited = True
            _pulse(other)
    return _with_bar(done, other, params)


def _pulse(other: Client) -> None:
    """Raise ``TimedOut`` when the daemon does not answer; what else is wrong the call will say."""
    try:
        other.call("ping", timeout_s=_PULSE_S)
    except TimedOut:
        raise TimedOut("the daemon stopped answering during the sync") from None
    except ClientError:
        return


def _with_bar(
    done: "queue.SimpleQueue[Outcome]", other: Client, params: dict[str, object]
) -> Outcome:
    from rich.console import Console  # noqa: PLC0415 (only a long sync draws)
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeElapsedColumn  # noqa: PLC0415

    columns = ("{task.description}", BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("files", total=None)
        while True:
            try:
                return done.get(timeout=_POLL_S)
            except queue.Empty:
                _pulse(other)
                what, ready, total = _progress(other, params)
                bar.update(task, description=what, completed=ready, total=total or None)


def _progress(other: Client, params: dict[str, object]) -> tuple[str, int, int]:
    """What is under way, how much of it is done, and how much there is. Never raises."""
    try:
        status = other.call("index.status", params, timeout_s=_PULSE_S)
    except ClientError:
        return "waiting", 0, 0
    return measured(status)


def measured(status: Mapping[str, object]) -> tuple[str, int, int]:
    """Files while they are read, then chunks that have their vectors, over all workspaces."""
    listed = status.get("workspaces")
    parts = [part for part in listed if isinstance(part, dict)] if isinstance(listed, list) else []
    reading = [part["reading"] for part in parts if isinstance(part.get("reading"), dict)]
    done, total = _sum(reading, "done"), _sum(reading, "total")
    if done < total:
        return "files", done, total
    return "chunks", _sum(parts, "vectors"), _sum(parts, "chunks")


def _sum(parts: list[dict[str, object]], name: str) -> int:
    return sum(value for part in parts if isinstance(value := part.get(name), int))


def _is_none_of_ours(folder: str, result: Mapping[str, object]) -> bool:
    """The daemon skips a folder as a whole only where it does not know it."""
    skipped = result.get("skipped")
    return any(item["path"] == folder for item in skipped) if isinstance(skipped, list) else False


def show(result: dict[str, object]) -> None:
    say(
        f"{result.get('files')} files, {result.get('chunks')} chunks; "
        f"{result.get('added')} added, {result.get('changed')} changed, "
        f"{result.get('removed')} removed; {result.get('took_ms')} ms"
    )
    skipped = result.get("skipped")
    for item in skipped if isinstance(skipped, list) else ():
        say(f"  skipped {item['path']}: {item['why']}")
