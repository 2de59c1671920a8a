"""Which short messages only the running conversation can explain."""

import pytest

from recalld.recall.deictic import content_words, is_deictic


@pytest.mark.parametrize(
    "text",
    [
        "fix it",
        "continue",
        "go with the second approach",
        "what about the other one?",
        "try again but faster",
        "can you check if it's done?",
        "继续",
        "改成第二种方案",
        "再试一次",
        "怎么还是报错",
        "按这个来",
        "發給他吧",
    ],
)
def test_a_pointing_message_is_deictic(text: str) -> None:
    assert is_deictic(text)


@pytest.mark.parametrize(
    "text",
    [
        "继续优化这个插件",
        "帮我优化一下这个插件",
        "检查当前代码的类型错误",
        "帮我把这个方案落地",
        "继续修复登录模块的进度",
        "Tune this current implementation",
        "fix the flaky pnpm migration",
        "what did we decide about caching",
        "",
        "???",
        "continue with one two three four five six seven",
    ],
)
def test_a_message_that_names_something_is_searched(text: str) -> None:
    assert not is_deictic(text)


def test_every_two_chinese_characters_count_as_a_word() -> None:
    assert content_words("插件") == 1
    assert content_words("审批插件") == 2
    assert content_words("把它改成 Redis") == 1
