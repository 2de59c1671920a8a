"""The prompts of the demo: fixed ones for the shipped notes, derived ones for any folder. Pure."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

# Spoken or dated headings say who and when, not what.
_SAYS_NOTHING = (
    re.compile(r"\d{4}-\d{2}-\d{2}"),
    re.compile("\N{REPLACEMENT CHARACTER}"),
    re.compile(
        r"^(?:section|chapter|part|page|day|week|heading|note|notes|untitled|item|step|no\.?)"
        r"[\s#:.\-]*[\divxlc]*$",
        re.IGNORECASE,
    ),
    re.compile(r"^第?[\d一二三四五六七八九十百]+[章节節部页頁天周]?$"),
)
_LETTER = re.compile(r"[^\W\d_]")
_VERDICTS = {
    "yes": "the gate hears a question about the past",
    "no": "the gate hears nothing that depends on the past",
    "uncertain": "the gate cannot tell; one quick search decides",
}
_HEADING = re.compile(r"^#{1,6}[ \t]+(.+?)[ \t#]*$")
_FENCE = re.compile(r"^ {0,3}(```|~~~)")
_CJK = re.compile(r"[\u3400-\u9fff]")
_MARKS = re.compile(r"[`*_\[\]<>|\\]")
_MIN_CHARS, _MAX_CHARS = 4, 60


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoPrompt:
    """``shows`` is what the reader is to look at."""

    label: str
    text: str
    shows: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """A heading and the first line of prose under it (empty where there is none)."""

    heading: str
    sentence: str = ""

    @property
    def chinese(self) -> bool:
        return _CJK.search(self.heading) is not None


_NO = DemoPrompt(
    label="no",
    text="Write a Python function that reverses a string.",
    shows="needs nothing from the past; nothing is searched",
)

SAMPLE = (
    DemoPrompt(
        label="yes",
        text="What did we decide last time about how often the upload queue retries?",
        shows="refers to the past; the block is what the agent is told",
    ),
    _NO,
    DemoPrompt(
        label="uncertain",
        text="Next steps for the training?",
        shows="could go either way; one quick search decides",
    ),
    DemoPrompt(
        label="strong",
        text="Do you remember the decision that conflicts are never merged silently?",
        shows="one clear winner ends the search early",
    ),
    DemoPrompt(
        label="explicit",
        text="/recall deep who looks at the parked records every evening?",
        shows="a prefix forces the search, and is not searched for",
    ),
    DemoPrompt(
        label="suppressed",
        text="/no-recall What did we decide last time about how often the upload queue retries?",
        shows="a prefix forbids it",
    ),
    DemoPrompt(
        label="chinese",
        text="上次崇明站同步失败是什么原因，后来怎么解决的？",
        shows="the same for Chinese",
    ),
)


def derived(topics: Iterable[Topic]) -> tuple[DemoPrompt, ...]:
    """The seven kinds of prompt about what a folder's headings name.

    Empty when there is no usable heading. A topic is used again when there are too few.
    """
    usable = sorted(
        (topic for topic in topics if _usable(topic.heading)),
        key=lambda topic: (not topic.sentence, -_weight(topic.heading)),
    )
    if not usable:
        return ()
    latin = [topic for topic in usable if not topic.chinese] or usable
    chinese = next((topic for topic in usable if topic.chinese), latin[0])
    first, second = latin[0], latin[1 % len(latin)]
    told = next((topic for topic in latin if topic.sentence), first)
    third = latin[2 % len(latin)].heading
    yes = _past(first)
    return (
        DemoPrompt(label="yes", text=yes, shows="refers to the past"),
        _NO,
        DemoPrompt(
            label="uncertain",
            text=f"Next steps for {second.heading}?",
            shows="one quick search decides",
        ),
        DemoPrompt(
            label="strong",
            text=f"Do you remember: {told.sentence or told.heading}",
            shows="nearly a note's own words; one clear winner ends it early",
        ),
        DemoPrompt(label="explicit", text=f"/recall deep {third}", shows="a prefix forces it"),
        DemoPrompt(label="suppressed", text=f"/no-recall {yes}", shows="a prefix forbids it"),
        DemoPrompt(
            label="chinese",
            text=f"上次说的“{chinese.heading}”后来怎么样了？",
            shows="the same in Chinese",
        ),
    )


def _past(topic: Topic) -> str:
    if topic.chinese:
        return f"上次关于“{topic.heading}”我们是怎么决定的？"
    return f"What did we decide last time about {topic.heading}?"


def _usable(heading: str) -> bool:
    """Whether a heading names something: not a speaker, a day, a number or a garbled text."""
    named = _MIN_CHARS <= len(heading) <= _MAX_CHARS and _LETTER.search(heading) is not None
    return named and not any(rule.search(heading) for rule in _SAYS_NOTHING)


def received(prompt: DemoPrompt, result: Mapping[str, object]) -> DemoPrompt:
    """The prompt under the label of what became of it, where that is not what was meant.

    Prompts about somebody's own notes are guesses: what the gate said is what is shown.
    """
    decision = result.get("decision")
    verdict = str(decision.get("verdict")) if isinstance(decision, Mapping) else ""
    if prompt.label in _VERDICTS:
        if not verdict or verdict == prompt.label:
            return prompt
        return replace(prompt, label=verdict, shows=_VERDICTS.get(verdict, prompt.shows))
    stages = result.get("stages")
    names = [str(stage.get("name")) for stage in stages] if isinstance(stages, list) else []
    more = any(name.startswith("det:") for name in names)
    if prompt.label == "strong" and (more or "literal" not in names):
        return replace(
            prompt, label=verdict or "no", shows="no note stands out, so more is searched"
        )
    return prompt


def _weight(heading: str) -> int:
    """Longer headings tell more: words, and for Chinese half the characters."""
    return len(heading.split()) + len(_CJK.findall(heading)) // 2


def topics_of(markdown: str) -> list[Topic]:
    """The headings outside of code, in order, each with the first prose line below it."""
    topics: list[Topic] = []
    fence = ""
    for line in markdown.split("\n"):
        mark = _FENCE.match(line)
        if mark is not None and fence in {"", mark[1]}:
            fence = "" if fence else mark[1]
            continue
        found = None if fence else _HEADING.match(line)
        if found is not None:
            topics.append(Topic(heading=_MARKS.sub("", found[1]).strip()))
        elif not fence and topics and not topics[-1].sentence and line[:1].isalpha():
            topics[-1] = Topic(heading=topics[-1].heading, sentence=_sentence(line))
    return topics


def _sentence(line: str) -> str:
    """The line as far as its first full stop, without markup; '' for a garbled one."""
    if "\N{REPLACEMENT CHARACTER}" in line:
        return ""
    return re.split(r"(?<=[.!?。！？])", _MARKS.sub("", line).strip())[0][:200]
