"""Replies of one batch, collected until the last request of it ends."""

from collections.abc import Callable
from dataclasses import dataclass, field

from recalld.server.dispatch import Answer
from recalld.server.hub import Subscription
from recalld.server.traffic import Outcome
from recalld.server.wire import join_batch


@dataclass(slots=True, eq=False)
class Batch:
    """``open`` requests have not ended yet. Notifications leave no body.

    ``opened`` subscriptions say nothing before the reply has told their ids.
    """

    open: int
    bodies: list[bytes] = field(default_factory=list)
    outcomes: list[Outcome] = field(default_factory=list)
    opened: list[Subscription] = field(default_factory=list)
    undelivered: list[Callable[[], None]] = field(default_factory=list)

    def end_one(self, answer: Answer, *, answered: bool) -> None:
        self.open -= 1
        if answered:
            self.bodies.append(answer.body)
            self.outcomes.append(answer.outcome)
            self.undelivered += answer.undelivered

    def reply(self) -> bytes | None:
        """The one line for all of them, once none is open; None for notifications alone."""
        return join_batch(self.bodies) if self.open == 0 and self.bodies else None
