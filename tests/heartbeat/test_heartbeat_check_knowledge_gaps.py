"""Questions that nothing remembered seems to answer."""

from datetime import timedelta
from typing import Any

import pytest

from recalld.heartbeat.checks.knowledge_gaps import CHECK
from recalld.heartbeat.model import Snapshot, Tier
from recalld.heartbeat.questions import is_question
from recalld.memories.model import Memory, MemoryState, MemoryType, Origin
from support.snapshots import DAY, HOUR, INSTANT, MINUTE, NOW, a_memory, a_snapshot, near

QUESTION = "Why does the upload fail?"
ANSWER = "The proxy cuts it at 30 s"
WORDED = "Every upload fails at 30 s"

ASKING = (
    *("How does the retry work?", "Why does CI fail on main", "what is the staging URL"),
    *("Should we drop Python 3.10", "Is there a quota on uploads", "Why's the build red"),
    *("not sure whether the cache is shared", "Need to find out why the tests hang"),
    *("I wonder how often the backup runs", "Open question: who owns the DNS zone"),
    *("How many users hit the limit", "Which region do we deploy to", "What about rate limits"),
    *("Isn't the cache shared", "Will the job retry", "**Why?**", 'She asked: "Is it safe?"'),
    *("为什么线上会超时？", "部署脚本为什么失败", "上传限额是多少", "谁负责发布"),
    *("我们不确定是否要升级到 3.12", "要不要把缓存换成 redis", "下一步怎么做", "能不能离线使用"),
    *("这个接口支持分页吗", "还不清楚怎么回滚", "需要确认谁有权限", "什么时候上线"),
    *(
        "Redis 集群怎么扩容",
        "為什麼測試失敗",
        "「真的要删吗？」",
        "哪个分支是稳定版",
        "问题：谁负责？",
    ),
)
TELLING = (
    *("When the build is green we ship", "How to deploy: run make release", "Do the dishes"),
    *("Asked Bob: can we ship? He said yes.", "See https://a.example/c?d=1", "", "  ", "🙂"),
    *("Which is why we chose sqlite, in the end", "What we learned: keep it small", "Is green"),
    *("Fix the bug in the parser", "Do not deploy on Friday", "Have the report ready by Monday"),
    *("Will wrote the parser", "Could not reproduce the crash", "Who wrote it: Ann"),
    *("Decided how to shard", "记录一下为什么选择 sqlite", "我们讨论了如何部署", "谁都可以改"),
    *("无论如何都要在周五发布", "如何部署：运行 make", "已经知道怎么修了", "决定了用哪个方案"),
    *("几个接口要改", "没什么问题", "他问为什么失败，已经告诉他原因", "完成了导入"),
    "真的要删吗？是的。",
)


@pytest.mark.parametrize("text", ASKING)
def test_what_asks(text: str):
    assert is_question(text)


@pytest.mark.parametrize("text", TELLING)
def test_what_tells(text: str):
    assert not is_question(text)


def asked(content: str = QUESTION, **changes: Any) -> Memory:
    return a_memory("q", content, **({"type": MemoryType.EVENT} | changes))


def scene(question: Memory, *others: Memory, cosine: float = 0.6) -> Snapshot:
    found = {question.id: tuple((one, cosine) for one in others)}
    return a_snapshot(question, *others, nearest=near(found))


@pytest.mark.parametrize(("cosine", "fires"), [(0.59, True), (0.6, False), (0.99, False)])
def test_a_memory_that_is_like_it_answers(cosine: float, fires: bool):
    found = CHECK.find(scene(asked(), a_memory("a", ANSWER), cosine=cosine))
    assert [signal.id for signal in found] == (["knowledge_gaps:q"] if fires else [])


@pytest.mark.parametrize(
    ("cosine", "text", "fires"),
    [
        (0.4, WORDED, False),
        (0.39, WORDED, True),
        (0.59, "The upload is slow", False),  # half of upload and fail
        (0.59, "The page is slow", True),
        (0.4, "上传会失败，因为代理超时", True),  # words of another language are no words of it
    ],
)
def test_with_half_of_its_words_less_is_enough(cosine: float, text: str, fires: bool):
    assert bool(CHECK.find(scene(asked(), a_memory("a", text), cosine=cosine))) is fires


