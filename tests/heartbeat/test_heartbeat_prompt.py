"""The prompt of an analysis: everything that is known is in it, and no more than its bound."""

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recalld.heartbeat.analysis import Provider, request
from recalld.heartbeat.labels import CHECK_NAMES
from recalld.heartbeat.model import (
    Act,
    ActState,
    Autonomy,
    Enrichment,
    Message,
    Reason,
    State,
    Tier,
)
from recalld.heartbeat.prompt import EXPLAIN, MAX_CHARS, Spoken
from recalld.heartbeat.telling import Telling
from recalld.memories.model import MemoryState
from support.snapshots import DAY, HOUR, NOW, a_memory, a_snapshot
from support.telling_scene import a_related, a_signal, a_telling, hostile_tellings, nasty

PROVIDER = Provider(endpoint="https://x.example", key_name="K", model="m", max_output_tokens=800)


def prompt(telling: Telling, *conversation: Spoken, agent: str = "main") -> str:
    asked = request(telling, provider=PROVIDER, agent=agent, conversation=conversation)
    assert len(asked.system) + len(asked.user) <= MAX_CHARS
    return asked.user


def section(told: str, heading: str) -> list[str]:
    lines = told.split("\n")
    start = lines.index(heading) + 1
    end = lines.index("", start) if "" in lines[start:] else len(lines)
    return lines[start:end]


def an_act(ago: timedelta, message: str, state: ActState = ActState.DELIVERED) -> Act:
    return Act(
        id=f"a{ago}",
        owner="default",
        at=NOW - ago,
        reason=Reason.ACT,
        tier=Tier.NORMAL,
        fingerprint="",
        state=state,
        message=message,
    )


def test_b6_every_input_that_has_data_is_in_it():
    """Hazard b9.4: fields that were printed and never filled."""
    signals = [
        a_signal(f"title of {check}", check=check, detail={"hours_left": 2.5, "kind": f"k-{check}"})
        for check in CHECK_NAMES
    ]
    felt = tuple(
        Message(at=NOW - HOUR * (9 - n), session="s", sentiment=0.1 * n) for n in range(1, 8)
    )
    snapshot = a_snapshot(
        a_memory("x1", "Prefers short answers", importance=0.9),
        a_memory("x2", "住在上海", importance=0.4),
        messages=felt,
        acts=(an_act(HOUR, "[Priority] rent\nUrgency: high"), an_act(2 * HOUR, "older words")),
        last_state=State(at=NOW - 3 * HOUR, memories=0),
        in_conversation=True,
    )
    past = a_related("Fixed in PR 41", signal=signals[0], state=MemoryState.RESOLVED)
    telling = a_telling(
        *signals,
        snapshot=snapshot,
        escalation=3,
        response_rate=0.25,
        autonomy=Autonomy.ACT,
        enrichment=Enrichment(related=(past,), graph=("A (tool) → uses → B (tool)",)),
    )
    told = prompt(
        telling, Spoken(role="user", text="房租明天交"), Spoken(role="assistant", text="ok")
    )
    for check, name in CHECK_NAMES.items():
        title = f"- [normal] title of {check} (hours left: 2.5; kind: k-{check})"
        assert section(told, f"{name.english} (1):") == [title]
    for fact in (
        "Now: 2026-06-10 12:00 (UTC), working",
        "User: default",
        "Agent: main",
        "Mode: act (say what is being done)",
        "Verbosity: conversational",
        "Signals: 17, the most urgent normal, by act",
        "Urgency: medium at least",
        "Brought up: 3 times, this one included; tone: offer help",
        "Answered of late: 25% of the messages",
    ):
        assert fact in told.split("\n")
    assert section(told, "Activity:") == [
        "- in conversation: yes",
        "- last message of the user: 2 hours ago",
        "- memories: 2",
        "- new memories since the last message of this service: 2",
        "- last message of this service: 3 hours ago",
        "- mood of the user, -1 to 1: +0.60, before that +0.25",
    ]
    assert section(told, "Related past context:") == [
        '- [2 days ago] "Fixed in PR 41" (resolved)',
        EXPLAIN,
    ]
    assert section(told, "Graph context:") == ["- A (tool) → uses → B (tool)"]
    assert section(told, "Other memories, the most important first:") == [
        '- [0.9] "Prefers short answers"',
        '- [0.4] "住在上海"',
    ]
    assert section(told, "Recent heartbeat messages, newest first:") == [
        '- [1 hour ago] "[Priority] rent Urgency: high"',
        '- [2 hours ago] "older words"',
    ]
    assert section(told, "Conversation, oldest first:") == [
        '- user: "房租明天交"',
        '- assistant: "ok"',
    ]


def test_what_has_no_data_has_no_heading():
    told = prompt(a_telling(a_signal("Pending: ship")))
    headings = [each for each in told.split("\n") if each.endswith(":")]
    assert headings == ["Activity:", "PENDING WORK (1):"]
    assert EXPLAIN not in told


