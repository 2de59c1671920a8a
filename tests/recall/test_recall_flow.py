"""The service: one prompt in, one answer out, a trace behind it. Real files and threads."""

import gc
import threading
import weakref

import anyio
import orjson
import pytest

from recalld.errors import NotFound, Unavailable
from recalld.recall.flow import EXPLAIN_MS, RECENT
from recalld.recall.model import Status, Verdict
from recalld.recall.policy import RecallPolicy, TracePolicy
from recalld.recall.sink import open_sink
from support.recall_house import House, Settings
from support.recall_world import FakeGate


@pytest.fixture
def house(tmp_path):
    return House(root=tmp_path)


@pytest.mark.parametrize("verdict", Verdict)
async def test_every_judged_prompt_leaves_one_line_in_its_workspace(house, verdict):
    house.gate = FakeGate(verdict=verdict)
    async with house.open_sink() as sink:
        result = await house.service(sink).prompt(house.prompt())
    (line,) = house.lines()
    assert (line["traceId"], line["status"]) == (result.trace_id, result.status)


@pytest.mark.parametrize(
    ("gate", "settings", "status"),
    [
        (FakeGate(internal=True), Settings(), Status.SKIPPED_INTERNAL),
        (FakeGate(system_event=True), Settings(), Status.SKIPPED_SYSTEM_EVENT),
        (FakeGate(), Settings(recall=RecallPolicy(agents=("x",))), Status.DISABLED),
        (FakeGate(), Settings(trace=TracePolicy(enabled=False)), Status.OK),
    ],
)
async def test_untraced_prompt_leaves_no_line_and_has_no_trace_id(house, gate, settings, status):
    house.gate, house.settings = gate, settings
    async with house.open_sink() as sink:
        service = house.service(sink)
        result = await service.prompt(house.prompt())
    assert (result.status, result.trace_id) == (status, "")
    assert list(house.root.iterdir()) == []
    assert (house.told, service.trace("")) == ([result], None)


async def test_who_listens_is_told_the_result_and_its_trace_is_at_hand(house):
    async with house.open_sink() as sink:
        service = house.service(sink)
        result = await service.prompt(house.prompt())
    assert house.told == [result]
    assert orjson.loads(orjson.dumps(service.trace(result.trace_id))) == house.lines()[0]


async def test_recent_recall_is_explained_from_memory(house):
    async with house.open_sink() as sink:
        service = house.service(sink)
        result = await service.prompt(house.prompt())
        told = await service.explain(result.trace_id)
    assert told["trace_id"] == result.trace_id
    assert told["trace"] == house.lines()[0]


class Text(str):
    """Text whose end can be observed."""

    __slots__ = ("__weakref__",)


async def test_a_long_message_is_not_kept_behind_its_answer(house):
    long = Text("what did we decide about the gate? " * 1_000)
    seen = weakref.ref(long)
    async with house.open_sink() as sink:
        service = house.service(sink)
        result = await service.prompt(house.prompt(text=long))
        del long
        gc.collect()
        assert seen() is None
        assert (await service.explain(result.trace_id))["status"] == result.status


async def test_older_recall_is_explained_from_the_file_in_the_same_words(house):
    async with house.open_sink() as sink:
        service = house.service(sink)
        result = await service.prompt(house.prompt())
        recent = await service.explain(result.trace_id)
    async with house.open_sink() as sink:
        assert await house.service(sink).explain(result.trace_id) == recent


async def test_only_so_many_recalls_are_kept_in_memory(house):
    house.settings = Settings(trace=TracePolicy(queue=4_096))
    house.gate = FakeGate(verdict=Verdict.NO)
    async with house.open_sink() as sink:
        service = house.service(sink)
        first = await service.prompt(house.prompt())
        for _ in range(RECENT):
            last = await service.prompt(house.prompt())
        assert first.trace_id not in service._recent
        assert last.trace_id in service._recent
        await sink.drained()
        assert (await service.explain(first.trace_id))["status"] == "skipped_not_needed"


@pytest.mark.parametrize("trace_id", ["", "nothing", "0" * 26, '"}' + "0" * 24])
async def test_unknown_trace_is_not_found(house, trace_id):
    async with house.open_sink() as sink:
        with pytest.raises(NotFound):
            await house.service(sink).explain(trace_id)


async def test_damaged_line_counts_as_absent(house):
    async with house.open_sink() as sink:
        path = house.root / house.settings.trace.file
        path.parent.mkdir()
        path.write_bytes(b'{"traceId":"%s", torn\n' % (b"0" * 26))
        with pytest.raises(NotFound):
            await house.service(sink).explain("0" * 26)
    assert house.counters.get("trace.damaged") == 1


@pytest.mark.parametrize(("budget_ms", "total_ms"), [(None, 5_000), (800, 800), (60_000, 5_000)])
async def test_budget_of_a_request_only_lowers_the_configured_one(house, budget_ms, total_ms):
    async with house.open_sink() as sink:
        await house.service(sink).prompt(house.prompt(), budget_ms=budget_ms)
    assert house.lines()[0]["budgetMs"] == total_ms


async def test_reload_of_the_settings_is_seen_by_the_next_prompt(house):
    async with house.open_sink() as sink:
        service = house.service(sink)
        await service.prompt(house.prompt())
        house.settings = Settings(recall=RecallPolicy(enabled=False))
        assert (await service.prompt(house.prompt())).status is Status.DISABLED


async def test_every_answer_is_counted_under_its_status(house):
    async with house.open_sink() as sink:
        service = house.service(sink)
        await service.prompt(house.prompt())
        house.searcher.hits = ()
        await service.prompt(house.prompt())
    counted = house.counters.snapshot()
    assert counted["recall.answered"] == 2
    assert counted["recall.ok"] == counted["recall.no_result"] == 1


async def test_hung_trace_disk_does_not_hold_an_answer(house):
    release = threading.Event()

    def hang(journal, lines):
        release.wait()

    async with open_sink(
        state_dir=house.root, counters=house.counters, write=hang, drain_ms=10
    ) as sink:
        service = house.service(sink)
        house.settings = Settings(trace=TracePolicy(queue=8))
        with anyio.fail_after(5):
            results = [
                await service.prompt(house.prompt(session_key=f"s{number}"))
                for number in range(100)
            ]
    assert {result.status for result in results} == {Status.OK}
    assert house.counters.get("trace.dropped") == 100
    release.set()


async def test_a_root_that_hangs_costs_an_explanation_its_own_traces_only(house):
    async with house.open_sink() as sink:
        result = await house.service(sink).prompt(house.prompt())
        await sink.drained()
        service = house.service(sink)
        elsewhere, here = anyio.CapacityLimiter(1), anyio.CapacityLimiter(1)
        await elsewhere.acquire_on_behalf_of("a thread that hangs")
        service._readers[None] = elsewhere
        assert (await service.explain(result.trace_id))["status"] == result.status
        await here.acquire_on_behalf_of("a thread that hangs")
        service._readers[str(house.root)] = here
        with anyio.fail_after(EXPLAIN_MS / 1_000 + 10), pytest.raises(Unavailable, match="traces"):
            await service.explain("0" * 26)