def test_a_chinese_question_has_words_too_beside_those_that_ask():
    found = scene(asked("为什么上传失败"), a_memory("a", "上传失败是代理超时"), cosine=0.4)
    assert CHECK.find(found) == ()
    other = scene(asked("为什么上传失败"), a_memory("a", "为什么要写日志的说明"), cosine=0.59)
    assert CHECK.find(other) != ()


@pytest.mark.parametrize("state", [MemoryState.ARCHIVED, MemoryState.RESOLVED, MemoryState.STALE])
def test_an_answer_is_one_whatever_became_of_it(state: MemoryState):
    assert CHECK.find(scene(asked(), a_memory("a", ANSWER, state=state))) == ()


@pytest.mark.parametrize(
    "changes", [{"origin": Origin.HEARTBEAT}, {"owner": "other"}, {"created_at": NOW + HOUR}]
)
def test_own_words_and_foreign_ones_answer_nothing(changes: dict[str, Any]):
    assert CHECK.find(scene(asked(), a_memory("a", ANSWER, **changes))) != ()


def test_a_question_is_no_answer_and_the_newest_asking_stands_for_all():
    older = a_memory("older", "Why does my upload fail?", created_at=NOW - 3 * DAY)
    newer = asked(created_at=NOW - HOUR)
    found = near({"q": ((older, 0.9),), "older": ((newer, 0.9),)})
    signals = CHECK.find(a_snapshot(older, newer, nearest=found))
    assert [signal.id for signal in signals] == ["knowledge_gaps:q"]


@pytest.mark.parametrize(
    ("changes", "fires"),
    [
        ({"state": MemoryState.STALE}, True),
        ({"state": MemoryState.RESOLVED}, False),
        ({"state": MemoryState.ARCHIVED}, False),
        ({"origin": Origin.HEARTBEAT}, False),
        ({"owner": "other"}, False),
        ({"confidence": 0.49}, False),
        ({"confidence": 0.5}, True),
        ({"confidence": 0.0}, True),
        ({"tags": ("cron:daily:09:00",)}, False),  # a reminder: "Did you drink enough?"
    ],
)
def test_whose_questions_count(changes: dict[str, Any], fires: bool):
    assert bool(CHECK.find(scene(asked(**changes)))) is fires


@pytest.mark.parametrize("kind", MemoryType)
def test_any_type_may_ask(kind: MemoryType):
    assert CHECK.find(scene(asked(type=kind)))


@pytest.mark.parametrize(
    ("age", "tier"), [(30 * MINUTE, Tier.ELEVATED), (30 * MINUTE + INSTANT, Tier.NORMAL)]
)
def test_what_was_just_asked_is_more_urgent(age: timedelta, tier: Tier):
    (signal,) = CHECK.find(scene(asked(created_at=NOW - age)))
    assert signal.tier is tier


def test_what_a_signal_says():
    question = asked("为什么上传会失败")
    (signal,) = CHECK.find(scene(question))
    assert (signal.title, signal.memories) == ("尚无答案：为什么上传会失败", (question,))
    assert signal.detail == {"days_open": 1.0}


def several(count: int) -> list[Memory]:
    return [a_memory(f"q{n:03d}", QUESTION, created_at=NOW - n * HOUR) for n in range(count)]


def test_five_at_most_the_newest_first():
    found = CHECK.find(a_snapshot(*several(8)))
    assert [signal.id for signal in found] == [f"knowledge_gaps:q00{n}" for n in range(5)]
    assert found[0].detail["left_out"] == 3


def test_ten_questions_cost_a_search_and_only_among_the_newest_memories():
    searched: list[str] = []

    def nearest(memory: Memory) -> tuple[()]:
        searched.append(memory.id)
        return ()

    CHECK.find(a_snapshot(*several(30), nearest=nearest))
    assert searched == [f"q{n:03d}" for n in range(10)]
    statements = [a_memory(f"s{n}", created_at=NOW) for n in range(100)]
    assert CHECK.find(a_snapshot(*several(1), *statements[:99])) != ()
    assert CHECK.find(a_snapshot(a_memory("q", QUESTION), *statements)) == ()
