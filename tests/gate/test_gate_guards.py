"""Code, quotes and handed-over text never speak for the user; hostile text stays cheap."""

import json
from pathlib import Path
from time import thread_time

import pytest

from bench.gate.__main__ import by_rules, with_vectors
from bench.gate.embed import IDENTITY, QueryEncoder
from recalld.recall.gate import is_small_talk
from recalld.recall.gate_extended import extended_stage, needs_extended
from recalld.recall.model import Verdict
from recalld.text.prose import visible_prose

JUDGE = by_rules(extended=True)


def bug_case(folder: Path, name: str) -> dict[str, object]:
    rows = (folder / "bug-cases.jsonl").read_text(encoding="utf-8").split("\n")
    found: dict[str, object] = next(
        json.loads(row)["input"] for row in rows if row and json.loads(row)["id"] == name
    )
    return found


def test_trigger_words_in_code_tracebacks_and_quotes_do_not_count(eval_data: Path) -> None:
    message = str(bug_case(eval_data, "bc-01")["message"])
    judge = with_vectors(extended_stage(IDENTITY), QueryEncoder())
    verdict = judge(message)
    assert verdict.verdict is Verdict.NO
    assert verdict.depth is None
    assert JUDGE("what did we decide last time about the store?").verdict is Verdict.YES


def test_acknowledgements_are_a_plain_no_and_never_embedded(eval_data: Path) -> None:
    messages = bug_case(eval_data, "bc-02")["messages"]
    assert isinstance(messages, list)
    for message in messages:
        verdict = JUDGE(message)
        assert verdict.verdict is Verdict.NO
        assert verdict.reason == "small_talk"
        assert not needs_extended(verdict, message)


@pytest.mark.parametrize(
    "text",
    [
        "ok",
        "OK!",
        "thanks a lot",
        "thank you so much!",
        "好的",
        "好的，谢谢",
        "收到！",
        "👍👍",
        "...",
        "?",
        "hi there",
        "good morning!",
        "早上好",
        "辛苦了",
        "嗯嗯",
        "lol",
        "got it, thanks",
        "明白了",
        "在吗",
        "再见",
    ],
)
def test_small_talk_is_recognised(text: str) -> None:
    assert is_small_talk(text)
    assert JUDGE(text).reason == "small_talk"


@pytest.mark.parametrize(
    "text",
    ["fix it", "继续", "天气", "1+1", "thanks, what did we decide?", "好的，继续改", "no idea"],
)
def test_what_says_something_is_no_small_talk(text: str) -> None:
    assert not is_small_talk(text)


@pytest.mark.parametrize(
    "text",
    [
        'translate "see you last Thursday, do you remember?" into French',
        "translate: do you remember what we decided last time?",
        "把这句话翻译成日语：还记得我们上次的约定吗？",
        "翻译“我们上次讨论的方案”",
        "Summarize the following text:\nLast week we decided to use Kafka. Do you remember why?",
        "```\nwhat did we decide last time\n```\nwhy does this not compile",
        "```\nwhat did we decide last time",
        "what does `remember_when(we, last_time)` return",
        "> do you remember our deployment plan?\n\nsounds odd",
        "Write a story where a man asks: do you remember our last summer?",
        "写一个故事，主角说还记得我们上次见面吗",
        "write a function that checks what did we decide last time",
        "Traceback (most recent call last):\n  File 'x'\n    did_we()\nValueError: do you remember",
        "def remember_last_time():\n    return 'what did we decide'\n\nprevious = recall()\n",
    ],
)
def test_handed_over_material_does_not_trigger(text: str) -> None:
    verdict = JUDGE(text)
    assert verdict.verdict is not Verdict.YES, verdict


@pytest.mark.parametrize(
    "text",
    [
        "```\nx = 1\n```\ndo you remember why we chose this?",
        "> old mail\nwhat did we decide about it last time?",
        "Here is the log:\nERROR 12 boom\nDidn't we fix this once already?",
    ],
)
def test_the_users_own_words_beside_material_still_count(text: str) -> None:
    assert JUDGE(text).verdict is Verdict.YES


def test_prose_keeps_words_apart_where_something_is_cut() -> None:
    assert visible_prose('say "hello" twice').split() == ["say", "twice"]
    assert visible_prose("don't say 'no' to Ann's friend").split() == [
        "don't",
        "say",
        "to",
        "Ann's",
        "friend",
    ]


HOSTILE = [
    "a ",
    "what did ",
    "我",
    "我们之前",
    "那个",
    "的那",
    "the thing we ",
    '"',
    "'a",
    "“",
    "`a",
    "翻译",
    "下面",
    "write a function that ",
    "def a():\n",
    "/recall ",
    "记忆：",
    "  \n",
    "x",
    "i i ",
    "last time ",
    "?",
    "。",
    "与a",
    "how is ",
    "John ",
    "(",
    "我有",
    "the following ",
    "12:30:00 ",
    "Did A ",
    "from a import ",
    "当时数据库",
    "我们多久",
    "发布",
    "找小王",
    "记得",
    "remember the ",
    "why was the a ",
    "do we keep the a ",
    "who is the next ",
    "Who is A ",
]


def _seconds(text: str) -> float:
    start = thread_time()
    JUDGE(text)
    return thread_time() - start


@pytest.mark.parametrize("unit", HOSTILE)
def test_hostile_text_costs_in_proportion_to_its_length(unit: str) -> None:
    small, large = unit * (12_000 // len(unit)), unit * (96_000 // len(unit))
    ratio = min(_seconds(large) for _ in range(3)) / min(_seconds(small) for _ in range(3))
    assert ratio < 28, "eight times the text may cost eight times, never sixty-four"
