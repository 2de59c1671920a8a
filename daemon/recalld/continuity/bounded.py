"""Two ways to do what may fail or hang: go on without it, or say so.

Each is one stage of a run of its own; what did not end well is counted as
``continuity.NAME_OUTCOME``.
"""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from recalld.budget import Outcome, Run, Stage
from recalld.counters import Counters
from recalld.errors import NotFound, Refused, Unavailable

T = TypeVar("T")

# What is named when it fails.
DISK, STORE = "disk", "store"


async def attempt(
    name: str,
    work: Callable[[], Awaitable[T]],
    *,
    otherwise: T,
    limit_ms: int,
    counters: Counters,
) -> T:
    """The work's result, else ``otherwise``: never raises but for ``Corrupt``."""
    run = Run(limit_ms)
    stage = Stage(name=f"continuity.{name}", work=work, otherwise=otherwise, limit_ms=limit_ms)
    result = await run.stage(stage)
    outcome = run.ledger[-1].outcome
    if outcome is not Outcome.OK:
        counters.add(f"continuity.{name}_{outcome}")
    return result


async def insist(
    name: str,
    work: Callable[[], Awaitable[T]],
    *,
    limit_ms: int,
    counters: Counters,
    part: str = DISK,
) -> T:
    """The work's result. ``Refused`` and ``NotFound`` of the work pass; else ``Unavailable``.

    ``part`` is named where the work does not end in time or breaks in a way nobody foresaw.
    """
    got: list[T] = []
    said: list[Refused | NotFound] = []
    faults: list[Unavailable] = []

    async def kept() -> None:
        try:
            got.append(await work())
        except (Refused, NotFound) as fault:
            # An answer, not a failure: nobody is to be alarmed by it.
            said.append(fault)
        except Unavailable as fault:
            faults.append(fault)
            raise

    run = Run(limit_ms)
    await run.stage(Stage(name=f"continuity.{name}", work=kept, otherwise=None, limit_ms=limit_ms))
    if got:
        return got[0]
    if said:
        counters.add(f"continuity.{name}_refused")
        raise said[0]
    note = run.ledger[-1]
    counters.add(f"continuity.{name}_{note.outcome}")
    raise faults[0] if faults else Unavailable(part, note.error or f"{name} is not done in time")
