"""Bytes to requests and back, to the letter of the wire contract."""

import math

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recalld.server.wire import (
    Code,
    Request,
    WireError,
    encode_error,
    encode_result,
    parse,
    shown,
)


def read(line):
    return parse(line, max_depth=64, max_batch=64)


def nested(depth: int) -> bytes:
    """A ping whose value nests ``depth`` levels in all."""
    inner = b"[" * (depth - 2) + b"]" * (depth - 2)
    return b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":' + inner + b"}}"


@pytest.mark.parametrize(
    ("line", "code", "request_id"),
    [
        (b"hello", Code.NOT_JSON, None),
        (b'\xef\xbb\xbf{"jsonrpc":"2.0","id":1,"method":"ping"}', Code.NOT_JSON, None),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping"} xyz', Code.NOT_JSON, None),
        (b'{"jsonrpc":"2.0",\x00"id":1,"method":"ping"}', Code.NOT_JSON, None),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":NaN}}', Code.NOT_JSON, None),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":1e999}}', Code.NOT_JSON, None),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"\\ud800"}}', Code.NOT_JSON, None),
        (b"[" * 1500 + b"]" * 1500, Code.NOT_JSON, None),
        (b"[]", Code.NOT_A_REQUEST, None),
        (b"7", Code.NOT_A_REQUEST, None),
        (b'{"id":7,"method":"ping"}', Code.NOT_A_REQUEST, 7),
        (b'{"jsonrpc":"1.0","id":"x","method":"ping"}', Code.NOT_A_REQUEST, "x"),
        (b'{"jsonrpc":"2.0","id":8,"method":42}', Code.NOT_A_REQUEST, 8),
        (b'{"jsonrpc":"2.0","id":8}', Code.NOT_A_REQUEST, 8),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', Code.NOT_A_REQUEST, None),
        (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', Code.NOT_A_REQUEST, None),
        (b'{"jsonrpc":"2.0","id":1.0,"method":"ping"}', Code.NOT_A_REQUEST, None),
        (b'{"jsonrpc":"2.0","id":9223372036854775808,"method":"ping"}', Code.NOT_A_REQUEST, None),
        (b'{"jsonrpc":"2.0","id":99999999999999999999,"method":"ping"}', Code.NOT_A_REQUEST, None),
        (b'{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}', Code.NOT_A_REQUEST, None),
        (b'{"jsonrpc":"2.0","id":9,"method":"ping","params":[1]}', Code.BAD_PARAMS, 9),
        (b'{"jsonrpc":"2.0","id":9,"method":"ping","method":"x"}', Code.NOT_A_REQUEST, 9),
        (b'{"jsonrpc":"2.0","id":9,"id":10,"method":"ping"}', Code.NOT_A_REQUEST, None),
        (b'{"jsonrpc":"2.0","id":9,"method":"ping","params":{"a":1,"\\u0061":2}}', -32600, 9),
    ],
)
def test_a_line_that_is_no_request_is_refused_with_its_code_and_id(line, code, request_id):
    refusal = read(line)
    assert isinstance(refusal, WireError)
    assert (refusal.code, refusal.id) == (code, request_id)


@pytest.mark.parametrize("request_id", [-(2**63), 2**63 - 1, 0, "", "agent:main:1", "\u0000"])
def test_an_id_of_64_bits_or_a_string_is_echoed_exactly(request_id):
    line = orjson.dumps({"jsonrpc": "2.0", "id": request_id, "method": "ping"})
    request = read(line)
    assert isinstance(request, Request)
    assert orjson.loads(encode_result(request.id, {}))["id"] == request_id


@pytest.mark.parametrize(("depth", "accepted"), [(63, True), (64, True), (65, False), (300, False)])
def test_sixty_four_levels_are_the_deepest(depth, accepted):
    parsed = read(nested(depth))
    if accepted:
        assert isinstance(parsed, Request)
    else:
        assert isinstance(parsed, WireError)
        assert (parsed.code, parsed.id) == (Code.NOT_A_REQUEST, 1)


def test_brackets_inside_a_string_are_not_levels():
    line = orjson.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"a": "[{" * 500}})
    assert isinstance(read(line), Request)


def test_text_that_looks_like_members_is_not_taken_for_repeated_ones():
    text = '","a":"x","a":"y' + "\\\\" + '":'
    line = orjson.dumps(
        {"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"a": text, 'k\\"': ":"}}
    )
    request = read(line)
    assert isinstance(request, Request)
    assert request.params["a"] == text


def test_a_batch_keeps_its_order_and_judges_each_item_alone():
    parsed = read(
        b'[{"jsonrpc":"2.0","id":1,"method":"ping"}, 5, [], {"jsonrpc":"2.0","method":"x"}]'
    )
    assert isinstance(parsed, tuple)
    first, second, third, fourth = parsed
    assert isinstance(first, Request)
    assert first.answered
    assert isinstance(second, WireError)
    assert isinstance(third, WireError)
    assert isinstance(fourth, Request)
    assert not fourth.answered


@pytest.mark.parametrize(("size", "whole"), [(64, False), (65, True), (2000, True)])
def test_a_batch_over_the_limit_is_refused_whole(size, whole):
    parsed = read(
        orjson.dumps([{"jsonrpc": "2.0", "id": i, "method": "ping"} for i in range(size)])
    )
    assert isinstance(parsed, WireError) is whole


def test_a_line_of_small_objects_is_read_and_a_torn_one_refused():
    objects = b",".join([b'{"a":1,"b":":"}'] * 15_000)
    line = b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":[' + objects + b"]}}"
    assert isinstance(read(line), Request)
    assert isinstance(read(line[:200_000]), WireError)


def test_numbers_that_are_not_finite_leave_as_null():
    assert orjson.loads(encode_result(1, {"a": math.nan, "b": [math.inf]}))["result"] == {
        "a": None,
        "b": [None],
    }


def test_a_file_name_that_is_no_text_leaves_escaped():
    reply = orjson.loads(encode_result(1, {"path": "bad\udcff.md"}))
    assert reply["result"]["path"] == "bad\\udcff.md"


def test_an_error_repeats_at_most_a_hundred_characters_escaped():
    assert shown("a\nb\x1b[31m") == "a\\nb\\x1b[31m"
    assert len(shown("\x00" * 10_000)) <= 100


@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers(-(2**63), 2**63 - 1)
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
        max_leaves=20,
    )
)
def test_what_is_encoded_decodes_to_the_same(value):
    assert orjson.loads(encode_result("x", value))["result"] == value


@given(st.binary(max_size=200))
def test_no_bytes_make_the_parser_raise(line):
    parsed = read(line)
    for item in parsed if isinstance(parsed, tuple) else (parsed,):
        if isinstance(item, WireError):
            assert b"\n" not in encode_error(item)


@given(st.data())
def test_every_prefix_of_a_request_is_judged_as_not_json(data):
    whole = b'{"jsonrpc":"2.0","id":"a","method":"search","params":{"query":"\xe8\xae\xb0"}}'
    cut = data.draw(st.integers(1, len(whole) - 1))
    refusal = read(whole[:cut])
    assert isinstance(refusal, WireError)
    assert refusal.code == Code.NOT_JSON
