"""Values of the store that others may name. Pure."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """What one message says about its session; None where it says nothing.

    ``end_reason`` is set by the message that ends it.
    """

    key: str
    agent: str
    workspace: str | None
    client: str | None
    at: datetime
    end_reason: str | None = None
