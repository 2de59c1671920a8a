"""The trace queue: it takes or drops, and never waits. Real threads and files."""

import json
import threading
from pathlib import Path

import anyio
import pytest
import trio

from recalld.counters import Counters
from recalld.journal import Journal
from recalld.recall.policy import TracePolicy
from recalld.recall.sink import BATCH_LINES, SLICE_LINES, Line, open_sink

POLICY = TracePolicy(file="t.jsonl")


def line(number, *, root=None, policy=POLICY):
    return Line(root=root, policy=policy, render=lambda: json.dumps({"n": number}).encode() + b"\n")


def numbers(path):
    return [json.loads(text)["n"] for text in path.read_bytes().splitlines()]


class HungDisk:
    """A write that returns when the test says so."""

    def __init__(self):
        self.entered = threading.Event()
        self.release = threading.Event()
        self.lines = 0

    def __call__(self, journal, lines):
        self.entered.set()
        self.release.wait()
        self.lines += len(lines)


async def test_traces_reach_their_workspace_in_order(tmp_path):
    counters = Counters()
    async with open_sink(state_dir=tmp_path / "state", counters=counters) as sink:
        for number in range(BATCH_LINES + 10):
            assert sink.offer(line(number, root=str(tmp_path)))
        await sink.drained()
        assert numbers(tmp_path / "t.jsonl") == list(range(BATCH_LINES + 10))
    assert counters.get("trace.accepted") == BATCH_LINES + 10
    assert counters.get("trace.dropped") == 0


async def test_what_waits_at_the_end_is_written(tmp_path):
    async with open_sink(state_dir=tmp_path, counters=Counters()) as sink:
        for number in range(200):
            sink.offer(line(number, root=str(tmp_path)))
    assert numbers(tmp_path / "t.jsonl") == list(range(200))


async def test_cancelled_daemon_still_writes_what_waits(tmp_path):
    with trio.CancelScope() as scope:
        async with open_sink(state_dir=tmp_path, counters=Counters()) as sink:
            for number in range(200):
                sink.offer(line(number, root=str(tmp_path)))
            scope.cancel()
            await trio.sleep_forever()
    assert scope.cancelled_caught
    assert numbers(tmp_path / "t.jsonl") == list(range(200))


async def test_trace_without_a_workspace_goes_to_the_state_directory(tmp_path):
    async with open_sink(state_dir=tmp_path, counters=Counters()) as sink:
        sink.offer(line(7))
    assert numbers(tmp_path / "recall-traces.jsonl") == [7]


async def test_hung_disk_costs_traces_and_no_time(tmp_path):
    disk, counters = HungDisk(), Counters()
    policy = TracePolicy(queue=100)
    async with open_sink(state_dir=tmp_path, counters=counters, write=disk, drain_ms=50) as sink:
        sink.offer(line(0, policy=policy))
        await trio.to_thread.run_sync(disk.entered.wait)
        taken = [sink.offer(line(number, policy=policy)) for number in range(1, 151)]
        assert taken == [True] * 99 + [False] * 51
        assert sink.pending == 100
        assert counters.get("trace.dropped") == 51
    assert counters.get("trace.dropped") == 151
    assert disk.lines == 0
    disk.release.set()


async def test_disk_that_recovers_gets_what_was_taken(tmp_path):
    disk, counters = HungDisk(), Counters()
    async with open_sink(state_dir=tmp_path, counters=counters, write=disk) as sink:
        for number in range(5):
            sink.offer(line(number))
        await trio.to_thread.run_sync(disk.entered.wait)
        disk.release.set()
        with anyio.fail_after(5):
            await sink.drained()
        assert disk.lines == 5
    assert counters.get("trace.dropped") == 0


async def test_closed_sink_takes_nothing_and_counts_it(tmp_path):
    counters = Counters()
    async with open_sink(state_dir=tmp_path, counters=counters) as sink:
        pass
    assert not sink.offer(line(1))
    assert counters.get("trace.dropped") == 1


@pytest.mark.parametrize("fault", [TypeError("no JSON"), ValueError("no JSON")])
async def test_trace_that_is_no_json_costs_itself_alone(tmp_path, fault):
    def broken():
        raise fault

    counters = Counters()
    async with open_sink(state_dir=tmp_path, counters=counters) as sink:
        sink.offer(line(1))
        sink.offer(Line(root=None, policy=POLICY, render=broken))
        sink.offer(line(2))
    assert numbers(tmp_path / "recall-traces.jsonl") == [1, 2]
    assert counters.get("trace.unrenderable") == counters.get("trace.dropped") == 1


async def test_trace_is_rendered_after_the_offer_and_a_few_at_a_time(tmp_path):
    order = []

    def render():
        order.append("trace")
        return b"{}\n"

    async def answers():
        for _ in range(20):
            order.append("answer")
            await trio.lowlevel.checkpoint()

    async with open_sink(state_dir=tmp_path, counters=Counters()) as sink:
        for _ in range(5 * SLICE_LINES):
            sink.offer(Line(root=None, policy=POLICY, render=render))
        assert order == []
        sink.close()
        await answers()
    assert order.count("trace") == 5 * SLICE_LINES
    between = order[order.index("trace") : len(order) - order[::-1].index("trace")]
    assert between.count("answer") >= 3


async def test_journal_follows_the_policy_of_each_trace(tmp_path):
    async with open_sink(state_dir=tmp_path / "state", counters=Counters()) as sink:
        policy = TracePolicy(file="a/b.jsonl", max_bytes=9_999, keep=2)
        assert sink.journal_of("/w", policy) == Journal(
            root=Path("/w"), file="a/b.jsonl", max_bytes=9_999, keep=2
        )
        assert sink.journal_of(None, policy).root == tmp_path / "state"
