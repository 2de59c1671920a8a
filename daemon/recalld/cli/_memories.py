"""What the commands about memories share: their options, their calls, how memories are shown."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime, time
from typing import Annotated, Any

import typer

from recalld.cli._options import asked, daemon
from recalld.cli._output import print_json, say, shown, table
from recalld.errors import BadRequest

STATES = ("active", "stale", "resolved", "archived", "deleted")
_CONTENT_CHARS = 80
_TIME_CHARS = len("2026-05-01T12:00")
_SEEN = ("type", "state", "importance", "created_at")

OwnerOption = Annotated[
    str | None, typer.Option("--owner", metavar="NAME", help="Whose; default: 'default'.")
]
LimitOption = Annotated[int, typer.Option("--limit", "-n", min=1, max=100, help="At most so many.")]
SessionOption = Annotated[
    str | None,
    typer.Option("--session", metavar="KEY", help="The session it was said in."),
]
MinScoreOption = Annotated[
    float,
    typer.Option("--min-score", min=0.0, max=1.0, help="Leave out what is less like it."),
]
IdArgument = Annotated[str, typer.Argument(metavar="ID", help="As 'recalld memory list' shows it.")]


def given(**params: object) -> dict[str, object]:
    """The parameters that are not None."""
    return {name: value for name, value in params.items() if value is not None}


def call(
    method: str, params: dict[str, object], socket: str | None, config: str | None
) -> dict[str, object]:
    """The result of one call."""
    with daemon(socket, config) as client:
        return asked(client, method, params)


def moment(text: str | None, option: str, *, ends: bool = False) -> str | None:
    """RFC 3339 of a time or a date, of this machine's zone where it names none.

    ``ends``: a date means its last second. ``BadRequest`` on ``option`` for anything else.
    """
    if text is None:
        return None
    try:
        at = datetime.fromisoformat(text)
        if len(text) == len("2026-05-01"):
            at = datetime.combine(date.fromisoformat(text), time.max if ends else time.min)
            at = at.replace(microsecond=0)
        return (at.astimezone() if at.tzinfo is None else at).isoformat()
    except (ValueError, OverflowError) as error:
        raise BadRequest(
            option, f"{text!r} is no date or time, such as 2026-05-01T12:00"
        ) from error


def lower(words: Sequence[str] | None) -> list[str] | None:
    return None if words is None else [word.lower() for word in words]


def mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def listed(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def rows(value: object) -> list[Mapping[str, Any]]:
    return [mapping(each) for each in listed(value)]


def show_memory(result: Mapping[str, object], *, json: bool) -> None:
    """Its words, then what is known of it."""
    if json:
        print_json(result)
        return
    memory = mapping(result.get("memory"))
    say(str(memory.get("content")))
    say()
    for name, value in memory.items():
        if name != "content" and value not in (None, []):
            say(f"{name}: {shown(value)}")


def table_of(
    memories: Sequence[Mapping[str, object]],
    *,
    otherwise: str,
    scores: Sequence[tuple[object, object]] | None = None,
) -> None:
    """One a line; ``scores`` in front of each: what orders them, and how near it is. When they
    are due stands there where one of them has a date."""
    if not memories:
        say(otherwise)
        return
    head = ["id", "type", "state", "imp.", "created", "content"]
    lines = [_row(memory) for memory in memories]
    if any(memory.get("expires_at") for memory in memories):
        head.insert(-1, "due")
        for line, memory in zip(lines, memories, strict=True):
            line.insert(-1, _time(memory.get("expires_at")))
    if scores is not None:
        head = ["score", "near", *head]
        lines = [[*pair, *line] for pair, line in zip(scores, lines, strict=True)]
    table(lines, head=head)


def _row(memory: Mapping[str, object]) -> list[object]:
    kind, state, importance, created = (memory.get(name) for name in _SEEN)
    words = " ".join(str(memory.get("content")).split())
    short = words if len(words) <= _CONTENT_CHARS else words[: _CONTENT_CHARS - 1] + "…"
    return [memory.get("id"), kind, state, importance, _time(created), short]


def _time(value: object) -> str:
    """As this machine's clock shows it, as times are given; ``-`` for none."""
    if not value:
        return "-"
    try:
        return f"{datetime.fromisoformat(str(value)).astimezone():%Y-%m-%d %H:%M}"
    except (ValueError, OverflowError):
        return str(value)[:_TIME_CHARS].replace("T", " ")
