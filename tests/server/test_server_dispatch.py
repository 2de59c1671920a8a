"""Faults to codes, incidents to ids, and nothing of ours on the wire."""

from typing import cast

import orjson
import pytest

from recalld.counters import Counters
from recalld.errors import BadConfig, BadRequest, Busy, Corrupt, NotFound, Refused, Unavailable
from recalld.server.dispatch import Dispatcher, contained
from recalld.server.method import Method
from recalld.server.params import Params
from recalld.server.services import Services
from recalld.server.traffic import Outcome
from recalld.server.wire import Request


class NoParams(Params, frozen=True, kw_only=True):
    number: int = 0


def dispatcher(work, counters=None):
    async def handle(params, context):
        del context
        return work(params)

    methods = (Method("do", NoParams, handle),)
    return Dispatcher(methods, services=cast("Services", None), counters=counters or Counters())


def raising(error):
    def work(params):
        del params
        raise error

    return work


async def error_of(error):
    answer = await dispatcher(raising(error)).answer(Request(id=7, method="do", params={}))
    reply = orjson.loads(answer.body)
    assert reply["id"] == 7
    assert answer.outcome is Outcome.REFUSED
    return reply["error"]


@pytest.mark.parametrize(
    ("fault", "code", "data"),
    [
        (BadRequest("params.x", "odd"), -32602, {"key": "params.x", "problem": "odd"}),
        (BadConfig("a.b", "wrong"), -32005, {"key": "a.b", "problem": "wrong"}),
        (NotFound("trace 1"), -32004, None),
        (Refused("needs a token"), -32005, None),
        (Busy("64 connections", 500), -32001, {"retry_after_ms": 500}),
        (Unavailable("embedder", "hung"), -32002, {"part": "embedder"}),
    ],
)
async def test_a_named_fault_has_its_code_and_data(fault, code, data):
    error = await error_of(fault)
    assert (error["code"], error.get("data")) == (code, data)
    assert str(fault) in error["message"]


@pytest.mark.allow_errors
@pytest.mark.parametrize(
    "fault",
    [
        ValueError("secret /path/to"),
        Corrupt("index.db"),
        RecursionError(),
        MemoryError(),
        ExceptionGroup("two", [KeyError("a"), OSError("b")]),
    ],
)
async def test_anything_else_is_an_incident_that_tells_nothing_but_its_id(fault):
    error = await error_of(fault)
    assert error["code"] == -32603
    assert set(error["data"]) == {"incident"}
    assert "secret" not in str(error)
    assert "Traceback" not in str(error)


@pytest.mark.allow_errors
async def test_a_result_that_cannot_be_encoded_is_an_incident():
    answer = await dispatcher(lambda _: {"n": 2**70}).answer(Request(id=1, method="do", params={}))
    assert orjson.loads(answer.body)["error"]["code"] == -32603


async def test_an_unknown_method_is_named_and_escaped():
    answer = await dispatcher(lambda _: {}).answer(Request(id=1, method="x\n" * 500, params={}))
    error = orjson.loads(answer.body)["error"]
    assert error["code"] == -32601
    assert len(error["message"]) < 200
    assert "\n" not in error["message"]


async def test_parameters_are_checked_before_the_handler_sees_them():
    seen: list[object] = []
    answer = await dispatcher(seen.append).answer(
        Request(id=1, method="do", params={"number": "1"})
    )
    assert orjson.loads(answer.body)["error"]["data"]["key"] == "params.number"
    assert seen == []


@pytest.mark.allow_errors
async def test_incidents_are_counted():
    counters = Counters()

    async def broken():
        raise ValueError

    await contained(broken, what="part", counters=counters)
    assert counters.get("incidents") == 1
