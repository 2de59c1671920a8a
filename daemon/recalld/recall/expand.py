"""From the message to the texts that are searched: the literal query and its variants. Pure."""

import unicodedata
from collections.abc import Sequence

from recalld.recall.model import Depth, Route, RouteQuery
from recalld.recall.phrases import TAIL, TEMPORAL_CUES, WRAPPERS, squeeze, without_punctuation
from recalld.recall.policy import AssociationsPolicy, RecallPolicy
from recalld.text.ends import ends_of
from recalld.text.secret_shapes import PLACEHOLDER

MAX_QUERY_CHARS = 400
HEAD_CHARS = 180

_END_CHARS = 2_000

# A wrapper may hide another one: "please, do you remember".
_MAX_WRAPPERS = 3


def literal_query(text: str) -> str:
    """The text to search for ``text`` itself: at most 400 characters, head and tail.

    NFKC; what stands for a secret, the words around the question, vague temporal words and
    loose punctuation are removed. What the words around it would empty is searched as it is.
    """
    raw = squeeze(PLACEHOLDER.sub(" ", text))
    plain = unicodedata.normalize("NFKC", cut(raw))
    for _ in range(_MAX_WRAPPERS):
        plain = WRAPPERS.sub("", plain, count=1)
    plain = TEMPORAL_CUES.sub(" ", TAIL.sub("", plain))
    return cut(without_punctuation(plain)) or cut(raw)


def bounded(text: str) -> str:
    """The part of ``text`` that a query can come from: its first and last 2,000 characters.

    Two pasted megabytes need not be cleaned, redacted and folded to search for 400 characters.
    """
    if len(text) <= 2 * _END_CHARS:
        return text
    return text[:_END_CHARS] + " " + text[-_END_CHARS:]


def cut(text: str) -> str:
    """At most 400 characters: the first 180 and the last 219 of a longer text."""
    return ends_of(text, most=MAX_QUERY_CHARS, head=HEAD_CHARS)


def expand(
    literal: str, *, depth: Depth, policy: RecallPolicy, routes: Sequence[Route]
) -> tuple[RouteQuery, ...]:
    """The queries beside the literal one, in the order of ``routes``.

    None for literal depth, at most ``max_balanced`` for balanced, ``max_deep`` for deep. A
    query equal to the literal or to an earlier one after folding case and blanks is dropped
    and does not count.
    """
    seen = {folded(literal)}
    queries: list[RouteQuery] = []
    for route in routes:
        text = route.plan(literal) if depth in route.depths else None
        if text is None or not folded(text) or folded(text) in seen:
            continue
        seen.add(folded(text))
        queries.append(
            RouteQuery(route=route.name, text=cut(text), weight=route.weight(policy.rrf))
        )
    return tuple(queries[: allowed(depth, policy.expansion.associations)])


def allowed(depth: Depth, policy: AssociationsPolicy) -> int:
    """How many queries ``depth`` may add to the literal one."""
    return {
        Depth.LITERAL: 0,
        Depth.BALANCED: policy.max_balanced,
        Depth.DEEP: policy.max_deep,
    }[depth]


def folded(text: str) -> str:
    """The text as far as two queries are told apart by it."""
    return squeeze(text).casefold()
