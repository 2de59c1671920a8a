"""A long message is judged by its ends, and never by the loop for long."""

import threading
from dataclasses import replace
from time import thread_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recalld.budget import Run
from recalld.recall.gate_extended import ExtendedStage
from recalld.recall.model import Status
from recalld.recall.pipeline import INLINE_CHARS, Ports, recall
from recalld.recall.policy import GraphMemoryPolicy, RecallPolicy
from recalld.recall.record import Recall
from recalld.recall.rules import rules_of
from recalld.recall.steps import gated
from recalld.recall.view import END_CHARS, ends
from recalld.text.prose import visible_prose
from support.recall_world import FakeSearcher, hit, prompt

RULES = rules_of(ExtendedStage(model=None))
LONGEST = 250_000
# Slow shapes, cut to the longest line that the wire takes.
HOSTILE = {
    "prose": "do you remember what we decided about the gate? ",
    "values": "password=`x4-Zk9_qW2 ",
    "task": "translate the following ",
    "quotes": '"a ',
    "fences": "```\nx\n",
    "labels": "foo (untrusted x):\n{\n",
    "events": "System: x\n",
    "code": "{a b c};\n",
}


def fresh(text: str) -> Recall:
    policy = RecallPolicy()
    return Recall(prompt=prompt(text), policy=policy, graph=GraphMemoryPolicy(), total_ms=4_400)


@given(st.text(max_size=200), st.text(max_size=200), st.integers(0, 60_000))
def test_the_ends_of_a_message_are_those_of_its_view(head, tail, between):
    text = head + "x" * between + tail
    view = ends(text)
    assert view.startswith(head)
    assert view.endswith(tail)
    assert len(view) <= 2 * END_CHARS + 8


def test_a_short_message_is_its_own_view():
    text = "a" * 2 * END_CHARS
    assert ends(text) is text


@pytest.mark.parametrize("fences", [1, 2, 3])
def test_a_fence_around_the_part_left_out_still_hides_what_it_hid(fences):
    filler = "filler line\n" * 2_000
    text = "start\n" + filler + ("```\ncode\n" + filler) * fences + "the end?"
    hidden = "the end?" not in visible_prose(text)
    assert ("the end?" not in visible_prose(ends(text))) == hidden
    assert hidden == (fences % 2 == 1)


@pytest.mark.parametrize("shape", HOSTILE)
def test_the_rules_judge_the_longest_message_in_a_step(shape):
    text = (HOSTILE[shape] * LONGEST)[:LONGEST]
    seen = replace(fresh(text), cleaned=text)
    started = thread_time()
    gated(seen, RULES)
    assert thread_time() - started < 0.1


def test_a_secret_across_the_cut_of_the_query_is_gone_whole():
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    for shift in range(0, len(secret), 3):
        head = "记忆：" + "w " * 990
        pad = " " + "w" * (2_000 - len(head) + 2 - shift)
        seen = gated(replace(fresh(""), cleaned=head + pad + " " + secret + " z" * 3_000), RULES)
        assert "ghp_a1" not in seen.query


async def test_a_long_message_is_cleaned_beside_the_loop_and_still_recalled():
    threads = []

    def clean(text):
        threads.append(threading.current_thread())
        return text.strip()

    ports = Ports(searcher=FakeSearcher(hits=(hit(),)), rules=replace(RULES, clean=clean))
    text = "/recall the gate " + "pasted words\n" * 2_000
    assert len(text) > INLINE_CHARS
    seen = await recall(fresh(text), run=Run(4_400), ports=ports)
    assert seen.status is Status.OK
    assert next(note.name for note in seen.stages) == "clean"
    assert threads[0] is not threading.main_thread()


async def test_a_message_that_is_never_clean_costs_its_budget_and_nothing_else():
    stuck = threading.Event()

    def clean(text):
        stuck.wait(30)
        return text

    searcher = FakeSearcher(hits=(hit(),))
    ports = Ports(searcher=searcher, rules=replace(RULES, clean=clean))
    try:
        seen = await recall(fresh("x" * 20_000), run=Run(100), ports=ports)
    finally:
        stuck.set()
    assert (seen.status, seen.reason) == (Status.TIMEOUT, "clean: timeout")
    assert searcher.calls == []
