"""What may be kept of a text: no secrets, no blocks of ours, no broken characters, no novels."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recalld.errors import BadRequest
from recalld.memories.content import (
    MAX_BYTES,
    accepted,
    accepted_name,
    accepted_tags,
    content_key,
)
from recalld.memories.making import changed, checked, made
from recalld.memories.model import Change, MemoryState, MemoryType, Origin
from support.memory_world import AT, memory, new

SECRET = "ghp_" + "a1B2c3D4e5" * 4
OWN = "<recall-context>\nold words\n</recall-context>"


def test_secrets_and_own_blocks_do_not_come_in():
    text = accepted(f"  {OWN} The key is {SECRET}\r\nand that is all\0\x1b[0m ")
    assert SECRET not in text
    assert "[redacted:" in text
    assert "old words" not in text
    assert text.endswith("\nand that is all[0m")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "is empty"),
        (" \n\t", "is empty"),
        (OWN, "nothing but blocks"),
        ("\0\0", "nothing but"),
        ("a\ud800", "lone surrogate"),
        ("x" * (MAX_BYTES + 1), "8193 bytes"),
        ("字" * 2_731, "8193 bytes"),
        ("x" * 70_000, "70000 characters"),
    ],
)
def test_what_cannot_be_kept_names_the_parameter_and_why(text: str, problem: str):
    with pytest.raises(BadRequest) as caught:
        accepted(text)
    assert caught.value.key == "params.content"
    assert problem in caught.value.problem


def test_what_just_fits_is_kept_whole():
    assert accepted("x" * MAX_BYTES) == "x" * MAX_BYTES
    assert accepted(OWN * 100 + "字" * 2_730) == "字" * 2_730


@settings(deadline=None)
@given(st.text(max_size=2_000))
def test_cleaning_is_done_once(text: str):
    try:
        once = accepted(text)
    except BadRequest:
        return
    assert accepted(once) == once
    assert "\0" not in once
    assert once == once.strip() != ""


@given(st.text(max_size=200))
def test_blanks_and_spellings_make_no_other_text(text: str):
    assert content_key(f" {text.replace(' ', chr(10))}  ") == content_key(text)


def test_another_letter_makes_another_text():
    assert content_key("Résumé") == content_key("Re\u0301sume\u0301")
    assert content_key("US") != content_key("us")
    assert content_key("a b") != content_key("ab")


def test_tags_are_cleaned_and_bounded():
    assert accepted_tags((" work ", "work", "", "cron:daily")) == ("work", "cron:daily")
    assert SECRET not in accepted_tags((SECRET,))[0]
    # The colons of a Chinese keyboard; what is no schedule stays as it is.
    assert accepted_tags(("ｃｒｏｎ：daily：０９：00", "甲：乙")) == ("cron:daily:09:00", "甲：乙")
    for tags, key in (
        (("ok", "x" * 129), "params.tags[1]"),
        (("a\nb",), "params.tags[0]"),
        (("\udc00",), "params.tags[0]"),
        (tuple(str(number) for number in range(33)), "params.tags"),
    ):
        with pytest.raises(BadRequest) as caught:
            accepted_tags(tags)
        assert caught.value.key == key


@pytest.mark.parametrize("name", ["", "x" * 1_025, "a\0b", "a\ud800"])
def test_names_are_opaque_and_bounded(name: str):
    assert accepted_name("agent:main/ü 1", key="params.owner") == "agent:main/ü 1"
    with pytest.raises(BadRequest) as caught:
        accepted_name(name, key="params.owner")
    assert caught.value.key == "params.owner"


def test_a_memory_begins_now_whenever_it_happened():
    one = made(
        new("It rained", MemoryType.EVENT, created_at=AT - timedelta(days=400)),
        memory_id="m",
        now=AT,
    )
    assert one.created_at == AT - timedelta(days=400)
    assert (one.accessed_at, one.updated_at, one.state_since) == (AT, AT, AT)
    assert (one.importance, one.stability_days, one.confidence) == (0.5, 120.0, 0.8)
    ahead = made(new("It rains", created_at=AT + timedelta(days=1)), memory_id="m", now=AT)
    assert ahead.created_at == AT


def test_times_are_kept_in_utc():
    zone = timezone(timedelta(hours=8))
    one = made(new("x", expires_at=datetime(2026, 4, 1, 8, tzinfo=zone)), memory_id="m", now=AT)
    assert one.expires_at == datetime(2026, 4, 1, tzinfo=UTC)
    assert one.expires_at is not None
    assert one.expires_at.tzinfo is UTC


@pytest.mark.parametrize(
    ("values", "key"),
    [
        ({"importance": 1.1}, "params.importance"),
        ({"importance": float("nan")}, "params.importance"),
        ({"confidence": -0.1}, "params.confidence"),
        ({"expires_at": datetime(2026, 1, 1)}, "params.expires_at"),  # noqa: DTZ001
        (
            {"created_at": datetime.max.replace(tzinfo=timezone(timedelta(hours=-1)))},
            "params.created_at",
        ),
        ({"owner": ""}, "params.owner"),
        ({"session": "a\0"}, "params.session"),
        ({"agent": "\ud800"}, "params.agent"),
    ],
)
def test_wrong_values_are_refused_by_name(values: dict[str, Any], key: str):
    with pytest.raises(BadRequest) as caught:
        made(new("x", **values), memory_id="m", now=AT)
    assert caught.value.key == key


def test_where_it_comes_from_says_how_sure_it_is():
    sure = {
        origin: made(new("x", origin=origin), memory_id="m", now=AT).confidence for origin in Origin
    }
    assert sure[Origin.USER] > sure[Origin.AGENT] > sure[Origin.PROPOSED] > sure[Origin.HEARTBEAT]


def test_a_change_sets_what_it_names_and_is_a_use():
    later = AT + timedelta(days=3)
    due = AT + timedelta(days=9)
    old = memory(state=MemoryState.STALE, expires_at=due, state_since=AT, tags=("a",))
    back = changed(old, checked(Change(state=MemoryState.ACTIVE, tags=())), later)
    assert (back.state, back.tags, back.expires_at) == (MemoryState.ACTIVE, (), due)
    assert (back.state_since, back.updated_at, back.accessed_at) == (later, later, later)
    assert changed(old, checked(Change(no_expiry=True)), later).expires_at is None
    kept = changed(old, checked(Change(importance=0.9)), later)
    assert (kept.state_since, kept.importance) == (AT, 0.9)
    grown = changed(old, checked(Change(type=MemoryType.IDENTITY)), later)
    assert grown.stability_days == 365.0


def test_a_change_that_changes_nothing_leaves_the_memory_as_it_is():
    old = memory()
    same = Change(content=old.content, state=old.state, importance=old.importance)
    assert changed(old, checked(same), AT + timedelta(days=1)) is old


def test_a_resolved_plan_that_is_taken_up_again_forgets_who_closed_it():
    old = memory(state=MemoryState.RESOLVED, resolved_by="m2")
    assert changed(old, Change(state=MemoryState.ACTIVE), AT).resolved_by is None
    assert changed(old, Change(importance=0.9), AT).resolved_by == "m2"
