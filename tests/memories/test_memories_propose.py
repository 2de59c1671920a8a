"""What turns propose to remember: rows in both languages, each with what only looks like it."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recalld.memories.model import MemoryType, Origin
from recalld.memories.propose import MAX_CHARS, Said, proposals
from recalld.memories.spoken import sentences
from recalld.text.language import has_cjk
from support import proposal_rows as known
from support import proposal_unseen as unseen
from support.proposal_unseen import USER

WORK = "Please go on with the task."
DECIDED = "We decided to move the billing jobs to Frankfurt."


def found(who: str, text: str) -> list[tuple[str, str]]:
    said = Said(user=text, assistant="") if who == USER else Said(user=WORK, assistant=text)
    return [(proposal.said_by, proposal.type) for proposal in proposals(said)]


@pytest.mark.parametrize("row", [*unseen.SAID, *known.SAID], ids=lambda row: row[1][:60])
def test_what_is_worth_remembering_is_proposed(row):
    who, text, kind = row
    assert found(who, text) == [(who, kind)]


@pytest.mark.parametrize("row", [*unseen.NOT_SAID, *known.NOT_SAID], ids=lambda row: row[1][:60])
def test_what_only_looks_like_it_is_not(row):
    who, text, _ = row
    assert found(who, text) == []


@pytest.mark.parametrize("row", known.MISSED, ids=lambda row: row[1][:60])
def test_what_is_missed_is_at_least_not_misread(row):
    who, text, kind = row
    assert found(who, text) in ([], [(who, kind)])


def test_there_are_enough_rows_of_either_language_in_either_direction():
    for rows in ((*unseen.SAID, *known.SAID), (*unseen.NOT_SAID, *known.NOT_SAID)):
        chinese = sum(has_cjk(text) for _, text, _ in rows)
        assert min(chinese, len(rows) - chinese) >= 40
        assert len({text for _, text, _ in rows}) == len(rows)


def test_one_turn_says_several_things_the_users_first():
    said = Said(
        user=(
            "Here is where we are.\n\n- We decided to move the billing jobs to Frankfurt.\n"
            "- 我打算下周把老接口下线。\n\nCan you update the runbook?"
        ),
        assistant=(
            "Done. I moved the runbook to the new folder and updated its links.\n"
            "I decided to keep the old name, because two pages link to it.\n"
            "I fixed the table of contents as well."
        ),
    )
    assert [(each.said_by, each.type, each.content) for each in proposals(said)] == [
        (Origin.USER, MemoryType.EVENT, DECIDED),
        (Origin.USER, MemoryType.PLAN, "我打算下周把老接口下线。"),
        (
            Origin.AGENT,
            MemoryType.EVENT,
            "I moved the runbook to the new folder and updated its links.",
        ),
        (
            Origin.AGENT,
            MemoryType.EVENT,
            "I decided to keep the old name, because two pages link to it.",
        ),
    ]


@pytest.mark.parametrize(
    "user",
    ["What did we decide about the queue?", "上次我们决定用什么队列？", "why is the queue slow?"],
)
def test_an_answer_to_a_question_may_only_repeat_what_was_remembered(user: str):
    report = "I decided to keep the queue in memory. Fixed the flaky queue test."
    assert proposals(Said(user=user, assistant=report)) == ()


@pytest.mark.parametrize("user", ["Can you fix the flaky queue test?", "能不能修一下队列的测试？"])
def test_a_request_in_the_form_of_a_question_is_a_request(user: str):
    assert len(proposals(Said(user=user, assistant="Fixed the flaky queue test."))) == 1


def test_a_failed_run_reports_nothing():
    said = Said(user=WORK, assistant="I fixed the flaky queue test.", success=False)
    assert proposals(said) == ()


def test_what_memory_services_and_hosts_put_around_a_message_says_nothing():
    blocks = (
        f"<recall-context>\n- {DECIDED}\n</recall-context>\n"
        f"<heartbeat-signals>\n{DECIDED}\n</heartbeat-signals>\n"
        f"<system-reminder>{DECIDED}</system-reminder>\n"
    )
    assert proposals(Said(user=blocks + WORK, assistant=blocks)) == ()
    assert len(proposals(Said(user=blocks + DECIDED, assistant=""))) == 1


def test_a_document_that_is_handed_over_gives_no_orders():
    rules = "\n".join(f"- Never commit file number {number} to the repo." for number in range(12))
    assert proposals(Said(user=f"Review our rules:\n\n{rules}", assistant="")) == ()
    middle = f"{WORK}\n\n" + "\n\n".join(f"{number}. {DECIDED}" for number in range(100))
    assert proposals(Said(user=f"{middle}\n\nthat is all", assistant="")) == ()


def test_no_secret_and_nothing_long_is_proposed():
    (proposal,) = proposals(
        Said(
            user="We decided to use the token ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8",
            assistant="",
        )
    )
    assert "ghp_" not in proposal.content
    for text in (f"{DECIDED[:-1]} {'really ' * 60}soon.", "我们决定" + "把日志" * 60):
        assert proposals(Said(user=text, assistant="")) == ()


def test_the_same_sentence_is_proposed_once():
    assert len(proposals(Said(user=f"{DECIDED}\n\n{DECIDED}", assistant=""))) == 1


FRAGMENTS = st.sampled_from(
    [
        *("we ", "i ", "decided ", "to use ", "from now on ", "never ", "next week ", "the cause "),
        *(
            "我们",
            "决定",
            "打算",
            "下周",
            "以后",
            "已经",
            "修复了",
            "不",
            "没",
            "如果",
            "，",
            "。",
            "：",
        ),
        *("```\n", "`", '"', "“", "”", "> ", "\n", "\n\n", "- ", ", ", ". ", "? ", ": ", "\ue000"),
        *("<heartbeat-signals>", "</heartbeat-signals>", "\ud800", "\u200b", "İ", "\0"),
    ]
)


@given(st.lists(FRAGMENTS, max_size=60).map("".join), st.lists(FRAGMENTS, max_size=60).map("".join))
def test_any_text_gives_few_short_sentences_that_were_said(user: str, assistant: str):
    made = proposals(Said(user=user, assistant=assistant))
    assert sum(each.said_by is Origin.AGENT for each in made) <= 2
    for each in made:
        assert each.content.strip()
        assert len(each.content) <= MAX_CHARS
        assert "\n" not in each.content
        assert "heartbeat-signals" not in each.content or "heartbeat-signals" in user + assistant
    assert len({each.content for each in made}) == len(made)


@given(st.text(st.characters(codec="ascii", categories=("L", "N", "P")), min_size=1, max_size=40))
def test_what_an_aside_hides_comes_back_whole(inside: str):
    aside = f"`{inside.replace('`', '')}x`"
    (sentence,) = sentences(f"We say {aside} here")
    assert sentence.text == f"We say {aside} here"
    assert inside not in sentence.masked or inside in "We say here"


@pytest.mark.parametrize(
    "piece",
    ["we ", "the a ", "i have a ", "after x ", "我们把", "跟a", "已经把", "。", "`", '"', "“"],
)
def test_hostile_texts_take_no_more_time_than_others(piece: str):
    text = (piece * 6_000)[:16_000]
    began = time.thread_time()
    proposals(Said(user=text, assistant=text))
    assert time.thread_time() - began < 2.0
