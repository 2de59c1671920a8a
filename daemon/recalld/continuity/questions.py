"""Does this message ask to go on with the work? Rules alone, before any search. Pure.

"What are we doing" is answered by the checkpoint, "what did we decide" by recall; a message may
ask both. A message counts by its form: it says nothing but that it resumes, or it asks outright
where the work stopped and says little beside.
"""

import re

from recalld.continuity.resume_en import ENGLISH, LONG_FORMS
from recalld.continuity.resume_model import Language, Rule
from recalld.continuity.resume_zh import CHINESE
from recalld.text.clean import clean_prompt
from recalld.text.folding import simplified
from recalld.text.language import has_cjk
from recalld.text.prose import visible_prose

# Who resumes says so in a line. A Chinese character carries as much as three letters.
MAX_CHARS = 240
MAX_CJK_CHARS = 80
MAX_CLAUSES = 8
# What may be said beside an outright question, in all.
MAX_BESIDE_CHARS = 120

_CLAUSES = re.compile(r"[!?。！？;；\n…,，、:：—–~～|]+|\.+(?=\s|$)|\s-+\s")
_CODE = re.compile(r"[={}<>$\\@^%*_\[\]]")
_NOT_A_WORD = re.compile(r"[^\w'./#+-]+")
_NOT_CHINESE = re.compile(r"[\W_]+")


def asks_to_resume(text: str) -> str | None:
    """The name of the rule by which the message asks where the work stands, or to go on; or None.

    English and Chinese, in simplified or traditional characters. What hosts put around a message
    does not count, nor do quotes and code in it. The first rule in the order of the message
    gives the name.
    """
    said = clean_prompt(text)
    if not said or len(said) > MAX_CHARS:
        return None
    prose = visible_prose(said)
    if has_cjk(prose) and len(prose) > MAX_CJK_CHARS:
        return None
    clauses = [one for one in _CLAUSES.split(prose) if one.strip()]
    return _asked(clauses) if 0 < len(clauses) <= MAX_CLAUSES else None


def _asked(clauses: list[str]) -> str | None:
    heard: list[Rule] = []
    beside = 0
    for clause in clauses:
        language = CHINESE if has_cjk(clause) else ENGLISH
        plain = _plain(clause)
        rules = None if _CODE.search(clause) else _rules_in(plain, language)
        if rules is not None:
            heard += rules
            continue
        if language.material.match(plain) is not None:
            return None
        beside += len(clause) * (3 if has_cjk(clause) else 1)
    asking = [rule for rule in heard if rule.alone and (not beside or rule.among)]
    return asking[0].name if asking and beside <= MAX_BESIDE_CHARS else None


def _plain(clause: str) -> str:
    if has_cjk(clause):
        return _NOT_CHINESE.sub("", simplified(clause).lower())
    plain = _NOT_A_WORD.sub(" ", clause.lower().replace("’", "'")).strip(" ./#+-")
    for short, long in LONG_FORMS:
        plain = short.sub(long, plain)
    return plain


def _rules_in(clause: str, language: Language) -> list[Rule] | None:
    """The rules that the clause is made of, small words aside; None where more is said."""
    rules: list[Rule] = []
    at = _skip(language.before, clause, 0)
    while at < len(clause):
        found = [
            (end, rule) for rule in language.rules if (end := _end(rule, language, clause, at))
        ]
        if not found:
            return None
        at, rule = max(found, key=lambda one: one[0])
        rules.append(rule)
        at = _skip(language.after, clause, at)
        at = _skip(language.before, clause, at + (clause[at : at + 1] == " "))
    return rules


def _end(rule: Rule, language: Language, clause: str, at: int) -> int:
    """Where the rule ends that starts at ``at``; 0 where it does not."""
    found = rule.pattern.match(clause, at)
    if found is None or found.end() == at or language.end.match(clause, found.end()) is None:
        return 0
    return found.end()


def _skip(words: re.Pattern[str], clause: str, at: int) -> int:
    found = words.match(clause, at)
    return at if found is None else found.end()
