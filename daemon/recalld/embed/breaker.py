"""How long to wait after a failure: ever longer, and very long after several in a row."""

from dataclasses import dataclass, field


@dataclass
class Breaker:
    """``failed`` gives the pause; it opens with the last of ``pauses_s`` used up.

    Open, every further failure costs ``open_s``; one success closes it.
    """

    pauses_s: tuple[float, ...] = (1.0, 2.0)
    open_s: float = 300.0
    failures: int = field(default=0, init=False)

    @property
    def is_open(self) -> bool:
        return self.failures > len(self.pauses_s)

    def failed(self) -> float:
        self.failures += 1
        return self.open_s if self.is_open else self.pauses_s[self.failures - 1]

    def succeeded(self) -> None:
        self.failures = 0
