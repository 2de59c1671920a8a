"""Words of a question that ask or point and name nothing. Pure."""

import re

from recalld.text.stopwords import CJK_BIGRAMS, ENGLISH

# "Do you remember", "请问": the words around a question, not of it.
WRAPPERS = re.compile(
    r"""
    ^\W*(?:
        (?:please|hey)\b
      | (?:do|can|could|would)\ you\ (?:still\ |please\ )?(?:remember|recall)\b
      | (?:(?:can|could|would)\ you\ )?(?:please\ )?
        (?:remind\ me(?:\ of|\ about)?|tell\ me(?:\ about)?|remember)\b
      | 请问 | 麻烦 | 你?还?记不记得 | (?:你|您)?(?:还|可以|能)?记得
      | (?:帮我|请)?(?:回忆|回想)(?:一下|下)?
    )
    """,
    re.IGNORECASE | re.VERBOSE,
)
TAIL = re.compile(r"(?:[吗嘛么呢吧呀啊]|对吧|是吧|来着)[\s?？!！。.]*$")

# Words that only say "it was in another conversation". Dates ("last week", 昨天) and the words
# that tell an earlier state from the present one ("now", "used to", 以前) stay: the search
# reads a time window and a preference for newer notes out of them.
TEMPORAL_CUES = re.compile(
    r"""
    \b(?:last\ time|the\ other\ day|previously|earlier|just\ now|in\ (?:our|the)\ (?:last|previous)
        \ (?:chat|conversation|session))\b
    | 上一?次 | 上一?回 | 刚才 | 刚刚 | 之前 | 此前 | 先前
    """,
    re.IGNORECASE | re.VERBOSE,
)

# Signs that hold an identifier, a number or a path together; the others become blanks.
_LOOSE = re.compile(r"[^\w\s\-./:+#@'’&%$=~]")
_EDGE = re.compile(r"(?<!\S)[-./:'’&=~]+|[-./:'’&=~]+(?!\S)")
_BLANKS = re.compile(r"\s+")

_CJK_FILLER = re.compile(
    "|".join([*sorted(CJK_BIGRAMS, key=lambda word: (-len(word), word)), "[的了吗呢吧么嘛呀啊]"])
)


def squeeze(text: str) -> str:
    """The text with every run of blanks made one, and none at the ends."""
    return _BLANKS.sub(" ", text).strip()


def without_punctuation(text: str) -> str:
    """The text with all signs blanked but those inside a word, a number or a path.

    >>> without_punctuation('"pre-deploy" (v1.2), C++ next?')
    'pre-deploy v1.2 C++ next'
    """
    return squeeze(_EDGE.sub(" ", _LOOSE.sub(" ", text)))


def content_words(text: str) -> str:
    """The text without function and question words, English and Chinese.

    >>> content_words("where did the approval plugin get to"), content_words("审批插件的规则是什么")
    ('approval plugin', '审批插件 规则')
    """
    kept = [word for word in text.split() if word.casefold().strip("'’") not in ENGLISH]
    return squeeze(_CJK_FILLER.sub(" ", " ".join(kept)))
