"""A signal's tier after the tags and the age of its memories."""

import pytest

from recalld.heartbeat.model import Tier
from recalld.heartbeat.tiers import FRESHENED, effective
from support.snapshots import DAY, INSTANT, MINUTE, NOW, a_memory

OLD = NOW - DAY


def tier_of(base: Tier, *tags: tuple[str, ...], check: str = "deadlines") -> Tier:
    memories = [a_memory(f"m{at}", tags=own) for at, own in enumerate(tags)]
    return effective(base, memories, NOW, check)


@pytest.mark.parametrize("tag", ["critical", "Urgent", "URGENT", "紧急", "緊急", "加急", "ｕrgent"])
def test_an_urgent_tag_raises_by_one_step(tag: str):
    assert tier_of(Tier.LOW, (tag,)) is Tier.NORMAL
    assert tier_of(Tier.ELEVATED, (tag, "home")) is Tier.IMMEDIATE
    assert tier_of(Tier.IMMEDIATE, (tag,)) is Tier.IMMEDIATE


@pytest.mark.parametrize(
    "tag",
    ["low-priority", "low priority", "Low_Priority", "backlog", "低优先级", "低優先級", "不急"],
)
def test_a_waiting_tag_lowers_by_one_step(tag: str):
    assert tier_of(Tier.IMMEDIATE, (tag,)) is Tier.ELEVATED
    assert tier_of(Tier.LOW, (tag,)) is Tier.LOW


@pytest.mark.parametrize("tag", ["urgently", "not urgent", "priority", "优先级", "critical-path"])
def test_other_tags_change_nothing(tag: str):
    assert tier_of(Tier.NORMAL, (tag,)) is Tier.NORMAL


def test_two_urgent_tags_are_one_step_and_opposites_cancel():
    assert tier_of(Tier.LOW, ("urgent", "critical")) is Tier.NORMAL
    assert tier_of(Tier.NORMAL, ("urgent", "backlog")) is Tier.NORMAL


def test_one_of_several_memories_raises_but_only_all_of_them_lower():
    assert tier_of(Tier.NORMAL, (), ("urgent",)) is Tier.ELEVATED
    assert tier_of(Tier.NORMAL, (), ("backlog",)) is Tier.NORMAL
    assert tier_of(Tier.NORMAL, ("backlog",), ("不急",)) is Tier.LOW
    assert tier_of(Tier.NORMAL) is Tier.NORMAL


@pytest.mark.parametrize(
    ("age", "expected"),
    [
        (0 * MINUTE, Tier.ELEVATED),
        (30 * MINUTE, Tier.ELEVATED),
        (30 * MINUTE + INSTANT, Tier.NORMAL),
    ],
)
@pytest.mark.parametrize("check", sorted(FRESHENED))
def test_what_is_new_is_one_step_more_urgent(check: str, age: object, expected: Tier):
    memory = a_memory("m", created_at=NOW - age)  # type: ignore[operator]
    assert effective(Tier.NORMAL, [memory], NOW, check) is expected


def test_only_four_checks_ask_how_new_something_is():
    assert {"pending_work", "goal_progress", "knowledge_gaps", "decaying"} == FRESHENED
    fresh = a_memory("m", created_at=NOW)
    assert effective(Tier.ELEVATED, [fresh], NOW, "conflicts") is Tier.ELEVATED
    assert effective(Tier.LOW, [fresh], NOW, "relationship") is Tier.LOW


def test_tags_and_age_add_up_within_the_four_tiers():
    urgent = a_memory("m", created_at=NOW, tags=("urgent",))
    assert effective(Tier.NORMAL, [urgent], NOW, "pending_work") is Tier.IMMEDIATE
    waiting = a_memory("m", created_at=NOW, tags=("backlog",))
    assert effective(Tier.NORMAL, [waiting], NOW, "pending_work") is Tier.NORMAL
    assert effective(Tier.LOW, [waiting], NOW, "decaying") is Tier.LOW
