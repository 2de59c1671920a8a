"""A question about yesterday leans towards the notes of yesterday. Pure."""

from datetime import UTC, date, datetime, tzinfo

import numpy as np

from recalld.search.corpus import Bools, Corpus, Ints
from recalld.search.matrix import Singles
from recalld.text.window import Window

# Beyond this nothing is left of the leaning, and a day's distance needs no exponent.
_FAR_DAYS = 30


def day_written(mtime_ns: int, zone: tzinfo | None) -> date:
    """The day a file was written on, in ``zone``."""
    return datetime.fromtimestamp(mtime_ns / 1e9, UTC).astimezone(zone).date()


def days_of(corpus: Corpus, zone: tzinfo | None) -> Ints:
    """The day of each chunk as a proleptic ordinal: its own, else its file's in ``zone``."""
    written = [day_written(file.mtime_ns, zone).toordinal() for file in corpus.files]
    of_file = np.array(written, np.int64)[corpus.file]
    return np.where(corpus.day > 0, corpus.day, of_file)


def nearness(window: Window, corpus: Corpus, zone: tzinfo | None) -> Singles:
    """1 for each chunk of a day inside the window, falling by e with every day between.

    The opening is the earliest day that any chunk gives itself; none does: 0 for all.
    """
    if not len(corpus):
        return np.zeros(0, np.float32)
    days = days_of(corpus, zone)
    if window.opening:
        own: Bools = corpus.day > 0
        if not own.any():
            return np.zeros(len(corpus), np.float32)
        first = date.fromordinal(int(corpus.day[own].min()))
        window = Window(first, first)
    known, at = np.unique(days, return_inverse=True)
    away = np.array([window.away(date.fromordinal(day)) for day in known.tolist()], np.float32)
    near: Singles = np.exp(-np.minimum(away, _FAR_DAYS))[at]
    return near
