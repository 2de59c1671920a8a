"""The surroundings of a tick's topics as lines to read. Pure."""

from collections.abc import Iterable, Mapping, Sequence

from recalld.heartbeat.graphport import Entity, Neighbour

MAX_TOPICS = 15
PER_ENTITY = 5
IN_ALL = 15
MAX_LINE_CHARS = 200
# One side of a line, so that a long name never hides the relation.
_MAX_NAME_CHARS = 60


def topics(entities: Iterable[Entity]) -> tuple[Entity, ...]:
    """The entities to look around, each name once in any case, in their order; at most 15."""
    first: dict[str, Entity] = {}
    for entity in entities:
        if entity.name.strip():
            first.setdefault(entity.name.casefold(), entity)
    return tuple(first.values())[:MAX_TOPICS]


def graph_lines(
    found: Mapping[Entity, Sequence[Neighbour]], relations: Iterable[str]
) -> tuple[str, ...]:
    """One line a relation that is among ``relations``, strongest first, ties by the line.

    ``NAME (TYPE) → RELATION → NAME (TYPE)``, in the relation's direction, so that what both ends
    tell is one line. At most 5 of an entity, 15 in all. Relations are compared in any case, with
    blanks and hyphens as ``_``.
    """
    wanted = {_relation(relation) for relation in relations}
    strengths: dict[str, float] = {}
    for entity, neighbours in found.items():
        lines: dict[str, float] = {}
        for neighbour in neighbours:
            if _relation(neighbour.relation) in wanted:
                line = _line(entity, neighbour)
                lines[line] = max(_strength(neighbour), lines.get(line, 0.0))
        for line in _strongest(lines)[:PER_ENTITY]:
            strengths[line] = max(lines[line], strengths.get(line, 0.0))
    return tuple(_strongest(strengths)[:IN_ALL])


def _strongest(strengths: Mapping[str, float]) -> list[str]:
    return sorted(strengths, key=lambda line: (-strengths[line], line))


def _strength(neighbour: Neighbour) -> float:
    # A strength that is not a number would make the order depend on where it stands.
    strength = neighbour.strength
    return strength if strength == strength else 0.0  # noqa: PLR0124


def _relation(relation: str) -> str:
    return "_".join(relation.casefold().replace("-", " ").replace("_", " ").split())


def _line(entity: Entity, neighbour: Neighbour) -> str:
    ends = (_named(entity), _named(neighbour.entity))
    source, target = ends if neighbour.outward else ends[::-1]
    return f"{source} → {_cut(_relation(neighbour.relation))} → {target}"[:MAX_LINE_CHARS]


def _named(entity: Entity) -> str:
    name, kind = _cut(entity.name), _cut(entity.type, 20)
    return f"{name} ({kind})" if kind else name


def _cut(text: str, most: int = _MAX_NAME_CHARS) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= most else plain[: most - 1] + "…"
