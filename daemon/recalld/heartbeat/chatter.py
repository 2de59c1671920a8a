"""Talk about work that is no work: an agent that watches, syncs or wraps up. Pure."""

import re

from recalld.text.tokens import fold

_ENGLISH = (
    *("monitoring", "syncing", "cleanup", "standby", "standing by", "wrapping (?:\\w+ )?up"),
    *("preparing (?:a |the )?(?:summary|planning)", "finali[sz]ing (?:the )?cleanup"),
    *("keeping an eye on", "watching", "tracking (?:the )?progress (?:on|of)"),
)
# Only what says that it goes on: 监控 and 清理 alone begin real work as well.
_CHINESE = (
    "(?:正在|一直在?|持续|持續|继续|繼續|密切)(?:监控|監控|监测|監測|关注|關注|观察|觀察|跟踪|追蹤)",
    *("保持(?:关注|關注)", "(?:监控|監控|同步|清理|收尾|待命|观察|觀察|总结|總結)中"),
    *("正在(?:同步|清理|收尾|总结|總結|汇总|整理|规划|規劃)", "(?:随时|隨時)?待命", "等待指示"),
    *(
        "(?:准备|準備)(?:总结|總結|汇总|規劃|规划)",
        "(?:跟踪|跟进|追踪|追蹤)(?:进度|進度|进展|進展)",
    ),
    *("盯着", "盯著", "盯一下"),
)
# Who does it may stand in front: "I am monitoring", 我正在监控.
_SUBJECT = (
    r"(?:(?:i|we|the (?:agent|assistant|bot))(?:'m|'re| am| are| is| will be| have been)? )?"
    r"(?:still |currently |just |now )?"
)
_CHATTER = re.compile(
    rf"[\W_]*(?:{_SUBJECT}(?:{'|'.join(_ENGLISH)})\b"
    rf"|(?:我们?|我們|助手|助理)?(?:会|會|还在|還在|仍在|目前)?(?:{'|'.join(_CHINESE)}))",
    re.IGNORECASE,
)


def is_chatter(text: str) -> bool:
    """Whether it starts with such talk, with or without who does it, in English or Chinese."""
    return _CHATTER.match(fold(text).replace("’", "'")) is not None
