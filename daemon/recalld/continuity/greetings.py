"""Whether a reply opens with a greeting, in English or Chinese. Pure."""

import re

_ENGLISH = (
    r"(?:hi|hello|hey|hiya|howdy|yo|greetings|welcome(?: back)?"
    r"|good (?:morning|afternoon|evening|day)|nice to (?:see|meet) you|what'?s up)(?: there)?"
)
_OFFERS = (
    r"(?:(?:sure|of course|certainly)[,!. ]+)?(?:how|what) (?:can|may|could) i (?:help|assist|do)"
)
_CHINESE = (
    r"(?:你好|您好|妳好|大家好|哈[喽囉啰罗]|嗨|嘿|早上好|上午好|中午好|下午好|晚上好|早安|午安|晚安|欢迎|歡迎"
    r"|很高兴|很高興|在的)"
)
_CHINESE_OFFERS = (
    r"(?:请问|請問|有什么|有什麼|需要我|我可以|我能)[^。！？!?\n]{0,8}(?:帮|幫|协助|協助)"
)
# Only the beginning counts, and no length of it costs more than this.
_MAX_CHARS = 400
# Emphasis, quotes, emoji and the like in front.
_LEAD = r"[\W_]*"
_GREETING = re.compile(
    rf"{_LEAD}(?:(?:{_ENGLISH}|{_OFFERS})(?!\w)|{_CHINESE}|{_CHINESE_OFFERS})", re.IGNORECASE
)


def opens_with_greeting(text: str) -> bool:
    """Whether the first words greet, or offer help as one does to somebody who just came in."""
    return _GREETING.match(text[:_MAX_CHARS].replace("’", "'")) is not None
