"""The candidates of one workspace with everything that judges them. Pure."""

from dataclasses import dataclass

from recalld.search.corpus import Corpus
from recalld.search.features import Evidence, Matrix
from recalld.search.model import ChunkDetail
from recalld.search.question import Question
from recalld.search.score import Fusion


@dataclass(frozen=True, slots=True, kw_only=True)
class Examined:
    """The candidates of one workspace, best first, with everything that judges them."""

    corpus: Corpus
    question: Question
    fusion: Fusion
    evidence: Evidence
    features: Matrix
    details: tuple[ChunkDetail, ...]
