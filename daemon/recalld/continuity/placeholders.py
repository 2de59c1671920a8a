"""Which values of a checkpoint say nothing: words for nothing, and what a template left. Pure."""

import re

from recalld.continuity import words_en, words_zh

# Around a value: bullets, check boxes, quotes, emphasis, code marks.
_BEFORE = re.compile(r"^(?:[-*+•‣–—>]+\s+|\d{1,3}[.)]\s+|\[[ xX]?\]\s*)+")
_AROUND = " \t*_`~\"'“”‘’「」"
_AFTER = re.compile(r"[\s.。!！…:：;；]+$")
_BLANKS = re.compile(r"\s+")
_NOTHING = re.compile(f"(?:{words_en.NOTHING})|(?:{words_zh.NOTHING})", re.IGNORECASE)
_UNFILLED = re.compile(f"(?:{words_en.UNFILLED})|(?:{words_zh.UNFILLED})", re.IGNORECASE)
# One phrase in brackets and nothing beside it. ``[[a]]`` is a link to a note, and says something.
_BRACKETED = re.compile(
    r"\[[^\[\]\n]*\]|<[^<>\n]*>|\{[^{}\n]*\}|\{\{[^{}\n]*\}\}|【[^【】\n]*】|〔[^〔〕\n]*〕"
)
_ROUND = re.compile(r"[(（]\s*([^()（）\n]*?)\s*[)）]")
_SIGNS_ONLY = re.compile(r"[\W_]*")
_FENCE = re.compile(r"(?:`{3,}|~{3,})\s*\w*")


def is_placeholder(text: str) -> bool:
    """Whether ``text`` says nothing. Empty text, and text whose every line does, says nothing.

    Nothing is said by words for nothing ("None", "n/a", 暂无), by what a template leaves to be
    filled in ("TBD", "[what we are doing]", 待定), and by signs alone (a dash, a rule, a fence,
    an empty check box), in any case, with or without bullet, emphasis or full stop.
    """
    return all(_is_nothing(line) or _is_scaffolding(line) for line in _lines(text))


def is_scaffolding(text: str) -> bool:
    """Whether ``text`` says nothing, and some line of it is there to be filled in or replaced.

    Words for nothing are an answer, so "None" alone is no scaffolding; nor is empty text.
    """
    return is_placeholder(text) and any(map(_is_scaffolding, _lines(text)))


def _lines(text: str) -> list[str]:
    return [line for line in map(_bare, text.split("\n")) if line]


def _bare(line: str) -> str:
    """The line without what stands around its value; signs alone stay as they are."""
    plain = _BLANKS.sub(" ", line).strip()
    if _SIGNS_ONLY.fullmatch(plain) or _FENCE.fullmatch(plain):
        return plain
    bare = _AFTER.sub("", _BEFORE.sub("", plain).strip(_AROUND)).strip(_AROUND)
    within = _ROUND.fullmatch(bare)
    return bare if within is None else within[1]


def _is_nothing(line: str) -> bool:
    return _NOTHING.fullmatch(line) is not None


def _is_scaffolding(line: str) -> bool:
    return any(
        pattern.fullmatch(line) is not None
        for pattern in (_SIGNS_ONLY, _UNFILLED, _BRACKETED, _FENCE)
    )
