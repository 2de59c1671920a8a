"""Words that stand in memories of every kind and say nothing of the matter. Pure.

Two memories that share "decided", "Monday" or "issue" have nothing in common by that. These
words neither tie memories to each other nor have to be explained by one.
"""

from recalld.text.language import has_cjk
from recalld.text.stopwords import is_stopword
from recalld.text.tokens import stem


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# When, what was done about it, and how much; not what it was.
_ENGLISH = _words(
    """
    today tomorrow yesterday week month year day morning afternoon evening night time
    monday tuesday wednesday thursday friday saturday sunday
    january february march april may june july august september october november december
    spring summer autumn winter
    decide decided decision agree agreed plan planned planning ask asked say says said tell told
    want need use used make made take took go went come came give gave put keep
    new old last next first second one two three four five six seven eight nine ten
    still already since now then before after because instead without
    user team issue problem thing
    """
)
_ENGLISH_STEMS = frozenset(stem(word) for word in _ENGLISH)

# As the bigrams that text is cut into.
_CHINESE = _words(
    """
    今天 明天 昨天 上周 下周 本周 周一 周二 周三 周四 周五 周六 周日 周末
    一月 二月 三月 四月 五月 六月 七月 八月 九月 十月 上月 下月 去年 今年 明年 年底
    决定 约定 商定 同意 计划 建议 要求 需要 问题 已经 因为 所以 改成 改为 换成 还没 又是
    一次 两次 三天 之后 通知 答应 可以 完成 开始 如果 这次 下次 新的
    決定 約定 計劃 問題 已經 因為 改為 換成 還沒 兩次 之後 開始 週一 週二 週三 週四 週五 週六 週日
    """
)

# A shorter number is a count, a size or a day; a longer one may be what names the thing.
_NAMING_DIGITS = 3
_YEARS = range(1900, 2100)


def is_everyday(token: str) -> bool:
    """Whether an unstemmed, lower-case token says nothing of what a memory is about."""
    if is_stopword(token):
        return True
    if token.isdecimal():
        return len(token) < _NAMING_DIGITS or int(token[:20]) in _YEARS
    if has_cjk(token):
        return token in _CHINESE
    return stem(token) in _ENGLISH_STEMS
