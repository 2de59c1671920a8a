"""Who hears which event, and who never waits."""

from datetime import UTC, datetime

import pytest

from recalld.counters import Counters
from recalld.errors import Busy, NotFound
from recalld.server.hub import MAX_SUBSCRIPTIONS, Event, EventKind, Hub

NOW = datetime(2026, 5, 1, tzinfo=UTC)


@pytest.fixture
def hub():
    numbers = iter(range(10_000))
    return Hub(queue=3, counters=Counters(), new_id=lambda: f"s{next(numbers)}")


def event(kind=EventKind.TRACE, *, workspace=None, number=0):
    return Event(kind=kind, at=NOW, data={"n": number}, workspace=workspace)


async def test_only_the_kinds_asked_for_arrive(hub):
    subscription = hub.subscribe(frozenset({EventKind.INDEX}), workspace=None)
    hub.publish(event(EventKind.TRACE, number=1))
    hub.publish(event(EventKind.INDEX, number=2))
    assert (await subscription.next()).event.data == {"n": 2}


@pytest.mark.parametrize(
    ("mine", "theirs", "arrives"),
    [("/a", "/a", True), ("/a", "/b", False), (None, "/b", True), ("/a", None, True)],
)
async def test_a_workspace_hears_of_itself_and_of_what_concerns_all(hub, mine, theirs, arrives):
    subscription = hub.subscribe(frozenset(EventKind), workspace=mine)
    assert subscription.wants(event(workspace=theirs)) is arrives


async def test_a_full_queue_loses_events_and_the_next_one_says_how_many(hub):
    slow = hub.subscribe(frozenset(EventKind), workspace=None)
    quick = hub.subscribe(frozenset(EventKind), workspace=None)
    heard = []
    for number in range(10):
        hub.publish(event(number=number))
        heard.append((await quick.next()).event.data["n"])
    assert heard == list(range(10))
    deliveries = [await slow.next() for _ in range(3)]
    assert [d.event.data["n"] for d in deliveries] == [0, 1, 2]
    assert sum(d.missed for d in deliveries) == 7
    hub.publish(event(number=99))
    assert (await slow.next()).missed == 0


async def test_an_ended_subscription_hears_nothing_and_is_not_found_again(hub):
    subscription = hub.subscribe(frozenset(EventKind), workspace=None)
    hub.unsubscribe(subscription.id)
    hub.publish(event())
    assert await subscription.next() is None
    with pytest.raises(NotFound):
        hub.unsubscribe(subscription.id)


async def test_subscriptions_are_bounded_and_closed_ones_make_room(hub):
    held = [hub.subscribe(frozenset(EventKind), workspace=None) for _ in range(MAX_SUBSCRIPTIONS)]
    with pytest.raises(Busy):
        hub.subscribe(frozenset(EventKind), workspace=None)
    held[0].close()
    hub.subscribe(frozenset(EventKind), workspace=None)
    assert hub.subscribers == MAX_SUBSCRIPTIONS
