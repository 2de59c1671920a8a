"""Fusion: what it must keep whatever the numbers are."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recalld.search.corpus import Corpus, Filling, empty_corpus, refreshed
from recalld.search.model import ChunkRow, FileRow
from recalld.search.policy import SearchPolicy
from recalld.search.score import NO_CUES, Cues, Legs, Lexical, best, dense_scores, fuse, spread

POLICY = SearchPolicy()
DIMENSION = 8


def corpus_of(*files: int, speakers: tuple[str, ...] = ()) -> Corpus:
    """Files with so many chunks each, one window a chunk, random unit vectors."""
    rows, chunks = [], []
    key = 0
    for number, count in enumerate(files):
        first = key + 1
        for ordinal in range(count):
            key += 1
            chunks.append(
                ChunkRow(
                    id=key,
                    file_id=number,
                    ordinal=ordinal,
                    speaker=speakers[(key - 1) % len(speakers)] if speakers else None,
                    is_cjk=False,
                    passages=(key.to_bytes(16, "big"),),
                )
            )
        rows.append(
            FileRow(
                id=number,
                path=f"{number:03}.md",
                source="memory",
                session=None,
                head_hash=b"",
                first_chunk=first,
                last_chunk=key,
                chunks=count,
            )
        )
    corpus = refreshed(empty_corpus(1), rows, chunks)
    noise = np.random.default_rng(7).normal(size=(key, DIMENSION))
    vectors = (noise / np.linalg.norm(noise, axis=1, keepdims=True)).astype(np.float16)
    blobs = {(at + 1).to_bytes(16, "big"): vectors[at].tobytes() for at in range(key)}
    filling = Filling(corpus, DIMENSION)
    filling.add(blobs)
    return filling.done()


def legs(corpus: Corpus, own: dict[int, float]) -> Legs:
    return Legs(lexical=Lexical(own=spread(corpus, own), expansion=spread(corpus, {})))


def everything(corpus: Corpus) -> np.ndarray:
    return np.ones(len(corpus), np.bool_)


SCORES = st.dictionaries(st.integers(1, 12), st.floats(0.01, 50), max_size=12)


@given(SCORES, st.floats(0.1, 100))
def test_the_order_does_not_depend_on_the_scale_of_a_leg(
    own: dict[int, float], factor: float
) -> None:
    corpus = corpus_of(4, 4, 4)
    plain = fuse(corpus, legs(corpus, own), allowed=everything(corpus), cues=NO_CUES, policy=POLICY)
    scaled = legs(corpus, {key: value * factor for key, value in own.items()})
    other = fuse(corpus, scaled, allowed=everything(corpus), cues=NO_CUES, policy=POLICY)
    assert other.score[np.isfinite(other.score)] == pytest.approx(
        plain.score[np.isfinite(plain.score)], rel=1e-4, abs=1e-5
    )


@given(SCORES)
def test_without_a_dense_leg_only_what_matches_a_word_is_found(own: dict[int, float]) -> None:
    corpus = corpus_of(4, 4, 4)
    fusion = fuse(
        corpus, legs(corpus, own), allowed=everything(corpus), cues=NO_CUES, policy=POLICY
    )
    found = corpus.columns.id[best(fusion.score, 12)].tolist()
    assert set(found) == set(own)


@given(SCORES, st.lists(st.booleans(), min_size=12, max_size=12))
def test_what_is_masked_is_never_found_and_changes_no_other_score(
    own: dict[int, float], mask: list[bool]
) -> None:
    corpus = corpus_of(4, 4, 4)
    allowed = np.array(mask, np.bool_)
    vector = np.eye(DIMENSION, dtype=np.float32)[0]
    dense = dense_scores(corpus, vector, content=vector, allowed=allowed, policy=POLICY)
    full = replace(legs(corpus, own), dense=dense)
    kept = {key: value for key, value in own.items() if mask[key - 1]}
    less = replace(legs(corpus, kept), dense=dense)
    one, other = (
        fuse(corpus, each, allowed=allowed, cues=NO_CUES, policy=POLICY) for each in (full, less)
    )
    assert not np.isfinite(one.score[~allowed]).any()
    assert one.score[allowed] == pytest.approx(other.score[allowed], abs=1e-6)


def test_a_better_match_in_one_leg_alone_never_lowers_a_chunk() -> None:
    corpus = corpus_of(6)
    allowed = everything(corpus)
    low = fuse(corpus, legs(corpus, {1: 5.0, 2: 1.0}), allowed=allowed, cues=NO_CUES, policy=POLICY)
    high = fuse(
        corpus, legs(corpus, {1: 5.0, 2: 4.0}), allowed=allowed, cues=NO_CUES, policy=POLICY
    )
    assert high.score[1] > low.score[1]


def test_the_named_speaker_goes_before_the_others() -> None:
    corpus = corpus_of(2, speakers=("Ann", "Bob"))
    words = legs(corpus, {1: 3.0, 2: 3.1})
    allowed = everything(corpus)
    plain = fuse(corpus, words, allowed=allowed, cues=NO_CUES, policy=POLICY)
    named = fuse(corpus, words, allowed=allowed, cues=Cues(named=(0,)), policy=POLICY)
    both = fuse(corpus, words, allowed=allowed, cues=Cues(named=(0, 1)), policy=POLICY)
    assert best(plain.score, 1).tolist() == best(both.score, 1).tolist() == [1]
    assert best(named.score, 1).tolist() == [0]
    assert named.other_speaker.tolist() == [False, True]


def test_chunks_of_one_file_support_each_other() -> None:
    corpus = corpus_of(3, 1)
    words = legs(corpus, {1: 3.0, 2: 3.0, 4: 3.0})
    fusion = fuse(corpus, words, allowed=everything(corpus), cues=NO_CUES, policy=POLICY)
    assert fusion.score[0] == fusion.score[1] > fusion.score[3]
    assert fusion.support.tolist() == pytest.approx([1.5 / 1.75] * 3 + [1 / 1.75])


def test_a_chunk_has_the_score_of_its_best_window_mixed_with_its_neighbours() -> None:
    corpus = corpus_of(3)
    vector = corpus.vectors.rows(np.array([1]))[0].astype(np.float32)
    dense = dense_scores(corpus, vector, content=vector, allowed=everything(corpus), policy=POLICY)
    rows = corpus.vectors.rows(np.arange(3)).astype(np.float32) @ vector
    assert dense.plain == pytest.approx(rows, abs=1e-3)
    mixed = (rows[1] + 0.25 * rows[0] + 0.15 * rows[2]) / 1.4
    assert dense.near[1] == pytest.approx(mixed, abs=1e-3)
    assert dense.z.mean() == pytest.approx(0.0, abs=1e-5)


@given(st.lists(st.sampled_from([-np.inf, 0.0, 0.5, 1.0]), max_size=20), st.integers(0, 25))
def test_the_best_are_ordered_by_score_then_position_and_never_forbidden(
    values: list[float], count: int
) -> None:
    expected = sorted(
        (at for at, value in enumerate(values) if value > -np.inf), key=lambda at: (-values[at], at)
    )
    assert best(np.array(values, np.float32), count).tolist() == expected[:count]


def test_hits_of_chunks_that_are_not_in_the_corpus_are_left_out() -> None:
    corpus = corpus_of(2)
    assert spread(corpus, {1: 2.0, 99: 5.0}).tolist() == [2.0, 0.0]
