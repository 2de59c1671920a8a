"""What the heartbeat asks of a graph of entities and relations. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class Entity:
    """Something that memories are about. ``type`` is free text, as in ``tool`` or ``person``."""

    name: str
    type: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbour:
    """What an entity is tied to by ``relation``, which may be written in any case.

    ``outward``: the relation goes from the entity to the neighbour, not to it. ``strength`` is in
    [0, 1].
    """

    entity: Entity
    relation: str
    outward: bool
    strength: float


class GraphPort(Protocol):
    """A graph of one daemon. ``Unavailable`` from each, never anything half done."""

    async def entities_of(self, owner: str, memory_ids: Sequence[str]) -> Sequence[Entity]:
        """What these memories mention, the most mentioned first; empty for unknown ids."""

    async def neighbours(self, owner: str, entity: Entity) -> Sequence[Neighbour]:
        """One step in both directions, in any order; empty for an unknown entity."""


class NoGraph:
    """A daemon without graph memory: it knows of nothing."""

    async def entities_of(self, owner: str, memory_ids: Sequence[str]) -> Sequence[Entity]:
        del owner, memory_ids
        return ()

    async def neighbours(self, owner: str, entity: Entity) -> Sequence[Neighbour]:
        del owner, entity
        return ()


NO_GRAPH: GraphPort = NoGraph()
