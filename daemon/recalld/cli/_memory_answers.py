"""``recalld memory`` where something is asked back: forgetting, and what turns proposed."""

import sys
from collections.abc import Mapping, Sequence
from typing import Annotated

import typer

from recalld.cli._memories import (
    STATES,
    LimitOption,
    OwnerOption,
    call,
    given,
    listed,
    mapping,
    rows,
)
from recalld.cli._options import ConfigOption, JsonFlag, SocketOption, asked, daemon
from recalld.cli._output import print_json, safe, say, shown, table
from recalld.client import Client
from recalld.errors import BadRequest, Refused

# Forgetting looks through everything that is kept.
_FORGET_S = 150.0
_YES = ("y", "yes", "是")

ProposalsArgument = Annotated[
    list[str], typer.Argument(metavar="ID", help="As 'recalld memory proposals' shows it.")
]


def forget(
    ids: Annotated[
        list[str] | None, typer.Argument(metavar="ID", help="As 'recalld memory list' shows it.")
    ] = None,
    *,
    query: Annotated[
        str | None,
        typer.Option("--query", "-q", help="All that hold this, or all of its words."),
    ] = None,
    owner: OwnerOption = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    json: JsonFlag = False,
    socket: SocketOption = None,
    config: ConfigOption = None,
) -> None:
    """Remove memories and their words, and say what lies out of reach. Asks first."""
    if bool(ids) == (query is not None):
        raise BadRequest("memory forget", "name memories by ID, or by --query TEXT")
    with daemon(socket, config) as client:
        if query is None:
            # All of them are there, or none is forgotten.
            found = [asked(client, "memory.get", {"id": each}) for each in ids or ()]
            memories: Sequence[Mapping[str, object]] = [
                mapping(each.get("memory")) for each in found
            ]
            calls: list[dict[str, object]] = [{"id": each} for each in dict.fromkeys(ids or ())]
            more = False
        else:
            wanted = given(query=query, owner=owner)
            memories, more = _holding(client, wanted)
            calls = [{**wanted, "confirm": True}]
        if memories and not yes:
            _confirm(memories, more=more)
        receipts = [asked(client, "memory.forget", each, timeout_s=_FORGET_S) for each in calls]
    receipt = _summed(receipts)
    if json:
        print_json(receipt)
    else:
        _show(receipt)


def _holding(
    client: Client, wanted: Mapping[str, object]
) -> tuple[Sequence[Mapping[str, object]], bool]:
    """What would be forgotten, the first hundred, and whether there is more."""
    page = asked(client, "memory.list", {**wanted, "states": list(STATES), "limit": 100})
    return rows(page.get("memories")), page.get("cursor") is not None


def _confirm(memories: Sequence[Mapping[str, object]], *, more: bool) -> None:
    """On standard error: on standard output is the result alone. Raise ``Refused`` for a no."""
    for memory in memories:
        words = " ".join(str(memory.get("content")).split())
        sys.stderr.write(safe(f"{memory.get('id')}  {words}\n"))
    count = f"these {len(memories)}{' and more' if more else ''}" if len(memories) > 1 else "this"
    sys.stderr.write(f"Forget {count}? [y/N] ")
    sys.stderr.flush()
    if sys.stdin.readline().strip().lower() not in _YES:
        sys.stderr.write("\n")
        raise Refused("nothing was forgotten; --yes does not ask")


def _summed(receipts: Sequence[Mapping[str, object]]) -> dict[str, object]:
    """One receipt of several."""
    ids: list[object] = []
    removed: dict[str, int] = {}
    beyond: dict[str, None] = {}
    for receipt in receipts:
        ids += listed(receipt.get("ids"))
        for what, count in mapping(receipt.get("removed")).items():
            removed[what] = removed.get(what, 0) + int(str(count))
        beyond |= dict.fromkeys(map(str, listed(receipt.get("out_of_reach"))))
    return {"ids": ids, "removed": removed, "out_of_reach": list(beyond)}


def _show(receipt: Mapping[str, object]) -> None:
    gone = {what: count for what, count in mapping(receipt["removed"]).items() if count}
    say("removed: " + (shown(gone) if gone else "nothing"))
    for place in listed(receipt["out_of_reach"]):
        say(f"out of reach: {place}")


def proposals(
    *,
    limit: LimitOption = 50,
    owner: OwnerOption = None,
    json: JsonFlag = False,
    socket: SocketOption = None,
    config: ConfigOption = None,
) -> None:
    """List what turns proposed to remember and you have not answered."""
    result = call("memory.proposals", given(limit=limit, owner=owner), socket, config)
    if json:
        print_json(result)
        return
    found = rows(result.get("proposals"))
    if not found:
        say("nothing proposed")
        return
    head = ("id", "type", "said by", "content")
    table([[each.get(name.replace(" ", "_")) for name in head] for each in found], head=head)


def accept(
    ids: ProposalsArgument,
    *,
    json: JsonFlag = False,
    socket: SocketOption = None,
    config: ConfigOption = None,
) -> None:
    """Make proposals memories."""
    with daemon(socket, config) as client:
        results = [asked(client, "memory.accept", {"id": each}) for each in ids]
    if json:
        print_json({"accepted": results})
        return
    for result in results:
        say(f"remembered as {shown(mapping(result.get('memory')).get('id'))}")


def reject(
    ids: ProposalsArgument,
    *,
    json: JsonFlag = False,
    socket: SocketOption = None,
    config: ConfigOption = None,
) -> None:
    """Forget proposals; the same is not proposed again."""
    with daemon(socket, config) as client:
        for each in ids:
            asked(client, "memory.reject", {"id": each})
    if json:
        print_json({"rejected": list(ids)})
    else:
        say(f"rejected {len(ids)}")
