"""One safe line out of any text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recalld.heartbeat.escape import MAX_READ_CHARS, line, plain, quotation, tagless
from recalld.text.quote import escaped
from support.telling_scene import nasty

KEY = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
LIMITS = st.integers(0, 120)


@given(nasty | st.text(), LIMITS)
def test_every_kind_of_line_is_one_within_its_bound(text: str, limit: int):
    made = (plain(text, limit), line(text, limit), line(text, limit, sign=tagless))
    for each in made:
        assert len(each) <= limit
        assert len(each.splitlines()) <= 1
        assert each == each.strip()
        each.encode("utf-8")
    assert not set("<>") & set(made[1] + made[2])


@given(nasty | st.text(), st.integers(2, 120))
def test_a_quotation_closes_at_its_end_and_nowhere_before(text: str, limit: int):
    made = quotation(text, limit)
    assert len(made) <= limit
    assert made[0] == made[-1] == '"'
    assert '"' not in made[1:-1].replace('\\"', "")


@given(st.text(alphabet='<>&"a审 ', max_size=300), LIMITS)
def test_no_entity_is_cut_in_two(text: str, limit: int):
    made = line(text, limit)
    rest = made.replace("&lt;", "").replace("&gt;", "").replace("&amp;", "")
    assert "&" not in rest


def test_what_fits_is_whole_and_what_does_not_is_cut_between_words():
    assert line("ship it", 7) == "ship it"
    assert line("ship the importer", 12) == "ship the…"
    assert line("审批插件的测试", 5) == "审批插件…"
    assert line("a<b", 6) == "a&lt;b"
    assert line("a<b", 5) == "a…"
    assert line("👩\u200d👩\u200d👧 ok", 4) == "…"


def test_an_address_keeps_its_ampersand_where_only_tags_matter():
    assert tagless("<a> & b") == "&lt;a&gt; & b"
    assert escaped("<a> & b") == "&lt;a&gt; &amp; b"


@pytest.mark.parametrize("before", ["", "x ", "\n", "\u200b", "审", "word, "])
@pytest.mark.parametrize("seen", range(4, len(KEY) + 1, 4))
def test_no_part_of_a_secret_is_shown_wherever_the_reading_ends(before: str, seen: int):
    blanks = " " * (MAX_READ_CHARS - len(before) - seen)
    for text in (blanks + before + KEY, "\u200b" * len(blanks) + before + KEY):
        assert KEY[:8] not in plain(text, 600)
        assert "ghp_" not in line(text, 600)


def test_a_secret_that_hidden_characters_break_is_found_once_they_are_gone():
    assert line(f"{KEY[:10]}\u200b{KEY[10:]}").startswith("[redacted:")


def test_a_long_word_is_shown_though_the_reading_ends_in_it():
    assert plain("x" * 2 * MAX_READ_CHARS, 50) == "x" * 49 + "…"
