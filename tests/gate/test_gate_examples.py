"""The published examples keep their verdicts, whatever else is switched on."""

import pytest

from bench.gate.__main__ import by_rules, with_vectors
from bench.gate.embed import IDENTITY, QueryEncoder
from recalld.recall.gate_extended import extended_stage
from recalld.recall.model import Depth, GateVerdict, RouteKind, Verdict

# message, verdict, reason (None: any), route
EXAMPLES = [
    ("还记得我们上次给 human-gate 定的规则吗？", "yes", "memory_intent", None),
    ("Can you still remember our deployment plan?", "yes", "memory_intent", None),
    ("上次我们改过的那个插件现在怎样？", "yes", "historical_reference", None),
    ("以前我们讨论过这个接口的命名", "yes", "historical_reference", None),
    ("我们之前是怎么设计重试逻辑的", "yes", "historical_reference", None),
    ("上次我们决定用哪个检索方案", "yes", "historical_reference", None),
    ("What did we decide last time about human-gate?", "yes", "historical_reference", None),
    ("那个审批插件现在推进到哪一步了？", "yes", "ambiguous_reference", None),
    ("What is the status of that plugin now?", "yes", "ambiguous_reference", None),
    ("按我之前的偏好继续调整配置", "yes", None, None),
    ("human-gate 和 Codex 有什么关系？", "yes", "user_specific_context", RouteKind.GRAPH),
    ("我以前偏好什么模型，现在改成什么了？", "yes", "user_specific_context", RouteKind.GRAPH),
    ("综合我所有项目、工具和偏好的关联", "yes", "user_specific_context", RouteKind.HYBRID),
    ("帮我优化一下这个插件", "uncertain", "user_specific_context", None),
    ("检查当前代码的类型错误", "uncertain", "user_specific_context", None),
    ("帮我把这个方案落地", "uncertain", "user_specific_context", None),
    ("继续优化这个插件", "uncertain", "user_specific_context", None),
    ("继续修复登录模块的进度", "uncertain", "user_specific_context", None),
    ("Tune this current implementation", "uncertain", "user_specific_context", None),
    ("介绍一下 TypeScript 泛型", "no", None, None),
    ("什么是 RRF？", "no", None, None),
    ("How does a B-tree work?", "no", None, None),
    ("1+1", "no", None, None),
    ("天气", "no", None, None),
    ("你好", "no", None, None),
    ("thanks", "no", None, None),
    ("以前的人怎么保存食物？", "no", None, None),
    ("以前的项目管理方法有哪些？", "no", None, None),
    ("根据历史记录，明朝发生过什么？", "no", None, None),
    ("How did people preserve food previously?", "no", None, None),
    ("法国和德国有什么关系？", "no", None, None),
    ("/recaller foo", "no", None, None),
    ("/recall deep 上次的结论", "yes", "explicit_prefix", None),
    ("回忆：上次的结论", "yes", "explicit_prefix", None),
    ("记忆：上次的结论", "yes", "explicit_prefix", None),
    ("记忆:上次的结论", "yes", "explicit_prefix", None),
    ("/no-recall 还记得我们上次定的规则吗", "no", "suppressed", None),
    ("不查记忆：还记得我们上次定的规则吗", "no", "suppressed", None),
    ("", "no", "empty", None),
    ("   ", "no", "empty", None),
]


@pytest.fixture(scope="module")
def encode() -> QueryEncoder:
    return QueryEncoder()


def check(verdict: GateVerdict, wanted: str, reason: str | None, route: RouteKind | None) -> None:
    assert verdict.verdict is Verdict(wanted), verdict
    assert reason is None or verdict.reason == reason
    assert verdict.route is route
    assert verdict.rule


@pytest.mark.parametrize("extended", [False, True])
@pytest.mark.parametrize(("text", "wanted", "reason", "route"), EXAMPLES)
def test_an_example_has_its_verdict(
    text: str, wanted: str, reason: str | None, route: RouteKind | None, extended: bool
) -> None:
    check(by_rules(extended=extended)(text), wanted, reason, route)


@pytest.mark.parametrize(("text", "wanted", "reason", "route"), EXAMPLES)
def test_the_embedding_stage_changes_no_example(
    text: str, wanted: str, reason: str | None, route: RouteKind | None, encode: QueryEncoder
) -> None:
    check(with_vectors(extended_stage(IDENTITY), encode)(text), wanted, reason, route)


@pytest.mark.parametrize(
    ("text", "confidence"),
    [
        ("还记得我们上次给 human-gate 定的规则吗？", 0.98),
        ("What did we decide last time about human-gate?", 0.95),
        ("那个审批插件现在推进到哪一步了？", 0.92),
        ("human-gate 和 Codex 有什么关系？", 0.9),
        ("什么是 RRF？", 0.9),
    ],
)
def test_a_verdict_carries_the_published_confidence(text: str, confidence: float) -> None:
    assert by_rules(extended=True)(text).confidence == confidence


def test_the_option_of_a_forced_recall_sets_the_depth_alone() -> None:
    verdict = by_rules(extended=True)("/recall deep 上次的结论")
    assert verdict.depth is Depth.DEEP
    assert verdict.query == "上次的结论"


# Faults known of the published patterns; the gate's own must not share them.
@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("does the scikit-learn package depend on numpy?", "no"),
        ("scikit-learn 和 numpy 有什么关系？", "no"),
        ("你可以记得加注释吗", "no"),
        ("allocate pages from memory", "no"),
        ("回忆录怎么写", "no"),
        ("刚才我们说到哪了", "yes"),
        ("what were we doing?", "yes"),
        ("继续", "uncertain"),
        ("continue", "uncertain"),
    ],
)
def test_a_known_fault_of_the_patterns_is_not_shared(text: str, wanted: str) -> None:
    assert by_rules(extended=True)(text).verdict is Verdict(wanted)


@pytest.mark.parametrize(
    "text",
    [
        "還記得我們上次給 human-gate 定的規則嗎？",
        "上次我們改過的那個外掛現在怎樣？",
        "以前我們討論過這個介面的命名",
        "那個審批外掛現在推進到哪一步了？",
        "按我之前的偏好繼續調整設定",
        "我以前偏好什麼模型，現在改成什麼了？",
        "剛才我們說到哪了",
        "按老規矩來",
    ],
)
def test_traditional_characters_read_like_simplified_ones(text: str) -> None:
    assert by_rules(extended=True)(text).verdict is Verdict.YES


def test_a_traditional_prefix_forces_recall() -> None:
    assert by_rules(extended=True)("回憶：上次的結論").query == "上次的結論"
