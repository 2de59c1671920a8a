"""Matters written for this: a signal, what belongs to it, and what only shares a word or a field.

Nothing in them is taken from an evaluation set, so that those stay unseen by what is fitted here.
Every matter is put into a store of its own, among memories of other matters.
"""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import msgspec

from recalld.evaluate.related_fit import Example
from recalld.heartbeat.enrich import OVER_FETCH, Asked
from recalld.heartbeat.evidence import Vector
from recalld.heartbeat.model import Tier
from recalld.heartbeat.related import Basis, Frequencies, Meanings, judged, needed
from recalld.heartbeat.weights import Coefficients, Provenance, WordCentres
from recalld.memories.model import Memory, Similar
from support.snapshots import a_memory

FILE = Path(__file__).with_name("matters.jsonl")
FOLDS = 10
# Of what is unrelated in a store, so much is in the signal's own language.
OWN_LANGUAGE = 0.8


class Matter(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``pair``: the id of the same matter told in the other language; empty without one."""

    id: str
    lang: str
    pair: str
    signal: str
    related: tuple[str, ...]
    near: tuple[str, ...]

    @property
    def number(self) -> int:
        return int(self.id.partition("-")[2])


@dataclass(frozen=True, slots=True, kw_only=True)
class Store:
    """A signal with everything it may be related to, in an order that says nothing."""

    matter: Matter
    contents: tuple[str, ...]
    related: frozenset[str]
    near: frozenset[str]

    @property
    def fold(self) -> int:
        """One for a matter and its pair."""
        return self.matter.number % FOLDS


def matters() -> tuple[Matter, ...]:
    decode = partial(msgspec.json.decode, type=Matter)
    return tuple(decode(line) for line in FILE.read_bytes().splitlines())


def stores(
    every: Sequence[Matter], *, unrelated: int, seed: int, across: bool = False
) -> tuple[Store, ...]:
    """One a matter. ``across``: what belongs to it is told in the other language."""
    by_id = {matter.id: matter for matter in every}
    drawn = random.Random(seed)
    found = []
    for matter in every:
        if not across or matter.pair:
            told = by_id[matter.pair] if across else matter
            found.append(_store(matter, told, every, drawn, unrelated))
    return tuple(found)


def with_one_related(some: Sequence[Store]) -> Iterator[Store]:
    """Each store as often as it has related memories, with one of them alone."""
    for one in some:
        for content in sorted(one.related):
            others = one.related - {content}
            kept = tuple(each for each in one.contents if each not in others)
            yield replace(one, contents=kept, related=frozenset({content}))


def with_none_related(some: Sequence[Store], *, near: bool) -> Iterator[Store]:
    """Each store without what is related; without ``near`` what shares its words goes too."""
    for one in some:
        out = one.related if near else one.related.union(one.near)
        kept = tuple(each for each in one.contents if each not in out)
        yield replace(one, contents=kept, related=frozenset())


def _store(
    matter: Matter, told: Matter, every: Sequence[Matter], drawn: random.Random, unrelated: int
) -> Store:
    own = round(unrelated * OWN_LANGUAGE)
    strange = [each for each in every if each.id not in (matter.id, matter.pair)]
    contents = [*told.related, *told.near]
    for same, count in ((True, own), (False, unrelated - own)):
        pool = [
            content
            for each in strange
            if (each.lang == matter.lang) is same
            for content in (*each.related, *each.near)
        ]
        contents += drawn.sample(pool, min(len(pool), count))
    drawn.shuffle(contents)
    return Store(
        matter=matter,
        contents=tuple(contents),
        related=frozenset(told.related),
        near=frozenset(told.near),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Vectors:
    """Of texts, centred by language, and of words, as they are, with their centres; by text."""

    texts: Mapping[str, Vector]
    words: Mapping[str, Vector]
    centres: WordCentres | None = None


def example(store: Store, vectors: Vectors, *, weight: float = 1.0) -> Example:
    """The figures of the very code that the daemon judges by, by content.

    Also of what the daemon does not look at: there is no better lesson in what is unrelated.
    """
    asked, found = _scene(store, vectors)
    meanings = Meanings(
        memories={asked.memory.id: vectors.texts[asked.memory.content]}
        | {one.memory.id: vectors.texts[one.memory.content] for one in found},
        words=vectors.words,
    )
    words = Frequencies.of((store.matter.signal, *store.contents))
    own = Coefficients(
        engine="",
        provenance=Provenance(fitted_on="", note=""),
        models=(),
        word_centres=vectors.centres,
    )
    basis = Basis(words=words, engine="", meanings=meanings, own=own)
    figures = {
        one.found.memory.content: one.figures
        for one in judged(asked, found, basis, nearest=OVER_FETCH)
    }
    return Example(figures=figures, related=store.related, fold=store.fold, weight=weight)


def words_of(store: Store, texts: Mapping[str, Vector]) -> tuple[str, ...]:
    """The words that have to be known before ``figured``."""
    asked, found = _scene(store, Vectors(texts=texts, words={}))
    return needed(
        asked,
        found,
        words=Frequencies.of((store.matter.signal, *store.contents)),
        nearest=OVER_FETCH,
    ).words


def _scene(store: Store, vectors: Vectors) -> tuple[Asked, tuple[Similar, ...]]:
    signal = a_memory("signal", store.matter.signal, session="now")
    asked = Asked(memory=signal, signal_id="s", tier=Tier.NORMAL, excluded=frozenset({signal.id}))
    others = [
        a_memory(f"m{at:03d}", content, session=f"s{at}")
        for at, content in enumerate(store.contents)
    ]
    return asked, tuple(_similar(signal, other, vectors) for other in others)


def _similar(signal: Memory, other: Memory, vectors: Vectors) -> Similar:
    cosine = float(vectors.texts[signal.content] @ vectors.texts[other.content])
    return Similar(memory=other, similarity=cosine, score=cosine)
