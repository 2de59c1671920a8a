"""Messages of every family, and everyday ones that only sound like them."""

import pytest

from bench.gate.__main__ import by_rules
from bench.gate.messages import NEEDS_MEMORY, NEEDS_NONE
from recalld.recall.gate_rules import TIERS
from recalld.recall.model import Verdict


@pytest.mark.parametrize("text", NEEDS_MEMORY)
def test_a_message_that_leans_on_memory_says_yes(text: str) -> None:
    verdict = by_rules(extended=True)(text)
    assert verdict.verdict is Verdict.YES, verdict


@pytest.mark.parametrize("text", NEEDS_NONE)
def test_an_everyday_message_never_forces_a_recall(text: str) -> None:
    verdict = by_rules(extended=True)(text)
    assert verdict.verdict is not Verdict.YES, verdict


def test_every_rule_has_a_name_of_its_own() -> None:
    names = [rule.name for tier in TIERS for rule in tier.rules]
    assert len(names) == len(set(names))


def test_the_families_of_our_own_are_off_where_the_setting_is_off() -> None:
    message = "what is my wifi password at the office"
    assert by_rules(extended=True)(message).reason == "own_fact"
    assert by_rules(extended=False)(message).verdict is Verdict.NO
