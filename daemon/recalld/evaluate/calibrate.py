"""Coefficients of the raw score from labelled questions, and what they are worth.

What is printed is of questions that took no part: cross-validated by conversation, user or chat,
and, beside it, every set by coefficients of the other sets.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from recalld.embed.policy import EmbedPolicy
from recalld.errors import BadRequest
from recalld.evaluate.fit import (
    cross_validated,
    fit_samples,
    fold_of,
    single_corpora,
)
from recalld.evaluate.metrics import Answer
from recalld.evaluate.samples import Sample, gather
from recalld.evaluate.sets import EvalSet, load_set, set_names
from recalld.evaluate.world import open_world
from recalld.search.policy import SearchPolicy
from recalld.search.relevance import Coefficients, Provenance

# Nobody waits for these searches; a leg that is late on a busy machine would be fitted as absent.
PATIENT = SearchPolicy(
    total_ms=120_000,
    embed_limit_ms=30_000,
    lexical_limit_ms=30_000,
    scan_limit_ms=30_000,
    details_limit_ms=30_000,
    refresh_limit_ms=30_000,
)
NOTE = "Fitted coefficients only; no text of any source is contained or can be recovered."


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """``held_out``: every question by coefficients without its fold; ``left_out``: without its
    set, None where there is only one. ``identity`` is the engine they were fitted for."""

    identity: str
    coefficients: Coefficients
    held_out: tuple[Answer, ...]
    left_out: tuple[Answer, ...] | None


async def calibrate(
    data: Path,
    folder: Path,
    *,
    embed: EmbedPolicy,
    sources: Sequence[str] = (),
    note: str = NOTE,
) -> Calibration:
    """Index the sets of ``data`` under ``folder``, ask, and fit.

    Raises ``BadRequest`` where ``data`` holds no set, or too few questions of a kind, and as
    ``open_index`` and ``World.examine`` where the engine is lacking.
    """
    names = set_names(data)
    if not names:
        raise BadRequest(str(data), "no folder in it holds corpus.jsonl and queries.jsonl")
    sets = tuple(load_set(data, name) for name in names)
    async with open_world(folder, sets, embed=embed, search=PATIENT) as world:
        samples = await gather(world, sets)
        identity = world.index.identity
    provenance = Provenance(
        fitted_on=f"{len(samples)} questions, {_counts(samples)}",
        sources=tuple(sources) or tuple(_source(one) for one in sets),
        note=note,
    )
    try:
        return fitted(samples, str(identity), engine=identity.engine, provenance=provenance)
    except ValueError as error:
        raise BadRequest(str(data), str(error)) from error


def fitted(
    samples: Sequence[Sample], identity: str, *, engine: str, provenance: Provenance
) -> Calibration:
    """Raises ``ValueError`` as ``fit_samples``."""
    judged = partial(cross_validated, samples, engine=engine, provenance=provenance, policy=PATIENT)
    fold = partial(fold_of, by_query=single_corpora(samples))
    several = len({one.set_name for one in samples}) > 1
    return Calibration(
        identity=identity,
        coefficients=fit_samples(samples, engine, provenance),
        held_out=tuple(judged(fold)),
        left_out=tuple(judged(lambda one: one.set_name)) if several else None,
    )


def _counts(samples: Sequence[Sample]) -> str:
    sizes = Counter("crossed" if one.crossed else one.set_name for one in samples)
    return ", ".join(f"{name} {count}" for name, count in sizes.items())


def _source(one: EvalSet) -> str:
    rows = sum(len(members) for members in one.groups.values())
    return f"{one.name}: {rows} chunks, {len(one.queries)} questions of the user's own"
