"""What speaks for and against each candidate: the inputs of the judgement. Pure."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from recalld.search.corpus import Bools, Corpus, Ints
from recalld.search.matrix import Singles
from recalld.search.model import ChunkDetail
from recalld.search.policy import SearchPolicy
from recalld.search.question import Question
from recalld.search.score import Fusion, Legs, smoothed
from recalld.text.asking import may_ask, questions
from recalld.text.tokens import lexical_tokens

Matrix = NDArray[np.float64]

# In this order the columns of a feature matrix and the coefficients stand.
FEATURES = (
    "lex",  # bm25 by what the question's words could give at all
    "lex_rel",  # bm25 by the best of the list
    "cov",  # share of the question's words, by idf, in the chunk or its head
    "cov_own",  # the same without the half credit for words in a neighbour
    "missing",  # share of words that occur nowhere
    "exp",  # bm25 of the neighbour words
    "cos",
    "cos_nb",  # what the neighbours add to the cosine
    "z",
    "zmax",
    "support",
    "spk_other",  # said by somebody else than the one the question names
    "xling",  # another language than the question
    "both",  # among the first three of both legs
    "gap",  # distance to the second candidate
    "date",  # shares a date with the question
    "nterm",
    "isq",  # share of its characters in sentences that ask
    "echo",  # share of the question's words, by idf, that it only asks with itself
    "fp_asst",  # the assistant's words where the asker's own are wanted
    "window",  # near the time that the question names
    "sparse",  # learned weights in common, by what the question gives itself
)
_BM25_PER_IDF = 1.5
_LEX_CAP = 1.5
_Z_SCALE = 6.0
_Z_CAP = 1.5
_GAP_CAP = 0.5
_TERM_CAP = 12
_SPARSE_CAP = 1.5


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenSets:
    """The tokens of one candidate as the full-text table has them.

    ``asked`` are those that stand in sentences that ask and nowhere else in the chunk.
    """

    own: frozenset[str]
    near: frozenset[str]
    head: frozenset[str]
    asked: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Rarity:
    """Inverse document frequencies of the question's tokens, in their order."""

    idf: NDArray[np.float64]
    absent: Bools

    @property
    def total(self) -> float:
        return float(self.idf.sum()) or 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """The candidates, best first: where they stand, what they hold, what the tokens are worth."""

    at: Ints
    tokens: tuple[TokenSets, ...]
    rare: Rarity


def rarity(tokens: Sequence[str], counts: Mapping[str, int], chunks: int) -> Rarity:
    """``counts``: in how many of ``chunks`` chunks a token occurs (Robertson's idf, above 0)."""
    occurs = np.array([min(counts.get(token, 0), chunks) for token in tokens], np.float64)
    idf = np.log(1 + (chunks - occurs + 0.5) / (occurs + 0.5))
    return Rarity(idf=idf, absent=occurs == 0)


def features(
    corpus: Corpus,
    question: Question,
    fusion: Fusion,
    *,
    evidence: Evidence,
    policy: SearchPolicy,
) -> Matrix:
    """A row a candidate, columns ``FEATURES``. Those of a leg that took no part are 0."""
    at, rare = evidence.at, evidence.rare
    lexical = fusion.legs.lexical
    own, total = lexical.own, rare.total
    covered, own_covered = _coverage(question, evidence, policy)
    score = fusion.score[at].astype(np.float64)
    second = score[1] if len(score) > 1 else 0.0
    columns: dict[str, object] = {
        "lex": np.minimum(own[at] / (_BM25_PER_IDF * total), _LEX_CAP),
        "lex_rel": own[at] / max(float(own.max(initial=0.0)), 1e-9),
        "cov": covered,
        "cov_own": own_covered,
        "missing": float(rare.idf[rare.absent].sum()) / total,
        "exp": np.minimum(lexical.expansion[at] / (_BM25_PER_IDF * total), 1.0),
        "support": fusion.support[at],
        "spk_other": fusion.other_speaker[at],
        "xling": corpus.is_cjk[at] != question.cjk,
        "gap": np.clip(score - second, -_GAP_CAP, _GAP_CAP),
        "date": [bool(question.dates & one.head) for one in evidence.tokens],
        "nterm": min(len(question.tokens), _TERM_CAP) / _TERM_CAP,
        "isq": corpus.asking[at] if policy.second.question_turns else 0.0,
        "echo": held(question, [one.asked for one in evidence.tokens]) @ rare.idf / total,
        "fp_asst": fusion.assistant[at],
        "window": fusion.near[at],
        "sparse": _shared(fusion.legs, at),
        **_dense_columns(corpus, fusion, at, policy),
    }
    matrix = np.zeros((len(at), len(FEATURES)))
    for number, name in enumerate(FEATURES):
        matrix[:, number] = np.asarray(columns[name], np.float64)
    return matrix


