"""Do later lines report the work, or its next step, as done? Careful: a doubt is a no. Pure."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType

from recalld.continuity import extract_en, progress_en, progress_zh
from recalld.continuity.likeness import content
from recalld.continuity.model import Checkpoint, Done, Turn
from recalld.continuity.poison import reports_failure
from recalld.continuity.wording import asks, sentences
from recalld.text.clean import clean_prompt, strip_own_blocks
from recalld.text.folding import simplified
from recalld.text.language import has_cjk
from recalld.text.quote import shortened
from recalld.text.tokens import fold, query_tokens

MAX_SAID_CHARS = 160
# A word is met where its first letters are; stems keep at least these.
MARK_CHARS = 4
# With fewer words a message only says yes or go on, and names no other work.
MIN_OWN_WORDS = 3

_CLAUSES = re.compile(
    r"[,，;；、\n]+|\bbut\b|\band then\b|但是?|不过|然而|—|–|\s-\s", re.IGNORECASE
)
_BLANKS = re.compile(r"\s+")
# Letters that folding changes.
_ACCENTS = re.compile("[\u00aa-\u036f\u1e00-\u1eff\uff01-\uff5e]")
_VERB_FIRST = re.compile(rf"\W*(?:{extract_en.VERB})\b", re.IGNORECASE)
# One of these is in every report that all is done.
_ALL_DONE = (
    "done",
    "complete",
    "finish",
    "accomplish",
    "完",
    "搞定",
    "弄好",
    "结束",
    "收",
    "好了",
    "告成",
)
# Of the words of what was to be done. Where a word is put between, Chinese pairs are split.
SHARE = 0.5
CJK_SHARE = 0.45


@dataclass(frozen=True, slots=True, kw_only=True)
class _Words:
    done: re.Pattern[str]
    command: re.Pattern[str]
    not_done: re.Pattern[str]
    condition: re.Pattern[str]
    all_done: re.Pattern[str]
    taken_back: re.Pattern[str]
    finished: re.Pattern[str]
    acts: Mapping[str, re.Pattern[str]]

    @classmethod
    def of(cls, module: ModuleType) -> "_Words":
        return cls(
            done=re.compile(module.DONE),
            command=re.compile(module.COMMAND),
            not_done=re.compile(module.NOT_DONE),
            condition=re.compile(module.CONDITION),
            all_done=re.compile(module.ALL_DONE),
            taken_back=re.compile(module.TAKEN_BACK),
            finished=re.compile(module.FINISHED),
            acts={name: re.compile(words) for name, words in module.ACTS.items()},
        )

    def acts_in(self, text: str) -> frozenset[str]:
        return frozenset(name for name, words in self.acts.items() if words.search(text))


_ENGLISH = _Words.of(progress_en)
_CHINESE = _Words.of(progress_zh)


def reported_done(checkpoint: Checkpoint, turns: Sequence[Turn]) -> Done | None:
    """The last report, in turns later than ``updated_at``, that the work is done; None: none.

    Reported is the objective or the next action, by a statement of user or agent that holds at
    least half of its words (in Chinese of its pairs of characters) and tells of the same act
    (``send`` by "sent", not by "drafted") or of its end, or all of it at once
    ("all steps done", 全部完成) in a turn that is about it or names nothing else.
    Questions, conditions, plans, negations, shares ("3 of 5") and failed runs report nothing; a
    later statement that takes it back ("the order bounced") undoes a report. A checkpoint
    without a time takes every turn as later. English and Chinese, code and quotes left out.
    """
    if not checkpoint.active and not checkpoint.next_action:
        return None
    works = [_Work.of(text) for text in (checkpoint.next_action, checkpoint.objective) if text]
    marks = _Marks.of(works)
    found: Done | None = None
    for turn in sorted(turns, key=lambda turn: turn.at):
        if checkpoint.updated_at is not None and turn.at <= checkpoint.updated_at:
            continue
        for text, said in _statements(turn, marks):
            if _reports(said, works, turn):
                found = Done(at=turn.at, said=shortened(text, MAX_SAID_CHARS))
            elif found is not None and _takes_back(said, works):
                found = None
    return found


def reports_done(sentence: str) -> bool:
    """Whether a statement says that something is done, whatever it is.

    A condition behind that is part of what was done ("added a fallback if the host is down").
    """
    said = _Said.of(sentence)
    words = said.words
    for clause in said.clauses:
        done = words.done.search(clause)
        if done is None or words.command.match(clause) or words.not_done.search(clause):
            continue
        if words.condition.search(clause, 0, done.start()) is None:
            return True
    return False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Said:
    """A sentence made plain, and its clauses."""

    whole: str
    clauses: tuple[str, ...]
    words: _Words

    @classmethod
    def of(cls, sentence: str) -> "_Said":
        chinese = has_cjk(sentence)
        plain = _plain(sentence, chinese=chinese)
        clauses = (_plain(one, chinese=chinese) for one in _CLAUSES.split(sentence))
        return cls(
            whole=plain,
            clauses=tuple(one for one in clauses if one),
            words=_CHINESE if chinese else _ENGLISH,
        )


def _plain(text: str, *, chinese: bool) -> str:
    lower = _BLANKS.sub(" ", text.replace("’", "'")).strip(" *_#>-.!。！✅✔☑").lower()
    return simplified(lower).replace(" ", "") if chinese else lower


@dataclass(frozen=True, slots=True, kw_only=True)
class _Marks:
    """One of these is in every line that can report the works; None: any line can."""

    any_of: tuple[str, ...] | None

    @classmethod
    def of(cls, works: Sequence["_Work"]) -> "_Marks":
        if not all(work.things for work in works):
            return cls(any_of=None)
        words = {word[:MARK_CHARS] for work in works for word in work.words | work.things}
        return cls(any_of=(*words, *_ALL_DONE))

    def are_in(self, text: str) -> bool:
        if self.any_of is None:
            return True
        folded = simplified(fold(text) if _ACCENTS.search(text) else text).lower()
        return any(mark in folded for mark in self.any_of)


def _statements(turn: Turn, marks: _Marks) -> Iterator[tuple[str, _Said]]:
    """The sentences of user and agent that state something; none of a failed run's answer.

    Lines without any of ``marks`` are passed over.
    """
    texts = [clean_prompt(turn.user)]
    if turn.success:
        texts.append(strip_own_blocks(turn.assistant))
    for text in texts:
        if not marks.are_in(text) or reports_failure(text):
            continue
        for sentence in sentences(text, judging=True, wanted=marks.are_in):
            if not asks(sentence):
                yield sentence, _Said.of(sentence)


def _reports(said: "_Said", works: Sequence["_Work"], turn: Turn) -> bool:
    for clause in said.clauses:
        if said.words.all_done.fullmatch(clause) and _is_about(turn, works):
            return not said.words.condition.search(said.whole)
        if _is_done(clause, said):
            told = content(clause)
            if any(work.done_by(clause, told, said.words) for work in works):
                return True
    return False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Work:
    """What is to be done: its words, of these the things, and the acts it asks for on them.

    ``verb``: the stem of an act that is not one of those; "" where it begins with none.
    """

    words: frozenset[str]
    acts: frozenset[str]
    things: frozenset[str]
    verb: str
    share: float

    @classmethod
    def of(cls, text: str) -> "_Work":
        chinese = has_cjk(text)
        words = _CHINESE if chinese else _ENGLISH
        plain = _plain(text, chinese=chinese)
        things = plain
        for act in words.acts.values():
            things = act.sub(" ", things)
        acts = words.acts_in(plain)
        return cls(
            words=content(text),
            acts=acts,
            things=content(things),
            verb="" if acts or not _VERB_FIRST.match(text) else next(iter(query_tokens(text)), ""),
            share=CJK_SHARE if chinese else SHARE,
        )

    def done_by(self, clause: str, told: frozenset[str], words: _Words) -> bool:
        """Whether a clause of the words ``told`` that reports something done reports this.

        It names its share of the things and acts, at least one thing if there is any, and says
        that one of the acts was done, or that it is finished, whatever it was.
        """
        named = self.things & told
        if self.things and not named:
            return False
        held = len(named) + len(self.acts & words.acts_in(clause))
        if not held or held < self.share * (len(self.things) + len(self.acts)):
            return False
        finished = words.finished.search(clause)
        if finished is not None and self._is_this(finished, words):
            return True
        reported = " ".join(one[0] for one in words.done.finditer(clause))
        if self.verb:
            return self.verb in content(reported)
        return not self.acts or not self.acts.isdisjoint(words.acts_in(reported))

    def _is_this(self, finished: re.Match[str], words: _Words) -> bool:
        verb = finished.groupdict().get("verb")
        return verb is None or not self.acts.isdisjoint(words.acts_in(verb))


def _is_done(clause: str, said: _Said) -> bool:
    words = said.words
    return (
        words.done.search(clause) is not None
        and words.command.match(clause) is None
        and words.not_done.search(clause) is None
        and words.condition.search(said.whole) is None
    )


def _is_about(turn: Turn, works: Sequence[_Work]) -> bool:
    """Whether the turn is about the work, or asks for nothing of its own."""
    said = content(f"{turn.user}\n{turn.assistant}")
    if any(not work.words.isdisjoint(said) for work in works):
        return True
    return len(content(clean_prompt(turn.user))) < MIN_OWN_WORDS


def _takes_back(said: _Said, works: Sequence[_Work]) -> bool:
    return any(
        said.words.taken_back.search(clause) is not None
        and not work.words.isdisjoint(content(clause))
        for clause in said.clauses
        for work in works
    )
