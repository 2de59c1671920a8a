"""Which past memories belong to a signal, and not merely share a word with it. Pure.

    needs = needed(asked, found, words=words)
    meanings = Meanings(
        memories=vectors of needs.memory_ids, from where memories keep them,
        sentences=embed_passages(needs.sentences), words=embed_words(needs.words), by text)
    basis = Basis(words=words, engine=embedder.identity.engine, meanings=meanings)
    related = relate(asked, found, basis, now=now)

Whatever of ``Meanings`` is lacking is done without: without words by the vectors of whole
memories, without those by words alone.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from recalld.heartbeat.ages import age
from recalld.heartbeat.enrich import EACH, OVER_FETCH, Asked, eligible, newest_first
from recalld.heartbeat.evidence import Figures, Vector, WordField, by_vectors, by_words
from recalld.heartbeat.model import Related
from recalld.heartbeat.subject import Frequencies, Subject, subject
from recalld.heartbeat.weights import Coefficients, coefficients_of
from recalld.memories.model import Similar

__all__ = ["Basis", "Frequencies", "Meanings", "Needed", "Vector", "needed", "relate"]

# What a score is made to mean: from here on a memory is more likely related than not.
MINIMUM = 0.5
# Only those are judged that may be related at all: the nearest, and those with most in common.
NEAREST = 12
MOST_COVERED = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Needed:
    """What ``relate`` would like to have the vectors of; ``scene`` is what was found out so far."""

    memory_ids: tuple[str, ...] = ()
    sentences: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    scene: "Scene | None" = field(default=None, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Meanings:
    """Vectors of unit length: of whole memories by id and of ``sentences`` by text, both centred
    by language; of ``words`` by text, as they are. Empty: there are none."""

    memories: Mapping[str, Vector] = field(default_factory=dict)
    sentences: Mapping[str, Vector] = field(default_factory=dict)
    words: Mapping[str, Vector] = field(default_factory=dict)


NOTHING = Meanings()


@dataclass(frozen=True, slots=True, kw_only=True)
class Basis:
    """What is judged by. ``engine``: the name of the one whose vectors ``meanings`` are.

    ``limit`` and ``minimum``, in [0, 1] and inclusive: how many, and from which score on.
    ``own``: coefficients in place of the shipped ones of the engine.
    """

    words: Frequencies
    engine: str
    meanings: Meanings = NOTHING
    limit: int = EACH
    minimum: float = MINIMUM
    own: Coefficients | None = None

    @property
    def coefficients(self) -> Coefficients:
        return self.own or coefficients_of(self.engine)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A memory that may be related, with what speaks for it."""

    found: Similar
    figures: Figures


def needed(
    asked: Asked, found: Sequence[Similar], *, words: Frequencies, nearest: int = NEAREST
) -> Needed:
    """The texts to embed for one signal memory: its own as one sentence, and some 150 words.

    The sentence is for a signal that is in no store; those in one have their vector there.
    """
    scene = _scene(asked, found, words, nearest)
    judged = (scene.subjects[at] for at in scene.judged)
    texts = {word for one in (scene.asked, *judged) for word in one.words}
    return Needed(
        memory_ids=(asked.memory.id, *(one.memory.id for one in scene.others)),
        sentences=(asked.memory.content,),
        words=tuple(sorted(texts)),
        scene=scene,
    )


def relate(
    asked: Asked,
    found: Sequence[Similar],
    basis: Basis,
    *,
    now: datetime,
    scene: "Scene | None" = None,
) -> tuple[Related, ...]:
    """At most ``basis.limit`` of ``found`` that belong to the signal memory, best first.

    ``found`` may hold anything in any order: the rules of ``enrich.eligible`` apply here too.
    ``score`` is in [0, 1]; ties go to the newer, then by id. ``similarity`` is what ``found``
    says. ``scene``: that of ``needed`` for the very same, so that it is not made twice.
    """
    coefficients = basis.coefficients
    related = [
        Related(
            memory=one.found.memory,
            similarity=one.found.similarity,
            score=coefficients.score(one.figures),
            signal_id=asked.signal_id,
            age=age(one.found.memory.created_at, now),
        )
        for one in _judged(asked, scene or _scene(asked, found, basis.words, NEAREST), basis)
    ]
    good = [one for one in related if one.score >= basis.minimum]
    good.sort(key=lambda one: (-one.score, *newest_first(one.memory)))
    return tuple(good[: basis.limit])


def judged(
    asked: Asked, found: Sequence[Similar], basis: Basis, *, nearest: int = NEAREST
) -> tuple[Judged, ...]:
    """Those of ``found`` that may be related at all, with their figures, by id.

    ``nearest``: as many as that, whatever they have in common with the signal.
    """
    return _judged(asked, _scene(asked, found, basis.words, nearest), basis)


def _judged(asked: Asked, scene: "Scene", basis: Basis) -> tuple[Judged, ...]:
    figures = [dict(one) for one in scene.figures]
    for at, more in _vector_figures(asked, scene, basis.meanings).items():
        figures[at] |= more
    centres = basis.coefficients.word_centres
    if basis.meanings.words and centres is not None:
        known = WordField.of(_own_words(scene, basis.meanings), centres)
        for at in scene.judged:
            figures[at]["aligned"] = known.aligned(scene.asked, scene.subjects[at], basis.words)
    return tuple(Judged(found=scene.others[at], figures=figures[at]) for at in scene.judged)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """A signal's memory among the nearest that the rules let pass, by id.

    ``figures`` are those of their words; ``judged`` says which of them are worth a look.
    """

    asked: Subject
    others: tuple[Similar, ...]
    subjects: tuple[Subject, ...]
    figures: tuple[Figures, ...]
    judged: tuple[int, ...]


def _scene(asked: Asked, found: Sequence[Similar], words: Frequencies, count: int) -> Scene:
    passing = sorted(eligible(asked, found), key=lambda one: (-one.similarity, one.memory.id))
    others = sorted(passing[:OVER_FETCH], key=lambda one: one.memory.id)
    mine = subject(asked.memory.content)
    subjects = tuple(subject(one.memory.content) for one in others)
    figures = by_words(mine, subjects, words)
    places = range(len(others))
    nearest = sorted(places, key=lambda at: (-others[at].similarity, at))[:count]
    sharing = [at for at in places if at not in nearest and figures[at]["covered"] > 0.0]
    sharing.sort(key=lambda at: (-figures[at]["covered"], at))
    return Scene(
        asked=mine,
        others=tuple(others),
        subjects=subjects,
        figures=figures,
        judged=tuple(sorted((*nearest, *sharing[:MOST_COVERED]))),
    )


def _vector_figures(asked: Asked, scene: Scene, meanings: Meanings) -> dict[int, Figures]:
    """By place, for those that have a vector; empty where the signal's memory has none."""
    own = meanings.memories.get(asked.memory.id)
    if own is None:
        own = meanings.sentences.get(asked.memory.content)
    if own is None:
        return {}
    ids = [one.memory.id for one in scene.others]
    there = [at for at, memory_id in enumerate(ids) if memory_id in meanings.memories]
    found = by_vectors(own, [meanings.memories[ids[at]] for at in there])
    return dict(zip(there, found, strict=True))


def _own_words(scene: Scene, meanings: Meanings) -> dict[str, Vector]:
    """The vectors of the words that are looked at, of all that are given."""
    texts = {word for at in scene.judged for word in scene.subjects[at].words}
    mine = texts.union(scene.asked.words)
    return {word: meanings.words[word] for word in mine if word in meanings.words}
