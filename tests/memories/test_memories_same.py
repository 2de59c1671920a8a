"""What is one message and what is two; what reports a plan done and what does not."""

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recalld.memories.dedupe import may_repeat, repeats, surer
from recalld.memories.gist import gist, gist_key, same, turned
from recalld.memories.model import MemoryState, MemoryType, Visibility
from recalld.memories.resolve import may_resolve, meant, reports_done
from recalld.memories.scale import PLAIN
from support import memory_pairs as pairs
from support.memory_world import AT, memory

# The cosines of an engine that finds everything the same: only the words decide.
BLIND = 0.999


@pytest.mark.parametrize(("one", "other"), pairs.SAME)
def test_other_words_that_carry_nothing_are_one_message(one: str, other: str):
    assert repeats(other, one, BLIND, PLAIN)
    assert repeats(one, other, BLIND, PLAIN)
    assert repeats(one, other, None, PLAIN)
    assert gist_key(gist(one)) == gist_key(gist(other))


@pytest.mark.parametrize(("one", "other"), pairs.TURNED)
def test_two_parts_changed_places_are_one_message_when_the_engine_is_sure(one: str, other: str):
    assert repeats(other, one, 0.98, PLAIN)
    assert not repeats(other, one, 0.96, PLAIN)
    assert not repeats(other, one, None, PLAIN)


@pytest.mark.parametrize(("one", "other"), pairs.CHANGED + pairs.RELATED + pairs.LOOSE)
def test_whatever_else_differs_is_another_message_however_near(one: str, other: str):
    assert not repeats(other, one, BLIND, PLAIN)
    assert not repeats(one, other, BLIND, PLAIN)
    assert not repeats(one, other, None, PLAIN)


def test_the_engine_has_a_veto():
    assert repeats("Deploy it.", "Deploy it", 0.93, PLAIN)
    assert not repeats("Deploy it.", "Deploy it", 0.92, PLAIN)


@given(st.text(), st.text())
def test_what_is_one_message_is_found_by_its_key(one: str, other: str):
    first, second = gist(one), gist(other)
    assert not same((), first)
    assert same(first, second) == same(second, first)
    assert turned(first, second) == turned(second, first)
    if same(first, second):
        assert gist_key(first) == gist_key(second)
    if first:
        assert same(first, first)
        assert not turned(first, first)


@given(
    st.lists(
        st.sampled_from(
            [
                "deploy",
                "the",
                "key",
                "keys",
                "server",
                "servers",
                "we",
                "not",
                "15",
                "部",
                "署",
                "的",
            ]
        )
    )
)
def test_the_key_finds_all_that_is_the_same(words: list[str]):
    one = gist(" ".join(words))
    for at, word in enumerate(words):
        changed = [*words]
        changed[at] = {"key": "Key", "the": "", "的": "", "not": "not,"}.get(word, word)
        other = gist(" ".join(changed))
        assert same(one, other) or not one
        assert gist_key(one) == gist_key(other)


NEW = memory(id="m2", created_at=AT + timedelta(hours=1))


@pytest.mark.parametrize(
    "old",
    [
        {"owner": "bob"},
        {"type": MemoryType.EVENT},
        {"visibility": Visibility.TEAM},
        {"state": MemoryState.RESOLVED},
        {"state": MemoryState.ARCHIVED},
        {"state": MemoryState.DELETED},
    ],
)
def test_only_an_open_memory_of_the_same_kind_and_owner_can_be_repeated(old: dict[str, object]):
    assert may_repeat(NEW, memory())
    assert may_repeat(NEW, memory(state=MemoryState.STALE))
    assert not may_repeat(NEW, memory(**old))


def test_another_deadline_or_schedule_is_another_plan():
    due = AT + timedelta(days=3)
    assert may_repeat(NEW, memory(expires_at=due))
    assert may_repeat(memory(expires_at=due), memory(expires_at=due))
    assert not may_repeat(memory(expires_at=due), memory())
    assert not may_repeat(memory(tags=("cron:daily",)), memory())
    assert not may_repeat(memory(tags=("cron:daily",)), memory(tags=("cron:weekly",)))
    assert may_repeat(memory(tags=("work",)), memory(tags=("cron:daily",)))
    assert not may_repeat(memory(state=MemoryState.RESOLVED), memory())
    assert may_repeat(memory(state=MemoryState.RESOLVED), memory(state=MemoryState.RESOLVED))


