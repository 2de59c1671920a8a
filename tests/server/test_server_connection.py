"""One connection over memory streams, in virtual time."""

import anyio
import orjson
import pytest

from recalld.server.lines import PeerGone
from support.conversing import call, replies, served
from support.wires import read_rest


async def test_a_slow_request_does_not_hold_back_a_quick_one(autojump_clock):
    async with served() as s:
        await s.say(call(1, "wait", s=4), call(2))
        assert [r["id"] for r in await replies(s.client, 2)] == [2, 1]


async def test_request_seventeen_is_not_read_until_one_of_sixteen_ends(autojump_clock):
    async with served() as s:
        await s.say(*[call(n, "wait", s=1) for n in range(40)])
        got = await replies(s.client, 40)
    assert sorted(r["id"] for r in got) == list(range(40))
    assert s.answerer.most_at_once == 16


@pytest.mark.slow_step
async def test_ten_thousand_pipelined_requests_are_all_answered(autojump_clock):
    async with served() as s:
        lines = b"".join(orjson.dumps(call(n)) + b"\n" for n in range(10_000))
        await s.say_raw(lines)
        got = await replies(s.client, 10_000)
    assert {r["id"] for r in got} == set(range(10_000))
    assert s.answerer.most_at_once <= 16


async def test_one_byte_at_a_time_is_as_good_as_a_line(autojump_clock):
    async with served() as s:
        for byte in orjson.dumps(call(1)) + b"\n":
            await s.say_raw(bytes([byte]))
        assert (await replies(s.client, 1))[0]["id"] == 1


async def test_blank_lines_and_notifications_are_never_answered(autojump_clock):
    async with served() as s:
        await s.say_raw(b"\n \r\n")
        await s.say({"jsonrpc": "2.0", "method": "ping"}, {"jsonrpc": "2.0", "method": "nope"})
        await s.say(call(1))
        assert [r["id"] for r in await replies(s.client, 1)] == [1]
    assert s.balance() == (3, 2, 1, 0)


async def test_a_half_closed_peer_still_gets_the_replies_it_waits_for(autojump_clock):
    async with served() as s:
        await s.say(call(1, "wait", s=2), call(2))
        await s.client.send_eof()
        assert len(await read_rest(s.client)) == 2


async def test_a_last_line_without_newline_is_dropped_and_the_connection_closes(autojump_clock):
    async with served() as s:
        await s.say_raw(orjson.dumps(call(1)))
        await s.client.send_eof()
        assert await read_rest(s.client) == []
    assert s.counters.get("connections.torn_line") == 1


async def test_a_line_over_the_limit_gets_one_error_and_the_connection_closes(autojump_clock):
    async with served(max_line_bytes=1_024) as s:
        await s.say_raw(b"x" * 4_096)
        lines = await read_rest(s.client)
    (error,) = [orjson.loads(line) for line in lines]
    assert (error["error"]["code"], error["id"]) == (-32600, None)


async def test_a_line_of_exactly_the_limit_is_read(autojump_clock):
    text = "x" * (1_024 - len(orjson.dumps(call(1, a=""))))
    async with served(max_line_bytes=1_024) as s:
        await s.say(call(1, a=text))
        assert (await replies(s.client, 1))[0]["id"] == 1


async def test_half_a_line_and_silence_closes_after_the_idle_limit(autojump_clock):
    async with served(partial_line_idle_s=30) as s:
        await s.say_raw(b'{"json')
        began = anyio.current_time()
        assert await read_rest(s.client) == []
        assert anyio.current_time() - began == pytest.approx(30)
    assert s.counters.get("connections.stalled_line") == 1


async def test_silence_between_lines_is_welcome(autojump_clock):
    async with served(partial_line_idle_s=30) as s:
        await anyio.sleep(100_000)
        await s.say(call(1))
        assert (await replies(s.client, 1))[0]["id"] == 1


async def test_ten_bad_lines_in_a_row_close_the_connection(autojump_clock):
    async with served() as s:
        await s.say_raw(b"junk\n" * 25)
        assert len(await read_rest(s.client)) == 10


async def test_lines_of_json_that_are_no_requests_close_nothing(autojump_clock):
    wrong = [{"id": 1, "method": "ping"}, 5, {"jsonrpc": "2.0", "id": 2}, [], {"id": True}]
    async with served() as s:
        await s.say(*wrong * 20, call(3))
        got = await replies(s.client, 101)
    assert [r["error"]["code"] for r in got[:100]] == [-32600] * 100
    assert got[100]["id"] == 3


