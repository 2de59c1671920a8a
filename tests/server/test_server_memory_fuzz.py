"""Whatever JSON a peer sends as parameters of a memory method, it is answered or told what is
wrong with it, and what is kept stays sound."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recalld.memories.model import MemoryState, MemoryType
from recalld.server.methods import METHODS
from support.memory_wire import open_wire

NAMES = {
    method.name: method.params.__struct_fields__
    for method in METHODS
    if method.name.startswith("memory.")
}
# An answer, or one of: wrong parameter, not found, refused. Never an incident.
CODES = {-32602, -32004, -32005}

MOMENTS = st.sampled_from(
    [
        *("2026-03-01T10:00:00Z", "2026-03-01T10:00:00+08:00", "2026-03-01T10:00:00", "2026-03-01"),
        *("0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59", "2026-02-30T00:00:00Z", "now"),
    ]
)
TEXTS = st.one_of(
    st.text(st.characters(codec="utf-8"), max_size=40),
    st.sampled_from(
        [
            *(
                "",
                " ",
                "\n\t",
                "\0",
                "a\0b",
                "x" * 9_000,
                "字" * 4_000,
                "\u202e",
                "\u200b",
                "'; --",
            ),
            *(
                "<recall-context>x</recall-context>",
                "%s%n",
                "cron:",
                "cron:" + "x" * 200,
                "~",
                "~x",
            ),
            *("plan", "PLAN", "pLaN", "ﬁ", "ıdentity", "active", "ACTIVE", "deleted", "default"),
            "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8",
        ]
    ),
)
HOSTILE = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-(2**63), 2**64 - 1),
        st.floats(allow_nan=False, allow_infinity=False),
        TEXTS,
        MOMENTS,
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)
FITTING: dict[str, st.SearchStrategy[Any]] = {
    "content": TEXTS,
    "query": TEXTS,
    "id": st.sampled_from(["FIRST", "SECOND", "nobody"]),
    "type": st.sampled_from([*MemoryType, "event", "Plan"]),
    "types": st.lists(st.sampled_from(list(MemoryType)), max_size=3),
    "state": st.sampled_from(list(MemoryState)),
    "states": st.lists(st.sampled_from(list(MemoryState)), max_size=3),
    "tags": st.lists(TEXTS, max_size=3),
    "importance": st.floats(-0.5, 1.5),
    "min_score": st.floats(-0.5, 1.5),
    "limit": st.integers(-1, 102),
    "confirm": st.booleans(),
    **dict.fromkeys(("expires_at", "created_at", "since", "until"), MOMENTS),
}


def params_of(method: str) -> st.SearchStrategy[dict[str, Any]]:
    """Some of its parameters, fitting or not, and now and then one that there is not."""
    each = {name: st.one_of(FITTING.get(name, TEXTS), HOSTILE) for name in NAMES[method]}
    needed = {name: each.pop(name) for name in ("content", "type", "query", "id") if name in each}
    fields = st.fixed_dictionaries(needed, optional={**each, "unheard_of": HOSTILE})
    return st.one_of(fields, fields, fields, st.dictionaries(st.text(max_size=8), HOSTILE))


CALLS = st.sampled_from(sorted(NAMES)).flatmap(
    lambda method: st.tuples(st.just(method), params_of(method))
)


def test_every_method_about_memories_is_tried():
    assert len(NAMES) == 10


@pytest.mark.parametrize("running", [True, False])
@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(calls=st.lists(CALLS, min_size=30, max_size=60))
async def test_hostile_parameters_are_answered_or_named(running: bool, calls):
    with TemporaryDirectory() as folder:
        async with open_wire(Path(folder), running=running, propose="suggest") as wire:
            known = {
                name: (await wire.told("add", content=f"{name} of them", type="event"))["memory"]
                for name in ("FIRST", "SECOND")
            }
            for method, params in calls:
                asked = params.get("id")
                found = known.get(asked) if isinstance(asked, str) else None
                told = params if found is None else {**params, "id": found["id"]}
                reply = await wire.raw(method, told)
                if "error" in reply:
                    assert reply["error"]["code"] in CODES, (method, told, reply)
                    if reply["error"]["code"] == -32602:
                        assert reply["error"]["data"]["key"].startswith("params"), reply
                        assert len(reply["error"]["message"]) <= 300
            assert wire.counters.get("incidents") == 0
            states = [state.value for state in MemoryState]
            listed = await wire.told("list", states=states, limit=100)
            for memory in listed["memories"]:
                assert await wire.told("get", id=memory["id"]) == {"memory": memory}
                assert memory["content"].strip()
                assert "ghp_" not in memory["content"]
                assert memory["created_at"] <= "2026-03-01T10:00:00Z"
        # What was acknowledged is there after a restart.
        async with open_wire(Path(folder), running=False) as wire:
            again = await wire.told("list", states=states, limit=100)
            assert {memory["id"] for memory in again["memories"]} == {
                memory["id"] for memory in listed["memories"]
            }
