"""Which part of a chunk matched best. Pure."""

import numpy as np

from recalld.search.corpus import Corpus
from recalld.search.features import Rarity, root_of
from recalld.search.matrix import Singles
from recalld.search.model import ChunkDetail


def focus_of(
    detail: ChunkDetail, tokens: tuple[str, ...], rare: Rarity, cosines: Singles | None
) -> tuple[int, int]:
    """The character range of the window that holds most of the question, by idf and cosine.

    ``cosines`` are those of the chunk's windows. The whole text where it has at most one window.
    """
    windows = detail.windows
    if len(windows) < 2:
        return windows[0] if windows else (0, len(detail.text))
    text = detail.text.lower()
    value = np.zeros(len(windows))
    for token, idf in zip(tokens, rare.idf.tolist(), strict=True):
        root = root_of(token)
        value += [idf * (text.find(root, start, end) >= 0) for start, end in windows]
    value /= rare.total
    if cosines is not None and len(cosines) == len(windows):
        value = value + cosines
    return windows[int(value.argmax())]


def window_cosines(corpus: Corpus, scores: Singles, at: int) -> Singles:
    """The scores of the windows of the chunk at position ``at``."""
    start = corpus.passages.start
    return scores[start[at] : start[at + 1]]
