"""The same questions by coefficients that never saw them: what a fit to them does not flatter."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from recalld.errors import BadRequest
from recalld.evaluate.calibrate import NOTE, PATIENT
from recalld.evaluate.fit import FOLDS, cross_validated, fold_of, single_corpora
from recalld.evaluate.metrics import Answer
from recalld.evaluate.run import Evaluation, Recipe, chosen, let_through, loaded
from recalld.evaluate.samples import Sample, gather
from recalld.evaluate.sets import load_set, set_names
from recalld.evaluate.world import open_world
from recalld.search.relevance import Provenance

BY_FOLD = f"{FOLDS}-fold, held out"
BY_SET = "each set by the others"


async def held_out(
    data: Path, folder: Path, recipe: Recipe, *, only: Sequence[str] = ()
) -> tuple[Evaluation, ...]:
    """Each question by coefficients fitted without its fold; with several sets, also without
    its set. Indexed in ``folder``. Only ``high_raw_score`` and ``top_k`` of the configuration
    and its engine matter here.

    Raises ``BadRequest`` where there is no set, or too little to fit on.
    """
    there = set_names(data)
    names = [name for name in chosen(data, only) if name in there]
    sets = tuple(load_set(data, name) for name in names)
    embed, index = recipe.config.embed, recipe.index
    async with open_world(folder, sets, embed=embed, search=PATIENT, index=index) as world:
        await loaded(world.index.embedder)
        samples = await gather(world, sets)
        engine = world.index.identity
    fold = partial(fold_of, by_query=single_corpora(samples))
    parts: dict[str, Callable[[Sample], object]] = {BY_FOLD: fold}
    if len(sets) > 1:
        parts[BY_SET] = lambda one: one.set_name
    try:
        return tuple(
            Evaluation(
                name=name,
                engine=str(engine),
                threshold=recipe.config.recall.high_raw_score,
                answers=_answers(samples, part, engine=engine.engine, recipe=recipe),
            )
            for name, part in parts.items()
        )
    except ValueError as error:
        raise BadRequest(str(data), str(error)) from error


def _answers(
    samples: Sequence[Sample], part: Callable[[Sample], object], *, engine: str, recipe: Recipe
) -> tuple[Answer, ...]:
    """Those of the sets' own questions: the crossed ones only help to fit."""
    provenance = Provenance(fitted_on="held out", sources=(), note=NOTE)
    found = cross_validated(samples, part, engine=engine, provenance=provenance, policy=PATIENT)
    return tuple(
        let_through(replace(answer, injected=()), recipe.config)
        for sample, answer in zip(samples, found, strict=True)
        if not sample.crossed
    )
