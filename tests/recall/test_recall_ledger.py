"""What a session was shown is not shown again, until its context was emptied."""

from typing import Any

import pytest

from recalld.recall.explain import explanation_of
from recalld.recall.ledger import CHUNKS, SESSIONS, Ledger, is_repeated
from recalld.recall.model import Status
from support.e2e_rows import bug_case
from support.recall_house import House
from support.recall_world import FakeGate, FakeSearcher, hit

N1, N2, N3 = (
    hit(f"memory/n{number}.md", 0.9, uid=f"n{number}", text=text)
    for number, text in enumerate(
        ("we picked the durable queue", "its retry limit is five", "the queue is drained nightly"),
        start=1,
    )
)


def injected(result):
    return [shown.id for shown in result.hits]


async def test_bc30_each_note_is_injected_with_the_first_prompt_only(tmp_path, eval_data):
    case = bug_case(eval_data, "bc-30")
    assert case["top_hits_each_time"] == ["n1", "n2"]
    house = House(root=tmp_path, searcher=FakeSearcher(hits=(N1, N2)))
    async with house.open_sink() as sink:
        service = house.service(sink)
        first, *later = [
            await service.prompt(house.prompt(text, session_key=case["session"]))
            for text in case["prompts"]
        ]
        assert injected(first) == ["n1", "n2"]
        assert [(one.status, one.reason, one.context) for one in later] == [
            (Status.NO_RESULT, "already_shown", None)
        ] * 2
        service.forget_shown(case["session"])
        again = await service.prompt(house.prompt(case["prompts"][0], session_key=case["session"]))
        assert injected(again) == ["n1", "n2"]


async def test_only_what_is_new_is_injected_and_why_tells_the_rest(tmp_path):
    house = House(root=tmp_path, searcher=FakeSearcher(hits=(N1, N2)))
    async with house.open_sink() as sink:
        service = house.service(sink)
        await service.prompt(house.prompt())
        house.searcher.hits = (N1, N3, N2)
        second = await service.prompt(house.prompt())
        assert injected(second) == ["n3"]
        trace = service.trace(second.trace_id)
        assert trace is not None
        told: Any = explanation_of(trace)
        assert {row["id"]: row["rule"] for row in told["cut"]} == {
            "n1": "already_shown",
            "n2": "already_shown",
        }
        assert [row["id"] for row in told["shown"]] == ["n3"]


async def test_sessions_do_not_share_what_they_were_shown(tmp_path):
    house = House(root=tmp_path, searcher=FakeSearcher(hits=(N1,)))
    async with house.open_sink() as sink:
        service = house.service(sink)
        for key in ("a", "b"):
            assert injected(await service.prompt(house.prompt(session_key=key))) == ["n1"]


async def test_who_asks_explicitly_is_shown_it_again(tmp_path):
    house = House(
        root=tmp_path,
        searcher=FakeSearcher(hits=(N1,)),
        gate=FakeGate(reason="explicit_prefix"),
    )
    async with house.open_sink() as sink:
        service = house.service(sink)
        assert [injected(await service.prompt(house.prompt())) for _ in range(2)] == [["n1"]] * 2


async def test_what_was_shown_makes_room_for_more_of_the_same_file(tmp_path):
    lines = tuple(
        hit("a.md", 0.9, start_line=line, text=f"note number {line} of the file")
        for line in range(1, 80, 9)
    )
    house = House(root=tmp_path, searcher=FakeSearcher(hits=lines))
    async with house.open_sink() as sink:
        service = house.service(sink)
        first = await service.prompt(house.prompt())
        house.searcher.hits = lines[3:] + lines[:3]
        second = await service.prompt(house.prompt())
    assert len(injected(first)) == len(injected(second)) == 3
    assert not {*injected(first)} & {*injected(second)}


@pytest.mark.parametrize(
    ("before", "now", "repeated"),
    [
        ("the queue is durable and slow", "the queue is durable and slow", True),
        ("the queue is durable and slow", "The queue is durable, and slow.", True),
        ("the queue is durable and slow", "billing retries use five attempts", False),
        ("定了新的值班表", "定了新的值班表", True),
        ("定了新的值班表", "暂存环境的证书周一轮换", False),
    ],
)
def test_another_excerpt_of_a_chunk_is_news(before, now, repeated):
    ledger = Ledger()
    ledger.note("s", [("n1", before)])
    shown = ledger.next_prompt("s", turns=10)
    assert is_repeated("n1", now, shown) is repeated
    assert not is_repeated("n2", now, shown)


def test_a_chunk_is_withheld_for_so_many_prompts_and_no_longer():
    ledger = Ledger()
    ledger.note("s", [("n1", "the queue is durable")])
    assert ["n1" in ledger.next_prompt("s", turns=3) for _ in range(5)] == [
        True,
        True,
        True,
        False,
        False,
    ]


def test_the_ledger_is_bounded_and_forgets_the_oldest():
    ledger = Ledger()
    for number in range(SESSIONS + 1):
        ledger.note(f"s{number}", [("n1", "a b c d")])
    assert not ledger.next_prompt("s0", turns=10)
    assert ledger.next_prompt("s1", turns=10)
    ledger.note("s1", [(f"c{number}", "a b c d") for number in range(CHUNKS)])
    shown = ledger.next_prompt("s1", turns=10)
    assert "n1" not in shown
    assert len(shown) == CHUNKS
