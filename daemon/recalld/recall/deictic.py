"""Short messages that point at the running conversation instead of naming anything. Pure.

Searched alone, "fix it" or 继续 finds whatever is nearest; such a message is not searched
without words of the conversation around it. Of the messages only the conversation can explain,
this catches nearly all; one in ten others is short enough to be caught too.
"""

import re

from recalld.text.folding import folded


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


MAX_WORDS = 6
MAX_CJK_CHARS = 12
MAX_CONTENT_WORDS = 1

_CJK = re.compile(r"[\u3400-\u9fff]")
_WORD = re.compile(r"[A-Za-z0-9][\w.'@/+#-]*")
# Pronouns, auxiliaries, light verbs, and nouns that stand for anything.
_GENERIC = _words(
    """
    a about actually after again ahead all also am an and another any anything are as at back be
    been before better bit but by can continue could did different do does doing done else even
    every everything fail failed fails far fast faster few finish finished first fix for from get
    give go going good got had has have he her here him his how i if in instead into is it its
    just keep know last later leave left let lets like make many me mean more most much my need
    new next no not now of off ok okay old on one ones only option or other our out over own part
    please point previous proceed put quick quickly ready redo rest retry right run same say second
    see send she should show slower so some something start status step still stop stuff sure take
    tell than thanks that the their them then there these they thing things third this those to too
    try undo until up update us use version want was way we well were what when where which who
    whole why will with without work worked working works would wrong yes yet you your check change
    approach doc docs error errors issue problem file files code test tests remove delete add
    """
)
_GENERIC_CJK = re.compile(
    "继续|接着|再试|试试|试一次|一次|一下|改成|换成|第[一二三四五六七八九十两0-9]+[种个条步版套]?"
    "|那个|这个|那些|这些"
    "|那边|这边|那样|这样|刚才|刚刚|上面|下面|前面|后面|弄好|搞定|好了|完成|怎么|为什么|什么|还是"
    "|还有|另外|别的|办法"
    "|报错|出错|发给|发送|他们|她们|它们|我们|你们|可以|能不能|现在|下一步|帮我|麻烦|然后|看看"
    "|时候|东西|事情|没有|问题"
    "|[他她它我你您咱请按来把吗呢吧了的没不行好是在就也都再又去给用新旧有先看说改换跑这那哪多少快慢点些做弄搞删还要会被让跟和对到得着过啊呀嘛么]"
)


def content_words(text: str) -> int:
    """How many words could name something; every two Chinese characters left count as one."""
    plain = folded(text).lower()
    words = sum(1 for word in _WORD.findall(plain) if word.split("'")[0] not in _GENERIC)
    left = _CJK.findall(_GENERIC_CJK.sub(" ", plain))
    return words + (len(left) + 1) // 2


def is_deictic(text: str) -> bool:
    """True for at most 6 words (12 Chinese characters) with at most one content word in them."""
    words = len(_WORD.findall(text))
    characters = len(_CJK.findall(text))
    if words > MAX_WORDS or characters > MAX_CJK_CHARS or words + characters == 0:
        return False
    return content_words(text) <= MAX_CONTENT_WORDS