async def test_a_good_line_starts_the_count_of_bad_ones_again(autojump_clock):
    async with served() as s:
        for number in range(5):
            await s.say_raw(b"junk\n" * 9)
            await s.say(call(number))
        got = await replies(s.client, 50)
    assert sum("result" in r for r in got) == 5


async def test_a_peer_that_reads_nothing_is_closed_after_the_stall_limit(autojump_clock):
    async with served(capacity=1, write_stall_s=5) as s:
        await s.say(call(1, "large", bytes=10))
        await s.say(call(2, "large", bytes=10))
        await s.say(call(3, "wait", s=0.1))
        await anyio.sleep(20)
        with pytest.raises(PeerGone):
            await s.say(call(4))
    assert s.counters.get("connections.write_stall") == 1
    sent, answered, refused, dropped = s.balance()
    assert sent == answered + refused + dropped
    assert dropped > 0


async def test_a_notification_with_wrong_params_is_not_answered_and_is_counted(autojump_clock):
    wrong = [{"jsonrpc": "2.0", "method": "ping", "params": given} for given in ("x", [1], None, 5)]
    async with served() as s:
        await s.say(*wrong, [*wrong, call(1)], wrong, call(2))
        assert [r["id"] for r in (await replies(s.client, 2))[0]] == [1]
        assert await read_rest_after(s) == []
    assert s.balance() == (14, 2, 12, 0)


async def read_rest_after(s):
    """What the connection still says once we say nothing more."""
    await s.client.send_eof()
    return await read_rest(s.client)


async def test_replies_to_a_slow_reader_wait_and_are_bounded(autojump_clock):
    async with (
        served(capacity=1, output_queue_bytes=4_096, write_stall_s=60) as s,
        anyio.create_task_group() as tasks,
    ):
        tasks.start_soon(s.say, *[call(n, "large", bytes=3_000) for n in range(30)])
        await anyio.sleep(20)
        # Sixteen wait for room and hold their slots; the rest is not read.
        assert len(s.answerer.seen) <= 20
        got = await replies(s.client, 30)
    assert len(got) == 30


async def test_a_batch_is_answered_by_one_line_in_which_nothing_is_missing(autojump_clock):
    async with served() as s:
        note = {"jsonrpc": "2.0", "method": "ping"}
        await s.say([call(1, "wait", s=2), note, call(2), 5, call(3, "nope")])
        (batch,) = await replies(s.client, 1)
    assert sorted(str(r["id"]) for r in batch) == ["1", "2", "3", "None"]
    assert s.balance() == (5, 3, 2, 0)


async def test_a_batch_of_notifications_is_not_answered(autojump_clock):
    async with served() as s:
        await s.say([{"jsonrpc": "2.0", "method": "ping"}] * 3)
        await s.say(call(1))
        assert [r["id"] for r in await replies(s.client, 1)] == [1]


async def test_a_batch_of_sixty_four_obeys_the_limit_of_requests_in_flight(autojump_clock):
    async with served() as s:
        await s.say([call(n, "wait", s=1) for n in range(64)])
        (batch,) = await replies(s.client, 1)
    assert len(batch) == 64
    assert s.answerer.most_at_once <= 16


async def test_a_peer_that_vanishes_ends_its_requests_and_they_count_as_dropped(autojump_clock):
    async with served() as s:
        await s.say(call(1), call(2, "wait", s=1_000))
        await replies(s.client, 1)
        await s.client.aclose()
        await s.connection._ended.wait()
    sent, answered, refused, dropped = s.balance()
    assert (sent, answered, refused, dropped) == (2, 1, 0, 1)


async def test_draining_answers_what_ends_in_time_and_refuses_the_rest(autojump_clock):
    async with served() as s:
        await s.say(call(1, "wait", s=1), call(2, "wait", s=100))
        await anyio.sleep(0.1)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(s.connection.drain, 3.0)
            await anyio.sleep(0.5)
            await s.say(call(3))
            lines = [orjson.loads(line) for line in await read_rest(s.client)]
    by_id = {r["id"]: r for r in lines}
    assert "result" in by_id[1]
    assert by_id[2]["error"]["code"] == -32003
    assert by_id[3]["error"]["code"] == -32003


async def test_an_idle_connection_drains_at_once(autojump_clock):
    async with served() as s:
        began = anyio.current_time()
        await s.connection.drain(3.0)
        assert anyio.current_time() - began < 0.1
        assert await read_rest(s.client) == []
