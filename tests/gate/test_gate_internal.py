"""Sessions and prompts that are no user's."""

import pytest

from recalld.recall.internal import is_internal_session, is_system_event


@pytest.mark.parametrize(
    "key",
    [
        "cron:7f1c2e",
        "agent:main:heartbeat",
        "agent:main:dreaming",
        "a.active-memory.b",
        "x_cron_y",
        "agent:main:graph-memory-writer:1",
        "memory-writer",
        "AGENT:MAIN:CRON",
        "sub-dreaming-2",
    ],
)
def test_an_internal_name_between_delimiters_makes_a_session_internal(key: str) -> None:
    assert is_internal_session(key)


@pytest.mark.parametrize(
    "key",
    [
        "agent:main:main",
        "acronym",
        "cronjobs",
        "heartbeats:1",
        "daydreaming",
        "",
        "agent:synchron:1",
    ],
)
def test_a_name_inside_a_word_does_not(key: str) -> None:
    assert not is_internal_session(key)


@pytest.mark.parametrize(
    "text",
    [
        "heartbeat",
        "[heartbeat] check",
        "Heartbeat: anything due?",
        "system event: disk full",
        "agentTurn",
        "cron-triggered: morning brief",
        "[cron:ab90 每日站会] 请汇总",
        "System: [2026-03-02] gateway connected.",
        "System: a\nSystem: b",
        "心跳检查：如无待办请回复 HEARTBEAT_OK",
        "[Subagent Task]: count",
        "Generate a short title for the conversation above.",
    ],
)
def test_a_hosts_prompt_is_a_system_event(text: str) -> None:
    assert is_system_event(text)


@pytest.mark.parametrize(
    "text",
    [
        "心跳包一般多久发一次比较合适",
        "what is a heartbeat check in distributed systems?",
        "explain cron syntax",
        "System: [2026-03-03 07:04:11 UTC] Exec completed\n\nwhat failed?",
        "heartbeat rate of a marathon runner",
        "generate a title for my blog post",
        "the cron job fails, why?",
        "",
        "dreaming of a white christmas",
    ],
)
def test_a_users_message_about_such_things_is_none(text: str) -> None:
    assert not is_system_event(text)
