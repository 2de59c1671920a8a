"""What a resuming agent is told: the file as it is now, what was said since, one snapshot.

read → heard since → composed. Each step has its limit: without the store the file is told.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

import anyio
import anyio.to_thread

from recalld.continuity import snapshot
from recalld.continuity.bounded import attempt
from recalld.continuity.disk import Sheet
from recalld.continuity.making import Heard, finished
from recalld.continuity.model import Checkpoint
from recalld.continuity.ports import TurnStore
from recalld.continuity.surfacing.owed import Claim
from recalld.continuity.surfacing.results import Lines
from recalld.continuity.writer import Desk
from recalld.counters import Counters
from recalld.errors import Refused
from recalld.store.model import KeptTurn
from recalld.text.quote import defused, escaped, shortened

# Of a workspace's last turns, how many are asked whether the work was done since.
LATEST_TURNS = 32
# What the turns since may cost; without them the snapshot says when it is of.
STORE_MS = 150
# Snapshots are composed in threads: a file may be 256 KiB of anything.
THREADS = 2
MAX_PROBLEM_CHARS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What is to be told to whom. ``asked`` in words: told also that there is nothing.

    ``known``: labels of sub-agents whose lines in the file are told with words of their own, or
    to somebody else. ``late``: what the session said last may not be in the file yet.
    Texts that hold one of ``ignore`` name no work.
    """

    claim: Claim
    known: frozenset[str]
    asked: bool
    now: datetime
    tokens: int
    late: bool = False
    ignore: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """Where a recovery is made of. ``threads`` bounds those that compose, abandoned ones too."""

    turns: TurnStore
    is_no_user: Callable[[str, str], bool]
    counters: Counters
    threads: anyio.CapacityLimiter


async def told(desk: Desk, request: Request, of: Sources) -> tuple[str | None, Sheet | None]:
    """The text for the agent, and the file that it was made of.

    Raise ``Refused`` and ``Unavailable`` of the file; who ``asked`` is told that it cannot be
    read, where the file is at fault.
    """
    try:
        sheet = await desk.read()
    except Refused as fault:
        of.counters.add("continuity.unreadable")
        if not request.asked:
            raise
        return unreadable(str(fault)), None
    heard = Heard(kept=(), is_no_user=of.is_no_user)
    if request.late or (sheet is not None and sheet.parsed.checkpoint.active):
        none: Sequence[KeptTurn] = ()
        latest = partial(of.turns.latest, desk.root, limit=LATEST_TURNS)
        kept = await attempt(
            "later_turns", latest, otherwise=none, limit_ms=STORE_MS, counters=of.counters
        )
        heard = replace(heard, kept=kept)
    work = partial(composed, sheet, heard, request)
    text = await anyio.to_thread.run_sync(work, abandon_on_cancel=True, limiter=of.threads)
    return text, sheet


def unreadable(problem: str) -> str:
    """What is said where the file is there and says nothing that can be told."""
    why = escaped(defused(shortened(problem, MAX_PROBLEM_CHARS)))
    lines = (snapshot.HEADING, f"Where the work stands cannot be read: {why}.", snapshot.ADVICE)
    return "\n".join(lines)


def composed(sheet: Sheet | None, heard: Heard, request: Request) -> str | None:
    """The snapshot; the plain words that there is none, where it was ``asked`` for; else None."""
    parsed = None if sheet is None else sheet.parsed
    checkpoint = Checkpoint() if parsed is None else parsed.checkpoint
    if request.late and not checkpoint.active:
        checkpoint = heard.by(request.claim.who.key).made_of(checkpoint, ignore=request.ignore)
    lines = Lines(waiting=request.claim.results, known=request.known)
    done = None
    if sheet is not None and sheet.parsed.checkpoint.active:
        done = finished(checkpoint, heard, modified_at=sheet.modified_at)
    shown = replace(
        checkpoint,
        unsurfaced_results=lines.without(checkpoint.unsurfaced_results),
        updated_at=checkpoint.updated_at or (None if sheet is None else sheet.modified_at),
    )
    text = snapshot.snapshot(
        shown,
        now=request.now,
        done=done,
        children=lines.waiting,
        budget_tokens=request.tokens,
    )
    return snapshot.nothing(parsed) if text is None and request.asked else text