@pytest.mark.parametrize("kind", list(MemoryType))
def test_what_happens_another_day_is_another_memory_and_what_holds_is_not(kind: MemoryType):
    old = memory(type=kind)
    soon = memory(type=kind, created_at=AT + timedelta(hours=23))
    later = memory(type=kind, created_at=AT + timedelta(hours=24))
    assert may_repeat(soon, old)
    assert may_repeat(later, old) == (kind not in {MemoryType.EVENT, MemoryType.ACTIVITY})


@given(st.floats(0, 1))
def test_a_repetition_makes_surer_and_never_certain_of_more_than_all(confidence: float):
    assert confidence <= surer(confidence) <= 1.0


@pytest.mark.parametrize(("plan", "report"), pairs.DONE)
def test_a_report_of_completion_closes_its_plan(plan: str, report: str):
    assert reports_done(report, plan, 0.8, PLAIN)
    assert not reports_done(report, plan, 0.69, PLAIN)


@pytest.mark.parametrize(("plan", "report"), pairs.OPEN)
def test_what_is_no_report_of_this_plan_leaves_it_open(plan: str, report: str):
    assert not reports_done(report, plan, BLIND, PLAIN)


@pytest.mark.parametrize(("plan", "report"), pairs.DONE)
def test_a_plan_closes_no_plan_and_a_report_with_a_no_closes_none(plan: str, report: str):
    assert not reports_done(plan, report, BLIND, PLAIN)
    assert not reports_done(f"{report}?", plan, BLIND, PLAIN)
    assert not reports_done(f"{report}, but not yet", plan, BLIND, PLAIN)


def test_a_report_without_a_day_closes_no_plan_of_several_days():
    monday = memory(id="1", content="Deploy to staging on Monday")
    tuesday = memory(id="2", content="Deploy to staging on Tuesday")
    undated = memory(id="3", content="Deploy to staging")
    assert meant("Deployed to staging", [monday, tuesday, undated]) == (undated,)
    assert meant("Deployed to staging", [monday, undated]) == (monday, undated)
    assert meant("Deployed to staging on Monday", [monday]) == (monday,)
    for spelling in ("周一", "星期一", "礼拜一"):
        zh = [memory(id="4", content=f"{spelling}上线"), memory(id="5", content="周一晚上上线")]
        assert meant("上线了", zh) == tuple(zh)


def test_long_texts_close_nothing():
    plan, report = "Fix the flaky upload test", "Fixed the flaky upload test"
    assert not reports_done(report + " and" * 200, plan, BLIND, PLAIN)


REPORT = memory(id="m9", type=MemoryType.EVENT, created_at=AT + timedelta(hours=1))


@pytest.mark.parametrize(
    ("report", "plan", "wanted"),
    [
        ({}, {}, True),
        ({"type": MemoryType.CONTEXT}, {"type": MemoryType.ACTIVITY}, True),
        ({"type": MemoryType.PLAN}, {}, False),
        ({"type": MemoryType.PREFERENCE}, {}, False),
        ({"state": MemoryState.ARCHIVED}, {}, False),
        ({}, {"type": MemoryType.EVENT}, False),
        ({}, {"state": MemoryState.STALE}, False),
        ({}, {"state": MemoryState.RESOLVED}, False),
        ({}, {"owner": "bob"}, False),
        ({}, {"tags": ("cron:daily",)}, False),
        ({}, {"created_at": AT + timedelta(hours=2)}, False),
    ],
)
def test_only_later_events_of_the_owner_close_active_plans(
    report: dict[str, object], plan: dict[str, object], wanted: bool
):
    assert may_resolve(replace(REPORT, **report), memory(**plan)) is wanted  # type: ignore[arg-type]
