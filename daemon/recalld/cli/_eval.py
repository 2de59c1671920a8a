"""A configuration as something to measure: with the user's own coefficients, as served."""

import os
from collections.abc import Sequence
from dataclasses import fields, replace
from functools import partial
from typing import Any

from recalld.config import Config
from recalld.counters import Counters
from recalld.errors import BadRequest
from recalld.evaluate.run import Recipe
from recalld.search.policy import SearchPolicy, SecondRound
from recalld.searchers import Searchers


def recipe_of(name: str, config: Config, *, everywhere: bool = False) -> Recipe:
    return Recipe(
        name=name, config=config, everywhere=everywhere, tune=partial(_tuned, counters=Counters())
    )


def recipe_without(recipe: Recipe, rules: Sequence[str]) -> Recipe:
    """The same with some of search's switchable rules off. Raises ``BadRequest`` for a name
    that is none of them."""
    known = [one.name for one in fields(SecondRound) if isinstance(one.default, bool)]
    for rule in rules:
        if rule not in known:
            raise BadRequest("--without", f"{rule!r} is no rule (there: {', '.join(known)})")
    off: dict[str, Any] = dict.fromkeys(rules, False)
    second = replace(SecondRound(), **off)
    search = replace(SearchPolicy(), second=second)
    return replace(recipe, name=f"without {', '.join(rules)}", search=search)


def _tuned(searchers: Searchers, *, counters: Counters) -> None:
    searchers.use_own(os.environ, counters)
