"""Whether a parent's own words report what its sub-agents left. Pure."""

from collections.abc import Sequence

from recalld.continuity.likeness import content
from recalld.continuity.model import ChildResult
from recalld.text.folding import simplified
from recalld.text.language import is_cjk
from recalld.text.shingles import share_in, shingles, words

# Of the words that carry a result, more than so many are repeated; of the pairs of neighbours in
# Chinese fewer, which are split where a word is put between.
MOST, MOST_CJK = 0.5, 0.4
# A report stands in the first words or in the last ones; reading more of them costs seconds.
MAX_SIDE_CHARS = 16_384


def reported(waiting: Sequence[ChildResult], said: str) -> tuple[ChildResult, ...]:
    """Those of ``waiting`` that ``said`` tells, in their order; never one that left no words.

    It tells more than half of a result's content, and of several that wait more than half of
    the words that this one alone has: "module a passes" is not told by "module b passes".
    """
    if not waiting or not said.strip():
        return ()
    text = said if len(said) <= 2 * MAX_SIDE_CHARS else _ends(said)
    has, told, runs = content(text), _words(text), shingles(text)
    return tuple(
        child
        for child in waiting
        if _tells(child.result, has, runs) and _tells_own(child, waiting, told)
    )


def _ends(said: str) -> str:
    return f"{said[:MAX_SIDE_CHARS]}\n{said[-MAX_SIDE_CHARS:]}"


def _tells(result: str, has: frozenset[str], runs: frozenset[int]) -> bool:
    """A result of stop-words alone ("all of it is") is told by its runs of words."""
    carried = content(result)
    if carried:
        most = MOST_CJK if is_cjk(result) else MOST
        return len(carried & has) > most * len(carried)
    return share_in(shingles(result), runs) > MOST


def _tells_own(child: ChildResult, waiting: Sequence[ChildResult], told: frozenset[str]) -> bool:
    others = [_words(other.result) for other in waiting if other is not child]
    own = _words(child.result).difference(*others) if others else frozenset()
    return not own or len(own & told) > MOST * len(own)


def _words(text: str) -> frozenset[str]:
    return frozenset(words(simplified(text)))
