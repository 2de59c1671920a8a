"""Linked scenarios as figures. Pure.

What the shipped coefficients find is one thing; what coefficients fitted on these very scenarios
would find is another, seen and, each in turn, unseen.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from recalld.evaluate.heartbeat_eval import Linked
from recalld.evaluate.metrics import share
from recalld.evaluate.related_fit import Counts, Example, counted, fitted, odds_of, shown
from recalld.heartbeat.enrich import EACH
from recalld.heartbeat.weights import coefficients_of

# Reasons against a memory that are rules, not judgement; what is in no list is worse still.
UNKNOWN = "unknown_id"
RULES = frozenset({"same_session", "wrong_type", "archived", UNKNOWN})
NEAR = "unrelated_near"

ALL = "all"
SEEN = "fitted on these"
UNSEEN = "fitted on the others"
# Fewer say nothing about a fit.
MIN_FITTED = 5
_FOLDS = 10


def heartbeat_figures(linked: Sequence[Linked], *, engine: str) -> dict[str, dict[str, float]]:
    """``all``, each language, and what a fit to them would find; empty without scenarios.

    ``rule violations`` must be 0; ``kept empty`` is the share of the scenarios without anything
    related that were left so; ``same word`` and ``other`` are wrong ones, by kind.
    """
    if not linked:
        return {}
    table = {ALL: _figures(linked)}
    for lang in sorted({one.scenario.lang for one in linked} - {""}):
        table[lang] = _figures([one for one in linked if one.scenario.lang == lang])
    return table | refitted(linked, engine=engine)


def refitted(linked: Sequence[Linked], *, engine: str) -> dict[str, dict[str, float]]:
    """Empty where there is too little to fit on."""
    examples = [_example(one, at) for at, one in enumerate(linked)]
    related = [one for one in examples if one.related & one.figures.keys()]
    features = _features(linked, engine)
    if len(related) < MIN_FITTED or not features:
        return {}
    whole = fitted(examples, features)
    seen, unseen = [], []
    for at, one in enumerate(linked):
        mine = examples[at]
        without = fitted([*examples[:at], *examples[at + 1 :]], features)
        seen.append(replace(one, related=shown(odds_of(whole, mine), whole.threshold)))
        unseen.append(replace(one, related=shown(odds_of(without, mine), without.threshold)))
    return {SEEN: _figures(seen), UNSEEN: _figures(unseen)}


def reasons(linked: Iterable[Linked]) -> list[str]:
    """Why each wrong memory is wrong."""
    return [
        one.scenario.not_gold.get(memory, UNKNOWN)
        for one in linked
        for memory in one.related
        if memory not in one.scenario.gold
    ]


def _figures(linked: Sequence[Linked]) -> dict[str, float]:
    total = Counts()
    for one in linked:
        total = total.plus(counted(one.related[:EACH], one.scenario.gold))
    wrong = reasons(linked)
    violations = sum(why in RULES for why in wrong)
    return {
        "n": len(linked),
        "precision": total.precision,
        "recall": total.recall,
        "f1": total.f1,
        "rule violations": violations,
        "kept empty": share([not one.related for one in linked if not one.scenario.gold]),
        "same word": wrong.count(NEAR),
        "other": len(wrong) - violations - wrong.count(NEAR),
    }


def _example(one: Linked, at: int) -> Example:
    return Example(figures=one.figures, related=one.scenario.gold, fold=at % _FOLDS)


def _features(linked: Sequence[Linked], engine: str) -> tuple[str, ...]:
    """Those of the shipped model that knows most of what is known here."""
    every = [figures for one in linked for figures in one.figures.values()]
    for model in coefficients_of(engine).models:
        if every and all(model.reads(figures) for figures in every):
            return model.features
    return ()
