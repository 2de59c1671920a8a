"""Traditional characters and wide punctuation as the rules see them."""

from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recalld.text.folding import folded, simplified


@pytest.mark.parametrize(
    ("text", "as_rules_see_it"),
    [
        ("還記得嗎？我們說過", "还记得吗？我们说过"),
        ("決定：計數器放在 Redis", "决定：计数器放在 Redis"),
        ("證書已經開通，刪除舊檔案", "证书已经开通，删除旧档案"),
        ("下一步", "下一步"),
        ("run the row count check", "run the row count check"),
        ("", ""),
    ],
)
def test_traditional_characters_become_simplified_ones(text: str, as_rules_see_it: str):
    assert simplified(text) == as_rules_see_it


def test_punctuation_is_folded_only_where_it_is_asked_for():
    assert folded("還記得嗎？對，’s！\u3000\u00a0") == "还记得吗?对,'s!  "
    assert simplified("嗎？") == "吗？"


@given(st.text())
def test_positions_hold_and_a_second_time_changes_nothing(text: str):
    for fold in (simplified, folded):
        once = fold(text)
        assert len(once) == len(text)
        assert fold(once) == once


def test_a_long_text_is_folded_fast():
    started = process_time()
    for piece in ("說", "说", "a", "🙂"):
        assert len(folded(simplified(piece * 300_000))) == 300_000
    assert process_time() - started < 2
