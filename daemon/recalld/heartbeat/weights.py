"""The coefficients that figures of likeness are judged by. Pure."""

from collections.abc import Mapping
from functools import lru_cache
from importlib import resources
from math import exp

from msgspec import Struct, json

from recalld.text.language import has_cjk

LEXICAL_ONLY = "none"
_MAX_ODDS = 30.0


class Provenance(Struct, frozen=True, kw_only=True):
    """Where coefficients come from. They are fitted numbers and hold no text of a source."""

    fitted_on: str
    note: str


class Model(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Log-odds of being related, and from which of them on a memory counts as such."""

    features: tuple[str, ...]
    weights: tuple[float, ...]
    bias: float
    threshold: float

    def __post_init__(self) -> None:
        if len(self.weights) != len(self.features):
            raise ValueError("a coefficient for every feature is needed")

    def reads(self, figures: Mapping[str, float]) -> bool:
        """Whether everything it asks for is known."""
        return all(name in figures for name in self.features)

    def odds(self, figures: Mapping[str, float]) -> float:
        pairs = zip(self.features, self.weights, strict=True)
        return self.bias + sum(weight * figures[name] for name, weight in pairs)

    def score(self, figures: Mapping[str, float]) -> float:
        """In [0, 1]; .5 at the threshold."""
        over = self.odds(figures) - self.threshold
        return 1.0 / (1.0 + exp(-min(_MAX_ODDS, max(-_MAX_ODDS, over))))


class WordCentres(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The mean of an engine's vectors of single words, for each of the two scripts."""

    cjk: tuple[float, ...]
    latin: tuple[float, ...]

    def of(self, word: str) -> tuple[float, ...]:
        return self.cjk if has_cjk(word) else self.latin


class Coefficients(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The data file of one engine. Of ``models``, the first that reads the figures judges them:
    those that know more come first, the last asks for words only. ``word_centres``: None where no
    model asks for vectors of words."""

    engine: str
    provenance: Provenance
    models: tuple[Model, ...]
    word_centres: WordCentres | None = None

    def score(self, figures: Mapping[str, float]) -> float:
        """By the first model that reads them; 0 where none does."""
        for model in self.models:
            if model.reads(figures):
                return model.score(figures)
        return 0.0


@lru_cache(maxsize=8)
def coefficients_of(engine: str) -> Coefficients:
    """The shipped ones of an engine; those of words alone for one that has none."""
    folder = resources.files("recalld.heartbeat") / "coefficients"
    file = folder / f"{engine}.json"
    if not file.is_file():
        file = folder / f"{LEXICAL_ONLY}.json"
    return json.decode(file.read_bytes(), type=Coefficients)
