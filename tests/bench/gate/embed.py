"""Vectors as the daemon makes them for a query, without its event loop."""

from collections.abc import Sequence

import numpy as np

from recalld.embed.centre import measure_centre, unit
from recalld.embed.port import Purpose, Vectors
from recalld.embed.usem3 import IDENTITY, UseModel

__all__ = ["IDENTITY", "QueryEncoder"]


class QueryEncoder:
    def __init__(self) -> None:
        self._model = UseModel(1)
        self._centre = measure_centre(lambda t, p: unit(self._model.encode(t, p)))

    def __call__(self, texts: Sequence[str]) -> Vectors:
        raw = unit(np.asarray(self._model.encode(texts, Purpose.QUERY)))
        return self._centre.apply(raw, texts, Purpose.QUERY)