def test_s1_19_the_past_is_bulleted_with_its_age_and_is_to_be_explained():
    due = a_signal("Pending: ship")
    past = (
        a_related("上次发布前忘了备份", signal=due, age="3 weeks ago"),
        a_related('Said "never on Friday"', signal=due, age="1 day ago"),
    )
    told = section(
        prompt(a_telling(due, enrichment=Enrichment(related=past), link="off")),
        "Related past context:",
    )
    assert told == [
        '- [3 weeks ago] "上次发布前忘了备份"',
        '- [1 day ago] "Said \\"never on Friday\\""',
        EXPLAIN,
    ]


def test_messages_that_did_not_reach_the_user_are_not_recent_ones():
    acts = (
        an_act(HOUR, "lost", ActState.FAILED),
        an_act(2 * HOUR, ""),
        *(an_act(n * DAY, f"number {n}") for n in range(1, 8)),
    )
    told = section(
        prompt(a_telling(a_signal("Pending: ship"), snapshot=a_snapshot(acts=acts))),
        "Recent heartbeat messages, newest first:",
    )
    assert told == [f'- [{n} day{"s" if n > 1 else ""} ago] "number {n}"' for n in range(1, 6)]


def test_the_last_twenty_of_a_conversation_are_told():
    said = [Spoken(role="user", text=f"word {n}") for n in range(30)]
    told = section(
        prompt(a_telling(a_signal("Pending: ship")), *said), "Conversation, oldest first:"
    )
    assert told == [f'- user: "word {n}"' for n in range(10, 30)]


def test_signals_and_their_past_are_not_told_again_among_other_memories():
    memory = a_memory("m1", "Ship the importer")
    due = a_signal("Pending: Ship the importer", memories=(memory,))
    past = a_related("Shipped late in May", signal=due)
    snapshot = a_snapshot(memory, past.memory)
    told = prompt(a_telling(due, snapshot=snapshot, enrichment=Enrichment(related=(past,))))
    assert "Other memories" not in told
    assert told.count("Shipped late in May") == 1


def test_ten_other_memories_by_importance():
    many = [a_memory(f"m{n:02}", f"fact {n}", importance=n / 20) for n in range(20)]
    told = section(
        prompt(a_telling(a_signal("Pending: ship"), snapshot=a_snapshot(*many))),
        "Other memories, the most important first:",
    )
    assert [each.split('"')[1] for each in told] == [f"fact {n}" for n in range(19, 9, -1)]


def worst(text: str) -> tuple[Telling, list[Spoken]]:
    """Everything there can be, each of it as long as it gets."""
    signals = [
        a_signal(
            f"{text} {n}", check=check, tier=Tier.IMMEDIATE, detail={"a": text, "b": [text] * 9}
        )
        for n in range(9)
        for check in CHECK_NAMES
    ]
    snapshot = a_snapshot(
        *(a_memory(f"m{n}", text) for n in range(40)),
        acts=tuple(an_act(n * HOUR, text) for n in range(1, 20)),
        messages=tuple(Message(at=NOW - HOUR, session="s", sentiment=0.5) for _ in range(40)),
        last_state=State(at=NOW - DAY, memories=3),
    )
    related = tuple(
        replace(a_related(text, signal=one, age=text), score=0.5) for one in signals[:12]
    )
    telling = a_telling(
        *signals,
        snapshot=replace(snapshot, owner=text),
        enrichment=Enrichment(related=related, graph=(text,) * 40),
        escalation=10**6,
        response_rate=1.0,
    )
    return telling, [Spoken(role="assistant", text=text)] * 50


@pytest.mark.parametrize(
    "text", ["<" * 5_000, "审批插件" * 1_000, "word " * 1_000, '"' * 5_000, "</x>\n" * 900]
)
def test_s1_28_the_prompt_keeps_its_bound_with_everything_at_its_longest(text: str):
    telling, conversation = worst(text)
    told = prompt(telling, *conversation, agent=text)
    lines = told.split("\n")
    assert all(len(each) <= 200 for each in lines)
    related = section(told, "Related past context:")
    assert related[-1] == EXPLAIN
    assert len(related) == 10
    assert "(and 129 more signals)" in lines
    assert sum(each.startswith("- [immediate]") for each in lines) == 24


@settings(max_examples=100)
@given(
    hostile_tellings(), st.lists(st.builds(Spoken, role=st.just("user"), text=nasty), max_size=4)
)
def test_no_text_gets_out_of_its_line(telling: Telling, conversation: list[Spoken]):
    told = prompt(telling, *conversation)
    told.encode("utf-8")
    assert told.splitlines() == told.split("\n")
    assert not set("<>") & set(told)
    names = tuple(f"{name.english} (" for name in CHECK_NAMES.values())
    own: tuple[str, ...] = (
        "Now: ",
        "User: ",
        "Agent: ",
        "Mode: ",
        "Verbosity: ",
        "Signals: ",
        "Urgency: ",
    )
    own += (
        "Brought up: ",
        "Activity:",
        "Related past",
        "Graph context:",
        "Conversation, ",
        "OTHER (",
    )
    for each in told.split("\n"):
        assert not each or each == EXPLAIN or each.startswith(("- ", *own, *names))
