"""Which memories ask something, in English and Chinese, with or without a question mark. Pure."""

import re

from recalld.text.asking import asks
from recalld.text.tokens import fold, query_tokens

# Without a mark only a short line is a question; a long one tells.
MAX_UNMARKED_CHARS = 120
_CLOSING = "\"'”’»」』)）]】*_` "

# Two sentences: a full stop inside a number or a name ends none.
_SEVERAL = re.compile(r"[.!?](?=\s)|[。！？\n]")

_WORD = r"(?:what|why|how|who|whom|whose|which|when|where|whether)"
_VERB = r"(?:is|are|was|were|do|does|did|should|can|could|would|will|shall|has|have|may|might)"
_SUBJECT = r"(?:i|we|you|he|she|it|they|there|this|that|these|those|any\w*)"
# Says outright that something is not known.
_ENGLISH_OPEN = re.compile(
    r"(?:open )?question\s*[:：]"
    rf"|(?:(?:i|we)(?:'m| am| are|'re)? )?(?:still )?"
    rf"(?:wonder(?:ing)?|need(?:s)? to (?:find out|figure out|know|check|ask)|not sure|unsure"
    rf"|unclear|do(?:es)?n't know|don't understand|have to find out|to find out|find out)"
    rf"(?: about)? (?:if|{_WORD})\b",
    re.IGNORECASE,
)
_ENGLISH_START = re.compile(
    rf"{_WORD}(?:'s|(?: exactly)? {_VERB}(?:n't)?) \w"
    rf"|(?:what|which|whose) \w+ {_VERB} {_SUBJECT}\b"
    rf"|(?:how (?:much|many|long|often|far)|what about|how about|how come)\b"
    rf"|{_VERB}(?:n't)? {_SUBJECT}\b"
    rf"|(?:is|are|was|were|does|should|can|could|would|will)(?:n't)? the\b",
    re.IGNORECASE,
)
# "When it is green, we ship" tells, and so does "How to deploy: run it".
_ENGLISH_TELLS = re.compile(r".*[,:;]", re.DOTALL)

_ASKING = (
    r"(?:怎么|怎麼|怎样|怎樣|如何|为什么|為什麼|为何|為何|为啥|(?<!没)(?<!没有)(?:什么|什麼)|啥|哪(?!怕)|谁|誰|多少|多久"
    r"|[几幾](?:点|點|号|號|时|時)|何时|何時|是否|能否|可否|有没有|有沒有|是不是|能不能|要不要|会不会|會不會"
    r"|该不该|該不該|行不行|好不好|对不对|對不對|可不可以|用不用|需不需要|值不值得)"
)
_CHINESE_ASKING = re.compile(_ASKING)
# Says outright that something is not known.
_CHINESE_OPEN = re.compile(
    r"(?:我们|我們|我|还|還|仍|暂时|目前)*(?:不知道|不确定|不確定|不清楚|不明白|想知道|搞不懂|没搞懂|想问"
    r"|需要(?:确认|確認|弄清|搞清|查清)|待确认|待確認|疑问|疑問|请问|請問)"
    rf"[^。！!；;\n]*{_ASKING}"
)
_CHINESE_PARTICLE = re.compile(r"[^。！!；;\n]*[吗嗎][。!！~～ ]*")
_CHINESE_START = re.compile(rf"[^，,。！!；;：:\n]{{0,12}}?{_ASKING}")
# A settled matter, one that depends on nothing, a heading with its answer, and who told whom.
_CHINESE_TELLS = re.compile(
    r"[:：\n]|[都也]|无论|無論|不管|不论|不論|取决于|取決於|[了过過][。!！]?\Z|[已了过過][^，,]{0,4}(?:怎|如何|为|哪|谁)"
    r"|已(?:经|經|定|决|決|确|確|解|改|完|修)|决定|決定|因为|因為|所以|说|說|讨论|討論|研究|学|學|知道|明白|了解"
    r"|解释|解釋|介绍|介紹|写|寫|总结|總結|整理|记|記|弄清|看看|教|告诉|告訴|什么的|那么|这么|這麼"
)


def is_question(text: str) -> bool:
    """Whether it asks in the end.

    A mark at the end is enough. Without one, a short line that starts as questions do: asked and
    answered at once, or a matter settled, it tells.
    """
    plain = fold(text).replace("’", "'").strip().rstrip(_CLOSING)
    if asks(plain):
        return True
    short = len(plain) <= MAX_UNMARKED_CHARS and _SEVERAL.search(plain) is None
    return short and _starts(plain)


def asked_words(text: str) -> frozenset[str]:
    """The words that say what is asked about, as the index has them; none may be left."""
    return frozenset(query_tokens(_CHINESE_ASKING.sub(" ", text)))


def _starts(line: str) -> bool:
    if _ENGLISH_OPEN.match(line) or _CHINESE_OPEN.match(line) or _CHINESE_PARTICLE.fullmatch(line):
        return True
    if _ENGLISH_START.match(line):
        return _ENGLISH_TELLS.match(line) is None
    return _CHINESE_START.match(line) is not None and _CHINESE_TELLS.search(line) is None
