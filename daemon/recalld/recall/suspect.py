"""Does a note talk to the model instead of about something? Pure.

A hint, not a proof: what it finds is ranked down and marked, never dropped, since a note about
prompt injection reads the same.
"""

import re

_COMMANDS = re.compile(
    r"\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:previous|prior|above|earlier|all|your|"
    r"system)\b.{0,40}\b(?:instructions?|prompts?|rules?|messages?)\b"
    r"|\byou (?:are|must|will) now\b"
    r"|\b(?:new|real)\s+system\s+(?:prompt|message)\b"
    r"|<\|im_start\|>|\[/?INST\]"
    r"|(?:忽略|无视|忘记|忘掉|覆盖).{0,20}(?:之前|以上|上面|先前|所有|系统).{0,20}"
    r"(?:指令|提示|规则|要求)|你现在(?:是|必须)|从现在起你",
    re.IGNORECASE | re.DOTALL,
)

# None of these in it: the pattern need not be tried.
_HINTS = (
    *(
        "ignore",
        "disregard",
        "forget",
        "override",
        "you are",
        "you must",
        "you will",
        "system",
        "<|",
        "inst]",
    ),
    *("忽略", "无视", "忘记", "忘掉", "覆盖", "你现在", "起你"),
)


def looks_like_instruction(text: str) -> bool:
    """Whether ``text`` holds a phrase that gives orders to whoever reads it."""
    lowered = text.lower()
    return any(hint in lowered for hint in _HINTS) and _COMMANDS.search(text) is not None
