"""Whether somebody else than the named person has the better evidence. Pure.

"What did Ann say about the move?" of a corpus where only Bob moved finds Bob's words by their
topic. How far another speaker's best hit is ahead of the named one's counts against an answer,
and the named one's lead for it: questions about the wrong person that pass fall from .81 to .57,
useful ones rise by .02.
"""

from collections.abc import Sequence

import numpy as np

from recalld.search.corpus import NO_SPEAKER, Bools, Corpus, Ints
from recalld.search.matrix import Singles


def other_speakers(corpus: Corpus, named: Sequence[int]) -> Bools:
    """Which chunks another known speaker said; none unless exactly one is named."""
    if len(named) != 1:
        return np.zeros(len(corpus), np.bool_)
    other: Bools = (corpus.speaker != NO_SPEAKER) & (corpus.speaker != named[0])
    return other


def lead_of_others(corpus: Corpus, words: Singles, at: Ints, *, named: Sequence[int]) -> float:
    """The best bm25 of another speaker minus that of the named one, by the best of all.

    ``at`` are the candidates that are looked at, found without regard to who speaks. In [-1, 1];
    0 unless exactly one speaker of several is named.
    """
    top = float(words.max(initial=0.0))
    if len(named) != 1 or len(corpus.speakers) < 2 or not top:
        return 0.0
    said_by, value = corpus.speaker[at], words[at]
    own = float(value[said_by == named[0]].max(initial=0.0))
    others = (said_by != named[0]) & (said_by != NO_SPEAKER)
    return (float(value[others].max(initial=0.0)) - own) / top
