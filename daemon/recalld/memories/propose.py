"""What one turn says that is worth remembering, by rules and without a model. Pure.

Decisions, plans, outcomes and preferences, of the user's own words and of the agent's final
report. Precise rather than complete: what is missed can be said again, what is proposed by
mistake annoys. Nothing is taken from code, quotes, material handed over, questions, conditions
and guesses, from what others said or want, and from answers that may only repeat what was
remembered.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from recalld.memories.heard import TYPES, Kind, Language
from recalld.memories.model import MemoryType, Origin
from recalld.memories.propose_en import ENGLISH
from recalld.memories.propose_zh import CHINESE
from recalld.memories.spoken import Sentence, sentences
from recalld.text.clean import clean_prompt, strip_own_blocks
from recalld.text.language import has_cjk, is_cjk
from recalld.text.redact import redact

# The newest words of an answer stand at its end, those of a message at its beginning.
MAX_SIDE_CHARS = 16_384
# A longer sentence is not cut: what is cut off may be what mattered.
MAX_CHARS, MAX_CJK_CHARS = 280, 140
# With more sentences a message is a document, or has one in it.
MAX_BRIEF = 8

# What only asks for work, whatever its mark.
_REQUEST = re.compile(
    r"\W*(?:\w+[,，]? ){0,3}?(?:can|could|would|will) (?:you|we)\b"
    r"|.{0,12}(?:能不能|能否|可不可以|可以|麻烦|麻煩|请|請|帮|幫)",
    re.IGNORECASE,
)
_ASKS = re.compile(r"[?？][\s\"'”’)）」』]*$|[吗嗎么麼]$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One exchange. ``assistant`` is the final report, which counts only after ``success``."""

    user: str
    assistant: str
    success: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """``content`` is a sentence as it was said, without secrets; ``said_by`` user or agent."""

    content: str
    type: MemoryType
    said_by: Origin


def proposals(said: Said) -> tuple[Proposal, ...]:
    """The user's first, then the agent's, each in the order of the text, none twice.

    Of the agent's at most one decision and one outcome, the first of each; nothing where the
    user asked a question: such an answer says what is so, or what was remembered.
    """
    asked = list(sentences(clean_prompt(said.user[:MAX_SIDE_CHARS])))
    found = list(_of_user(asked))
    if said.success and not any(map(_is_question, asked)):
        report = strip_own_blocks(said.assistant)[-MAX_SIDE_CHARS:]
        found += _of_agent(sentences(report))
    return tuple({each.content: each for each in reversed(found)}.values())[::-1]


def _of_user(said: Sequence[Sentence]) -> Iterator[Proposal]:
    brief = len(said) <= MAX_BRIEF
    for sentence in said:
        kind = _language(sentence).of_user(sentence.masked, brief)
        if kind is not None:
            yield from _proposal(sentence, kind, Origin.USER)


def _of_agent(said: Iterable[Sentence]) -> Iterator[Proposal]:
    seen: set[Kind] = set()
    for sentence in said:
        kind = _language(sentence).of_agent(sentence.masked)
        if kind is not None and kind not in seen:
            for proposal in _proposal(sentence, kind, Origin.AGENT):
                seen.add(kind)
                yield proposal


def _language(sentence: Sentence) -> Language:
    return CHINESE if has_cjk(sentence.masked) else ENGLISH


def _is_question(sentence: Sentence) -> bool:
    said = sentence.masked
    return _ASKS.search(said) is not None and _REQUEST.match(said) is None


def _proposal(sentence: Sentence, kind: Kind, said_by: Origin) -> Iterator[Proposal]:
    content = redact(sentence.text).text
    # What it announces stands elsewhere.
    if content.endswith((":", "：")):
        return
    if len(content) <= (MAX_CJK_CHARS if is_cjk(content) else MAX_CHARS):
        yield Proposal(content=content, type=TYPES[kind], said_by=said_by)
