"""The words of a corpus and their neighbours."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recalld.search.policy import SearchPolicy
from recalld.search.vocabulary import Lexicon, Vocabulary, choose_words, expansion, words_of

POLICY = SearchPolicy()
TEXTS = st.dictionaries(
    st.integers(1, 9), st.sampled_from(["plugins run", "a plugin", "key keys key", "浏览器", ""])
)


def test_words_are_latin_content_words_of_three_letters_or_more() -> None:
    assert words_of("The Plugin v2 reads 密钥 and a_key of DB to don't") == {
        "plugin",
        "reads",
        "key",
    }


def test_a_stem_is_represented_by_the_word_in_most_chunks() -> None:
    lexicon = Lexicon.of({1: "plugins plugins", 2: "plugin", 3: "plugin", 4: "browser"})
    assert choose_words(lexicon.words, POLICY) == ("browser", "plugin")
    assert choose_words(lexicon.words, SearchPolicy(max_vocabulary=1)) == ("plugin",)


@given(st.lists(TEXTS, min_size=1, max_size=4))
def test_a_lexicon_brought_up_to_date_equals_one_that_is_made_anew(
    history: list[dict[int, str]],
) -> None:
    lexicon = Lexicon.of({})
    for step, texts in enumerate(history):
        named = {step * 10 + key: text for key, text in texts.items()}
        ids = np.array(list(named), np.int64)
        lexicon = lexicon.only(ids)
        lexicon = lexicon.followed_by(Lexicon.of({key: named[key] for key in lexicon.lacks(ids)}))
    anew = Lexicon.of(named)
    assert choose_words(lexicon.words, POLICY) == choose_words(anew.words, POLICY)
    assert lexicon.words.names == anew.words.names


def test_neighbours_are_near_words_of_another_stem_nearest_first() -> None:
    words = ("browser", "plugin", "extension", "tomato")
    vectors = np.array([[1, 0, 0], [0, 1, 0.1], [0, 1, 0.4], [0, 0, -3]], np.float32)
    vocabulary = Vocabulary(words, vectors)
    near = vocabulary.neighbours(("plugins", "插件"), vectors[[1, 1]], policy=POLICY)
    assert [root for root, _ in near[0]] == ["extens"]
    assert [root for root, _ in near[1]] == ["plugin", "extens"]
    assert near[1][0][1] == pytest.approx(1.0, abs=1e-2)


def test_an_empty_vocabulary_has_no_neighbours() -> None:
    vocabulary = Vocabulary((), np.zeros((0, 0), np.float32))
    assert vocabulary.neighbours(("x",), np.ones((1, 4), np.float32), policy=POLICY) == [[]]


def test_overlapping_parts_of_a_cjk_run_are_taken_best_first() -> None:
    near = [[("plugin", 0.7)], [("other", 0.8)], [("instal", 0.9)]]
    found = expansion("插件安装", ("插件", "件安", "安装"), near, said=frozenset(), limit=9)
    assert found == ("instal", "plugin")


def test_words_that_were_said_are_not_added_again() -> None:
    near = [[("port", 0.9), ("dock", 0.7)]]
    assert expansion("harbour port", ("harbour",), near, said=frozenset({"port"}), limit=9) == (
        "dock",
    )