def column(name: str) -> int:
    return FEATURES.index(name)


def _dense_columns(
    corpus: Corpus, fusion: Fusion, at: Ints, policy: SearchPolicy
) -> dict[str, object]:
    dense = fusion.legs.dense
    if dense is None:
        return dict.fromkeys(("cos", "cos_nb", "z", "zmax", "both"), 0.0)
    return {
        "cos": dense.plain[at],
        "cos_nb": smoothed(corpus, dense, at),
        "z": np.minimum(dense.z[at] / _Z_SCALE, _Z_CAP),
        "zmax": min(float(dense.z.max(initial=0.0)) / _Z_SCALE, _Z_CAP),
        "both": in_both_legs(fusion, at, policy),
    }


def _shared(legs: Legs, at: Ints) -> Singles | float:
    return 0.0 if legs.learned is None else np.minimum(legs.learned[at], _SPARSE_CAP)


def in_both_legs(fusion: Fusion, at: Ints, policy: SearchPolicy) -> Bools:
    """Which candidates are among the first few of each leg."""
    if fusion.legs.dense is None:
        return np.zeros(len(at), np.bool_)
    lexical, z = fusion.legs.lexical.own[at], fusion.legs.dense.z[at]
    first = policy.both_legs_rank
    both: Bools = (_rank(lexical) < first) & (_rank(z) < first) & (lexical > 0)
    return both


def _rank(values: NDArray[np.floating]) -> Ints:
    return np.argsort(np.argsort(-values, kind="stable"), kind="stable")


def held(question: Question, sets: Sequence[frozenset[str]]) -> Matrix:
    """1 where a set, in rows, holds a token of the question, in columns."""
    found = np.array([[token in one for token in question.tokens] for one in sets], np.float64)
    return found.reshape(len(sets), len(question.tokens))


def _coverage(
    question: Question, evidence: Evidence, policy: SearchPolicy
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    tokens, rare = evidence.tokens, evidence.rare
    inside = held(question, [one.own | one.head for one in tokens])
    near = held(question, [one.near for one in tokens])
    own = inside @ rare.idf / rare.total
    rest = ((1 - inside) * near) @ rare.idf / rare.total
    return own + policy.neighbour_coverage * rest, own


def only_asked(own: Sequence[str], text: str, tokens: Iterable[str]) -> frozenset[str]:
    """Of ``tokens``, those that ``text`` holds in sentences that ask and in no other.

    ``own`` are its tokens with repeats, so that only the asking sentences need be read, and of
    those only the ones that may hold such a token.
    """
    if not may_ask(text):
        return frozenset()
    held_here = frozenset(own)
    roots = [root_of(token) for token in tokens if token in held_here]
    asked = [one for one in questions(text) if any(root in one.lower() for root in roots)]
    inside = Counter(token for sentence in asked for token in lexical_tokens(sentence))
    return frozenset(
        token for token in tokens if token in inside and own.count(token) <= inside[token]
    )


def root_of(token: str) -> str:
    """What a stem begins with in a text: Porter turns a final y into i. Tokenising ten long
    chunks to find it took 7 ms."""
    return token[:-1] if token.endswith("i") and len(token) > 3 else token


def token_sets(detail: ChunkDetail, question: Question, policy: SearchPolicy) -> TokenSets:
    """From the columns of the full-text table: tokens joined by blanks."""
    own = detail.own.split()
    asked: frozenset[str] = frozenset()
    if policy.second.question_turns:
        asked = only_asked(own, detail.text, question.tokens)
    return TokenSets(
        own=frozenset(own),
        near=frozenset(detail.prev.split()) | frozenset(detail.next.split()),
        head=frozenset(detail.head.split()),
        asked=asked,
    )
