"""``recalld tail``: what recall does, as it happens."""

import heapq
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from operator import itemgetter
from typing import Annotated, NoReturn

import typer

from recalld.cli._follow import Follower
from recalld.cli._options import ConfigOption, SocketOption
from recalld.cli._output import flush, safe, say, write
from recalld.cli._traces import daemon_answers, parsed, readable, trace_files

_POLL_S = 0.2


def attach(app: typer.Typer) -> None:
    @app.command()
    def tail(
        *,
        workspace: Annotated[
            list[str] | None,
            typer.Option("--workspace", "-w", metavar="DIR", help="May be repeated."),
        ] = None,
        lines: Annotated[
            int, typer.Option("--lines", "-n", min=0, help="Show this many old lines first.")
        ] = 10,
        follow: Annotated[
            bool, typer.Option("--follow/--no-follow", help="Wait for more, or end.")
        ] = True,
        json: Annotated[bool, typer.Option("--json", help="The lines as they are.")] = False,
        socket: SocketOption = None,
        config: ConfigOption = None,
    ) -> None:
        """Follow the traces of every workspace, through rotation, until Ctrl-C.

        --no-follow prints the newest ones and ends.
        """
        files = trace_files(workspace, socket=socket, config=config)
        if not json:
            waits = follow and not daemon_answers(socket, config)
            why = "; no daemon answers, so nothing new comes before 'recalld serve'"
            names = safe(", ".join(map(str, files)))
            doing = "following" if follow else "reading"
            sys.stderr.write(f"{doing} {names}{why if waits else ''}\n")
        with ExitStack() as stack:
            followers = [stack.enter_context(closing(Follower(file, last=lines))) for file in files]
            shown = show_newest(followers, lines, raw=json)
            if follow:
                follow_all(followers, raw=json)
            elif lines and not shown and not json:
                sys.stderr.write("no trace yet\n")


def show_newest(followers: list[Follower], count: int, *, raw: bool) -> int:
    """Print the newest ``count`` lines that are there, oldest first, over all files; how many."""
    held = list(heapq.merge(*map(_timed, followers), key=itemgetter(0)))
    newest = held[max(0, len(held) - count) :]
    for _, line in newest:
        emit(line, raw=raw)
    flush()
    return len(newest)


def _timed(follower: Follower) -> Iterator[tuple[str, bytes]]:
    """Each old line with its time; one that has none stays behind the one before it."""
    at = ""
    for line in follower.backlog():
        at = str((parsed(line) or {}).get("ts") or at)
        yield at, line


def follow_all(followers: list[Follower], *, raw: bool) -> NoReturn:
    """Print what each has, until interrupted."""
    while True:
        for follower in followers:
            for line in follower.lines():
                emit(line, raw=raw)
        flush()
        time.sleep(_POLL_S)


def emit(line: bytes, *, raw: bool) -> None:
    """Print one line of a trace file; a line that is no trace is passed over unless raw."""
    if raw:
        write(line.decode("utf-8", "replace") + "\n")
        return
    trace = parsed(line)
    if trace is not None:
        say(readable(trace))
