"""A question put to one workspace."""

from dataclasses import dataclass

from recalld.search.corpus import Bools, Corpus
from recalld.search.model import Scope
from recalld.search.question import Question, content_words, names_in
from recalld.search.schedule import Kept
from recalld.search.score import Cues
from recalld.search.vocabulary import Vocabulary
from recalld.search.window import nearness


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A question put to one workspace, whose corpus this is now.

    ``named`` are the speakers it names, ``content`` its content words without them.
    """

    question: Question
    corpus: Corpus
    vocabulary: Vocabulary | None
    allowed: Bools
    sources: tuple[str, ...] | None
    named: tuple[int, ...]
    content: str

    @classmethod
    def of(cls, kept: Kept, question: Question, scope: Scope) -> "Place | None":
        """None where nothing was read yet."""
        corpus = kept.corpus
        if corpus is None:
            return None
        named = names_in(question.text, corpus.speakers)
        return cls(
            question=question,
            corpus=corpus,
            vocabulary=kept.vocabulary,
            allowed=corpus.allowed(scope.sources),
            sources=None if scope.sources is None else tuple(sorted(scope.sources)),
            named=tuple(named),
            content=content_words(question.text, [corpus.speakers[at] for at in named]),
        )

    @property
    def cues(self) -> Cues:
        """What the question says of where to look here."""
        question, near = self.question, None
        if question.window is not None:
            near = nearness(question.window, self.corpus, question.zone)
        return Cues(named=self.named, own_words=question.own_words, near=near)
