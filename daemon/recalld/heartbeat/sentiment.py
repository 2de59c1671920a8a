"""How a message feels, by its words alone. Pure.

A handful of words that say so plainly, in English and Chinese: enough for a trend over forty
messages, and nothing to judge one of them by.
"""

import re

_GOOD = re.compile(
    r"\b(?:thanks?|thank you|great|perfect|awesome|excellent|nice|love(?:ly)?|works? (?:now|well)"
    r"|fixed|solved|happy|glad|good job|well done|brilliant|finally)\b"
    r"|谢谢|感谢|太好了|很好|不错|完美|解决了|搞定|喜欢|开心|高兴|厉害|棒",
    re.IGNORECASE,
)
_BAD = re.compile(
    r"\b(?:broken|fails?|failed|failing|wrong|bad|terrible|awful|annoy(?:ed|ing)|frustrat\w{2,5}"
    r"|hate|ugh|stuck|useless|angry|waste|again\?!|still (?:not|broken|fails?|failing))\b"
    r"|烦|糟|不行|又错|失败|报错|崩溃|卡住|生气|讨厌|没用|失望|气死|太慢|怎么又",
    re.IGNORECASE,
)
_NOT = re.compile(r"(?:\bnot\b|n't\b|\bno\b|\bnever\b|不|没)[^.!?。！？,，]{0,12}\Z", re.IGNORECASE)
MAX_CHARS = 2_000


def sentiment(text: str) -> float:
    """From -1 to 1: good words less bad ones by both. 0 where neither is said. A negated word
    counts as its opposite."""
    said = text[:MAX_CHARS]
    good = bad = 0
    for pattern, is_good in ((_GOOD, True), (_BAD, False)):
        for found in pattern.finditer(said):
            turned = _NOT.search(said, max(0, found.start() - 24), found.start()) is not None
            good += is_good is not turned
            bad += is_good is turned
    return 0.0 if good == bad == 0 else (good - bad) / (good + bad)
