"""Parameter errors name the key the caller wrote, and what is wrong with it."""

from datetime import UTC, date, datetime, timedelta, timezone

import pytest

from recalld.errors import BadRequest
from recalld.server.methods import METHODS
from recalld.server.methods.search import SearchParams
from recalld.server.methods.session_compact import CompactParams
from recalld.server.methods.session_prompt import PromptParams, _of_the_user
from recalld.server.methods.session_turn import TurnParams
from recalld.server.params import checked

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
PROMPT = {"session": {"key": "agent:main:main"}, "text": "hi"}


@pytest.mark.parametrize(
    ("kind", "params", "key", "problem"),
    [
        (PromptParams, {"text": "x"}, "params.session", "is missing"),
        (PromptParams, {"session": {}, "text": "x"}, "params.session.key", "is missing"),
        (PromptParams, {"session": {"key": ""}, "text": "x"}, "params.session.key", "length"),
        (
            PromptParams,
            {"session": {"key": "a\0"}, "text": "x"},
            "params.session.key",
            "may not hold a NUL",
        ),
        (PromptParams, PROMPT | {"budget_ms": 49}, "params.budget_ms", ">= 50"),
        (PromptParams, PROMPT | {"budget_ms": 60_001}, "params.budget_ms", "<= 60000"),
        (PromptParams, PROMPT | {"budget_ms": "60"}, "params.budget_ms", "int"),
        (PromptParams, PROMPT | {"budget_ms": 1e20}, "params.budget_ms", "int"),
        (PromptParams, PROMPT | {"at": "2026-01-01"}, "params.at", "RFC3339"),
        (PromptParams, PROMPT | {"at": "2026-01-01T00:00:00"}, "params.at", "timezone"),
        (PromptParams, PROMPT | {"txt": "x"}, "params.txt", "did you mean text?"),
        (
            PromptParams,
            {"session": {"key": "a", "worksapce": "/x"}, "text": "x"},
            "params.session.worksapce",
            "did you mean workspace?",
        ),
        (
            PromptParams,
            {"session": {"key": "a", "workspace": "notes"}, "text": "x"},
            "params.session.workspace",
            "must be an absolute path",
        ),
        (SearchParams, {"query": "x", "limit": 0}, "params.limit", ">= 1"),
        (SearchParams, {"query": "x", "limit": 101}, "params.limit", "<= 100"),
        (SearchParams, {"query": "x", "limit": True}, "params.limit", "int"),
        (SearchParams, {"query": "x", "sources": ["disk"]}, "params.sources[0]", "disk"),
        (
            SearchParams,
            {"query": "x", "sources": ["disk"]},
            "params.sources[0]",
            "; one of memory, documents, wiki, sessions",
        ),
        (
            CompactParams,
            {"session": {"key": "a"}, "phase": "during"},
            "params.phase",
            "Invalid enum value 'during'; one of before, after",
        ),
        (SearchParams, {"query": "x", "meta": {}}, "params.meta", "unknown"),
        (
            TurnParams,
            {"session": {"key": "a"}, "user": "", "assistant": "", "messages": [{"role": "user"}]},
            "params.messages[0].content",
            "is missing",
        ),
    ],
)
def test_the_wrong_parameter_is_named(kind, params, key, problem):
    with pytest.raises(BadRequest) as caught:
        checked(kind, params)
    assert caught.value.key == key
    assert problem in caught.value.problem


def test_a_hostile_parameter_name_is_repeated_short_and_escaped():
    with pytest.raises(BadRequest) as caught:
        checked(SearchParams, {"query": "x", "\n" + "`" * 5_000: 1})
    assert len(str(caught.value)) < 200
    assert "\n" not in str(caught.value)


def test_a_time_in_the_future_is_clamped_to_now():
    params = checked(PromptParams, PROMPT | {"at": "2031-01-01T00:00:00+02:00"})
    assert params.when(NOW) == NOW


def test_a_time_in_the_past_stands():
    params = checked(PromptParams, PROMPT | {"at": "2026-05-01T13:00:00+02:00"})
    assert params.when(NOW) == datetime(2026, 5, 1, 11, tzinfo=UTC)


def test_a_time_keeps_the_offset_it_was_sent_with():
    for at in ("2026-05-01T13:00:00+02:00", "2031-01-01T00:00:00+02:00"):
        moment = checked(PromptParams, PROMPT | {"at": at}).when(NOW)
        assert moment.utcoffset() == timedelta(hours=2)


def test_yesterday_is_a_day_of_the_offset_that_was_sent():
    sent = datetime(2026, 5, 1, 0, 30, tzinfo=timezone(timedelta(hours=2)))
    assert _of_the_user(sent).date() == date(2026, 5, 1)
    assert _of_the_user(NOW).utcoffset() == NOW.astimezone().utcoffset()


def test_a_time_that_utc_cannot_express_is_named():
    params = checked(PromptParams, PROMPT | {"at": "0001-01-01T00:00:00+23:59"})
    with pytest.raises(BadRequest, match=r"params\.at"):
        params.when(NOW)


SESSION: dict[str, object] = {"session": {"key": "a"}}
ADD: dict[str, object] = {"content": "x", "type": "plan"}
# What the wire contract marks with a question mark, with what a call needs beside it.
OPTIONAL: dict[str, tuple[dict[str, object], str]] = {
    "session.start": (SESSION | {"source": "new"}, "at event_id"),
    "session.prompt": (SESSION | {"text": "x"}, "at event_id budget_ms"),
    "session.turn": (SESSION | {"user": "", "assistant": ""}, "at event_id run_id messages"),
    "session.compact": (SESSION | {"phase": "after"}, "at event_id trigger summary"),
    "session.reset": (SESSION | {"reason": "new"}, "at event_id"),
    "session.end": (SESSION | {"reason": "x"}, "at event_id"),
    "subagent.end": (SESSION | {"child": "c", "outcome": "ok"}, "at event_id result"),
    "heartbeat.tick": ({}, "autonomy in_conversation signals_only at"),
    "heartbeat.relate": ({"memory_id": "m"}, "content type session created_at at"),
    "heartbeat.delivered": ({"act_id": "a", "ok": True}, "error"),
    "heartbeat.acknowledge": ({"act_id": "a"}, "memory_id snooze_s"),
    "memory.add": (
        ADD,
        "state owner session agent importance tags expires_at created_at event_id",
    ),
    "memory.search": ({"query": "x"}, "owner types states exclude_ids"),
    "memory.list": ({}, "owner types states tags session since until exclude_ids query cursor"),
    "memory.forget": ({"id": "m"}, "query"),
    "search": ({"query": "x"}, "workspace sources routes"),
    "index.sync": ({}, "workspace"),
    "index.status": ({}, "workspace"),
    "checkpoint.read": ({}, "workspace"),
    "checkpoint.write": ({}, "workspace fields"),
    "checkpoint.history": ({}, "workspace"),
    "checkpoint.restore": ({"name": "v1"}, "workspace"),
    "events.subscribe": ({"kinds": ["trace"]}, "workspace"),
}


@pytest.mark.parametrize(
    ("method", "name"),
    [(method, n) for method, (_, all_) in OPTIONAL.items() for n in all_.split()],
)
def test_null_is_as_good_as_nothing_where_a_parameter_may_be_missing(method, name):
    kind = {one.name: one.params for one in METHODS}[method]
    needed, _ = OPTIONAL[method]
    assert getattr(checked(kind, needed | {name: None}), name) is None
    with pytest.raises(BadRequest, match=f"params.{name}"):
        checked(kind, needed | {name: {"a": 1}})
