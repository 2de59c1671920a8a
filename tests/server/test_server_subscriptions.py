"""Events on a connection whose reader is slow, stops, hangs up or goes on, in virtual time."""

from dataclasses import replace
from datetime import UTC, datetime

import anyio
import orjson

from recalld.counters import Counters
from recalld.server.hub import Event, EventKind, Hub
from support.answers import ScriptedAnswerer
from support.conversing import call, replies, served
from support.wires import read_until


class Opening(ScriptedAnswerer):
    """Answers ``open`` with a subscription."""

    def __init__(self, hub: Hub) -> None:
        super().__init__()
        self.hub = hub

    async def answer(self, request):
        answer = await super().answer(request)
        if request.method != "ping":
            return answer
        subscription = self.hub.subscribe(frozenset(EventKind), workspace=None)
        return replace(answer, opened=(subscription,))


def some_event(number=0):
    return Event(kind=EventKind.INDEX, at=datetime(2026, 5, 1, tzinfo=UTC), data={"n": number})


async def test_a_slow_subscriber_loses_events_and_is_told_how_many(autojump_clock):
    hub = Hub(queue=4, counters=Counters(), new_id=lambda: "s1")
    async with served(capacity=1, write_stall_s=60, answerer=Opening(hub)) as s:
        await s.say(call(1))
        (first,) = await replies(s.client, 1)
        assert first["id"] == 1
        for number in range(20):
            hub.publish(some_event(number))
            await anyio.sleep(0.01)
        got = await replies(s.client, 5)
        hub.publish(some_event(99))
        got += await replies(s.client, 1)
    events = [event["params"] for event in got]
    seen = {event["data"]["n"] for event in events}
    assert 99 in seen
    assert sum(event["missed"] for event in events) == 21 - len(events)


async def test_a_subscriber_that_stops_reading_for_an_hour_loses_events_only(autojump_clock):
    hub = Hub(queue=4, counters=Counters(), new_id=lambda: "s1")
    opening, limits = Opening(hub), {"write_stall_s": 5, "output_queue_bytes": 4_096}
    async with served(capacity=1, answerer=opening, **limits) as s:
        await s.say(call(1))
        await replies(s.client, 1)
        for number in range(60):
            hub.publish(some_event(number))
            await anyio.sleep(60)
        assert hub.subscribers == 1
        # The last of those that wait; what was lost is told by the next.
        told = await read_until(s.client, lambda data: data.count(b"\n") >= 20)
        await anyio.sleep(1)
        hub.publish(some_event(99))
        while b'"n":99' not in told:
            told += await read_until(s.client, lambda data: b"\n" in data)
        await s.say(call(2))
        assert [r["id"] for r in await replies(s.client, 1)] == [2]
    events = [orjson.loads(line)["params"] for line in told.splitlines()]
    lost = sum(event["missed"] for event in events)
    assert lost > 0
    assert lost + len(events) == 61
    assert s.counters.get("connections.write_stall") == 0


async def test_a_subscriber_that_hung_up_half_and_stops_reading_is_closed(autojump_clock):
    hub = Hub(queue=4, counters=Counters(), new_id=lambda: "s1")
    async with served(capacity=1, write_stall_s=5, answerer=Opening(hub)) as s:
        await s.say(call(1))
        await replies(s.client, 1)
        for number in range(3):
            hub.publish(some_event(number))
            await anyio.sleep(20)
        await s.client.send_eof()
        await s.connection._ended.wait()
    assert s.counters.get("connections.write_stall") == 1


async def test_a_subscriber_that_does_not_read_holds_no_stop_up(autojump_clock):
    hub = Hub(queue=4, counters=Counters(), new_id=lambda: "s1")
    async with served(capacity=1, write_stall_s=5, answerer=Opening(hub)) as s:
        await s.say(call(1))
        await replies(s.client, 1)
        for number in range(3):
            hub.publish(some_event(number))
            await anyio.sleep(20)
        began = anyio.current_time()
        await s.connection.drain(3.0)
        assert anyio.current_time() - began < 1.5


async def test_a_subscription_of_a_batch_is_silent_until_the_batch_has_told_its_id(autojump_clock):
    hub = Hub(queue=4, counters=Counters(), new_id=lambda: "s1")
    async with served(answerer=Opening(hub)) as s:
        await s.say([call(1), call(2, "wait", s=1)])
        await anyio.sleep(0.5)
        hub.publish(some_event(7))
        batch, event = await replies(s.client, 2)
    assert {reply["id"] for reply in batch} == {1, 2}
    assert event["params"]["data"] == {"n": 7}


async def test_a_subscription_that_ended_is_not_kept_by_its_connection(autojump_clock):
    hub = Hub(queue=4, counters=Counters(), new_id=lambda: "s1")
    async with served(answerer=Opening(hub)) as s:
        for number in range(3):
            await s.say(call(number))
            await replies(s.client, 1)
            hub.unsubscribe("s1")
        await anyio.sleep(1)
        assert s.connection._subscriptions == []


async def test_a_subscription_ends_with_its_connection(autojump_clock):
    hub = Hub(queue=4, counters=Counters(), new_id=lambda: "s1")
    async with served(answerer=Opening(hub)) as s:
        await s.say(call(1))
        await replies(s.client, 1)
        assert hub.subscribers == 1
        await s.client.aclose()
        await s.connection._ended.wait()
        assert hub.subscribers == 0
        hub.publish(some_event())
