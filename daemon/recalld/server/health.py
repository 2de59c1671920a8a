"""How every part is, asked where the part was registered."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from recalld.budget import Run, Stage

# A part that does not say how it is within this is not well.
ASK_MS = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """How one part is. ``degraded`` says, in a few words each, what does not work; empty: fine."""

    degraded: tuple[str, ...] = ()
    facts: Mapping[str, object] = field(default_factory=dict)


class Health:
    """The parts of the daemon and their checks."""

    def __init__(self) -> None:
        self._checks: dict[str, Callable[[], Awaitable[Condition]]] = {}

    def register(self, part: str, check: Callable[[], Awaitable[Condition]]) -> None:
        """Raise ``ValueError`` for a part that has a check."""
        if part in self._checks:
            raise ValueError(f"{part} is registered twice")
        self._checks[part] = check

    async def report(self) -> dict[str, Condition]:
        """Every part's condition, within half a second; one that cannot say is degraded."""
        silent = Condition(degraded=("does not answer",))
        stages = [
            Stage(name=part, work=check, otherwise=silent, limit_ms=ASK_MS)
            for part, check in self._checks.items()
        ]
        return dict(zip(self._checks, await Run(ASK_MS).fan_out(stages), strict=True))
