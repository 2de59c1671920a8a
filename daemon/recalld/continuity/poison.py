"""Texts that only report a failed login, limit, server or command. Pure."""

import re

from recalld.continuity import poison_en, poison_zh
from recalld.text.clean import clean_prompt
from recalld.text.folding import simplified
from recalld.text.language import has_cjk

# A longer text is work that quotes a failure, not the failure itself.
MAX_CHARS = 600
MAX_CLAUSES = 12

_ENGLISH = re.compile("|".join(poison_en.CLAUSES), re.IGNORECASE)
_CHINESE = re.compile("|".join(poison_zh.CLAUSES), re.IGNORECASE)
_AROUND = rf"(?:{poison_en.AROUND}|{poison_zh.AROUND})"
_NOTHING = re.compile(rf"{_AROUND}|[\W\d_]*", re.IGNORECASE)
_OPENING = re.compile(rf"(?:{_AROUND}[\s*]*[:：]\s*)+", re.IGNORECASE)
# ``API Error: 429 {"type": …}``: whatever stands behind belongs to it.
_STRUCTURED = re.compile(
    r"\W*(?:api|https?|server|provider|llm|gateway|upstream|request|authentication|rate[ -]?limit)"
    r"[ _]?error\b\W*(?:\d{3}\b|\{|:|\()",
    re.IGNORECASE,
)
_CLAUSES = re.compile(r"[。！!;；\n·•|,，、…—–]+|\.(?=\s|$)|\s-\s")
_PAYLOAD = re.compile(r"\{.*\}|(?<=\S) ?[(（][^()（）]*[)）]")
_BLANKS = re.compile(r"\s+")
_EDGES = " \t\"'`*_>#.-⚠\ufe0f❌✗×"


def reports_failure(text: str) -> bool:
    """Whether every clause of the text reports that something failed, or goes with such a report.

    English and Chinese, of at most 600 characters. What a host puts around a message does not
    count. Words about a failure that say more ("fix the session expired error") are work.
    """
    plain = clean_prompt(text)
    if not plain or len(plain) > MAX_CHARS:
        return False
    if _STRUCTURED.match(plain):
        return True
    clauses = [clause for clause in _CLAUSES.split(_PAYLOAD.sub(" ", plain)) if clause.strip()]
    kinds = [_is_failure(clause) for clause in clauses[: MAX_CLAUSES + 1]]
    return len(kinds) <= MAX_CLAUSES and any(kinds) and None not in kinds


def _is_failure(clause: str) -> bool | None:
    """True: reports one; False: says nothing of its own; None: says something else."""
    plain = _BLANKS.sub(" ", clause.replace("’", "'")).strip(_EDGES)
    if _NOTHING.fullmatch(plain):
        return False
    opening = _OPENING.match(plain)
    plain = plain if opening is None else plain[opening.end() :]
    if has_cjk(plain):
        found = _CHINESE.fullmatch(simplified(plain).replace(" ", ""))
    else:
        found = _ENGLISH.fullmatch(plain)
    return True if found is not None else None
