"""Decisions over several turns: the latest three, each once, and none that was taken back."""

from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recalld.continuity.decisions import merged, turns

A, B, C, D = "Use COPY for the load", "Keep the audit columns", "Three batches", "按天拆分数据"


def test_the_latest_three_are_kept_in_order():
    assert merged((), [A, B, C, D]) == (B, C, D)
    assert merged((A, B), [C, D]) == (B, C, D)
    assert merged((A, B, C), []) == (A, B, C)


def test_what_is_said_again_is_one_decision_and_the_newest():
    assert merged((A, B), ["use COPY"]) == (B, A)
    assert merged(("use COPY",), [A]) == (A,)
    assert merged((D,), ["按天拆分"]) == (D,)
    assert merged((A, B, C), [A, B, C]) == (A, B, C)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("We store samples in Postgres", "actually we use ClickHouse instead of Postgres"),
        ("We'll use the Slack webhook", "post to Matrix rather than Slack"),
        ("We use Redis for the sessions", "We do not use Redis for the sessions"),
        ("We do not use Redis for the sessions", "We use Redis for the sessions"),
        ("Retry three times with 5 s between", "Retry three times with 9 s between"),
        ("Keep the old endpoint for a year", "Actually drop the old endpoint after a year"),
        ("数据存在 SQLite 里", "还是改用 PostgreSQL，不用 SQLite 了"),
        ("知识库只用内部文档", "知识库改成内部文档加工单"),
        ("失败任务最多重试 3 次", "失败任务最多重试 5 次"),
        ("統一用 Markdown 模板", "不用 Markdown 模板了"),
    ],
)
def test_a_change_of_mind_stands_in_the_place_of_what_it_changes(old: str, new: str):
    assert merged((old, B), [new]) == (B, new)
    assert merged((B, old), [new]) == (B, new)
    assert merged(merged((old, B), [new]), [new]) == (B, new)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("use COPY instead of INSERT", "we'll use COPY, not INSERT"),
        ("We keep the old table", "We keep the new index"),
        ("Logs go to stdout", "Actually, metrics go to Prometheus"),
        ("Backups are encrypted with age", "Backups run at three in the morning"),
        ("日志写到 stdout", "改用 zstd 压缩备份"),
        ("Store the config in YAML", "use tabs instead of spaces"),
        ("Run the parser on the main thread", "We never block the main thread"),
    ],
)
def test_other_decisions_stay(old: str, new: str):
    assert len(merged((old,), [new])) == (1 if "COPY" in old else 2)
    assert not turns(new, [old]) or "COPY" in old


def test_a_sentence_takes_back_only_what_was_decided():
    assert turns("post to Matrix rather than Slack", ["We'll use the Slack webhook"])
    assert not turns("post to Matrix rather than Slack", ["We keep three backups"])
    assert not turns("the Slack webhook works", ["We'll use the Slack webhook"])
    assert not turns("use tabs instead of spaces", [])


DECISIONS = st.lists(
    st.sampled_from([A, B, C, D, "", "不用 Redis", "use Redis", "actually use Redis", "x", "No"])
    | st.text(max_size=20),
    max_size=5,
)


@given(DECISIONS, DECISIONS)
def test_nothing_is_made_up_and_never_more_than_three(old: list[str], new: list[str]):
    kept = merged(old, new)
    assert len(kept) <= 3
    assert set(kept) <= {*old, *new}
    assert bool(kept) == bool(old or new)


def test_long_decisions_are_compared_fast():
    started = process_time()
    for piece in ("not ", "instead of ", "不用", "actually "):
        merged([piece * 4_000] * 3, [f"{piece * 4_000} x"] * 3)
    assert process_time() - started < 2
