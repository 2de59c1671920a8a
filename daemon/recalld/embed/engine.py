"""What an engine's file declares."""

from collections.abc import Callable
from dataclasses import dataclass

from recalld.counters import Counters
from recalld.embed.policy import EmbedPolicy
from recalld.embed.port import Embedder, Identity


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """``build`` is cheap: it neither loads nor imports the engine."""

    name: str
    identity: Identity
    build: Callable[[EmbedPolicy, Counters], Embedder]
