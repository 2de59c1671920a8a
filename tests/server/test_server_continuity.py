"""A prompt's recovery beside its recall: neither waits for the other, and neither costs it."""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any, cast

import anyio
import msgspec
import pytest

from recalld.continuity.model import Recovered
from recalld.counters import Counters
from recalld.errors import BadRequest, Unavailable
from recalld.recall.model import RecallResult, StageShape, Status
from recalld.server.hub import Delivery, Event, EventKind, Hub
from recalld.server.method import Context
from recalld.server.methods import checkpoint_write, session_prompt, session_start
from recalld.server.params import SessionParam, checked
from recalld.server.places import SessionBook
from recalld.server.recording import Recorder
from recalld.server.services import Services
from support.journals import FakeJournal

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
TOTAL_MS = 1_000
NO_DECISIONS: dict[str, object] = {"key_decisions": ()}
LITERAL = StageShape(name="literal", start_ms=0.1, took_ms=1.0, outcome="ok")


class FakePlaces:
    async def of_session(self, session, *, budget_ms):
        del session, budget_ms
        return SimpleNamespace(id=1, root="/w")

    async def root_of(self, session, *, budget_ms):
        return (await self.of_session(session, budget_ms=budget_ms)).root


@dataclass(kw_only=True)
class FakeRecall:
    took_ms: int = 0
    taken_back: list[str] = field(default_factory=list)

    def undelivered(self, session_key, result):
        self.taken_back.append(f"{session_key} {result.status}")

    async def prompt(self, prompt, *, budget_ms):
        del prompt
        await anyio.sleep(min(self.took_ms, budget_ms) / 1_000)
        return RecallResult(
            status=Status.OK,
            context="<recall-context/>",
            stages=(LITERAL,),
            elapsed_ms=float(self.took_ms),
        )


@dataclass(kw_only=True)
class FakeContinuity:
    says: str | None = "the snapshot"
    took_ms: int = 0
    wanted: bool = True
    fails: Exception | None = None
    asked: list[str] = field(default_factory=list)

    def wants(self, root, key, text):
        del root, key, text
        return self.wanted

    async def prompted(self, root, key, text):
        self.asked.append(f"{root} {key} {text}")
        await anyio.sleep(self.took_ms / 1_000)
        if self.fails is not None:
            raise self.fails
        return self.says

    def undelivered(self, root, key):
        self.asked.append(f"{root} {key} undelivered")

    async def started(self, root, key, *, source):
        self.asked.append(f"{root} {key} {source}")
        return Recovered(recovery=self.says, checkpoint=None)


async def test_what_does_not_reach_the_session_is_told_to_both(autojump_clock):
    house = services()
    context = Context(services=house)
    params = session_prompt.PromptParams(session=SessionParam(key="k"), text="continue")
    await session_prompt.handle(params, context)
    assert len(context.undelivered) == 2
    for take_back in context.undelivered:
        take_back()
    assert cast("FakeRecall", house.recall).taken_back == ["k ok"]
    assert "/w k undelivered" in cast("FakeContinuity", house.continuity).asked


def services(*, recall=None, continuity=None, journal=None) -> Services:
    counters = Counters()
    return cast(
        "Services",
        SimpleNamespace(
            recall=recall or FakeRecall(),
            continuity=continuity or FakeContinuity(),
            places=FakePlaces(),
            sessions=SessionBook(cast("Any", None), counters=counters),
            recorder=Recorder(journal or FakeJournal(), counters=counters),
            hub=Hub(queue=8, counters=counters, new_id=lambda: "01SUB"),
            clock=lambda: NOW,
            total_ms=lambda: TOTAL_MS,
            new_id=lambda: "01TRACE",
            forget_shown=lambda _: None,
        ),
    )


async def prompt(house: Services, *, event_id: str | None = None) -> Any:
    params = session_prompt.PromptParams(
        session=SessionParam(key="k"), text="continue", event_id=event_id
    )
    return await session_prompt.handle(params, Context(services=house))


async def test_both_are_made_at_once_and_told_together(autojump_clock):
    house = services(recall=FakeRecall(took_ms=300), continuity=FakeContinuity(took_ms=250))
    result = await prompt(house)
    assert anyio.current_time() == pytest.approx(0.3, abs=0.01)
    assert (result.recovery, result.context) == ("the snapshot", "<recall-context/>")
    assert [stage.name for stage in result.stages] == ["literal", "recovery"]
    assert (result.stages[1].outcome, result.status) == ("ok", Status.OK)
    assert result.elapsed_ms == pytest.approx(300, abs=10)


async def test_subscribers_are_told_the_answer_with_the_recovery_in_it(autojump_clock):
    house = services()
    listening = house.hub.subscribe(frozenset({EventKind.RECALL}), workspace=None)
    result = await prompt(house, event_id="e1")
    again = await prompt(house, event_id="e1")
    assert again["duplicate"]
    house.hub.publish(Event(kind=EventKind.RECALL, at=NOW, data={"last": True}))
    (told, last) = [cast("Delivery", await listening.next()).event for _ in range(2)]
    assert last.data == {"last": True}
    assert (told.at, told.workspace) == (NOW, "/w")
    assert told.data == {"session": "k", "result": msgspec.to_builtins(result)}
    assert cast("Any", told.data["result"])["recovery"] == "the snapshot"


async def test_a_prompt_that_needs_no_recovery_starts_none(autojump_clock):
    continuity = FakeContinuity(wanted=False)
    result = await prompt(services(continuity=continuity))
    assert (result.recovery, result.stages) == (None, (LITERAL,))
    assert continuity.asked == []


@pytest.mark.allow_errors
@pytest.mark.parametrize(
    ("continuity", "outcome", "took_s"),
    [
        (FakeContinuity(took_ms=60_000), "timeout", 0.5),
        (FakeContinuity(fails=Unavailable("disk", "hung")), "failed", 0.0),
        (FakeContinuity(fails=ValueError("ours")), "failed", 0.0),
    ],
)
async def test_a_recovery_in_trouble_costs_itself(autojump_clock, continuity, outcome, took_s):
    result = await prompt(services(continuity=continuity))
    assert anyio.current_time() == pytest.approx(took_s, abs=0.01)
    assert (result.recovery, result.context) == (None, "<recall-context/>")
    assert result.stages[-1].outcome == outcome
    assert result.elapsed_ms >= took_s * 1_000


async def test_a_repeated_prompt_gets_the_recovery_of_the_first(autojump_clock):
    continuity = FakeContinuity()
    house = services(continuity=continuity)
    await prompt(house, event_id="e")
    again = await prompt(house, event_id="e")
    assert (again["recovery"], again["duplicate"]) == ("the snapshot", True)
    assert len(continuity.asked) == 1


@pytest.mark.allow_errors
@pytest.mark.parametrize("trouble", [{}, {"fails": True}, {"hangs": True}])
async def test_a_session_begins_with_its_snapshot_whatever_the_store_does(autojump_clock, trouble):
    continuity = FakeContinuity()
    house = services(continuity=continuity, journal=FakeJournal(**trouble))
    params = session_start.StartParams(session=SessionParam(key="k"), source="clear", event_id="e")
    result = await session_start.handle(params, Context(services=house))
    assert result == {"recovery": "the snapshot", "checkpoint": None, "trace_id": "01TRACE"}
    assert continuity.asked == ["/w k clear"]
    assert anyio.current_time() < 0.6
    again = await session_start.handle(params, Context(services=house))
    assert again == {**result, "duplicate": True}
    assert continuity.asked == ["/w k clear"]


@pytest.mark.parametrize(
    ("given", "changes"),
    [
        ({}, {}),
        ({"objective": "a"}, {"objective": "a"}),
        ({"objective": None, "blockers": ""}, {"objective": "", "blockers": ""}),
        ({"key_decisions": ["a", "b"]}, {"key_decisions": ("a", "b")}),
        ({"key_decisions": None}, {"key_decisions": ()}),
        ({"session": "k", "workspace": "/w"}, {}),
        ({"fields": {"objective": "a", "key_decisions": None}}, {"objective": "a"} | NO_DECISIONS),
        ({"fields": {"objective": "a"}, "blockers": "b"}, {"objective": "a", "blockers": "b"}),
        ({"fields": None}, {}),
    ],
)
def test_what_is_given_changes_and_null_clears(given, changes):
    assert checked(checkpoint_write.WriteParams, given).changes == changes


def test_a_field_that_is_given_twice_is_refused():
    twice = checked(checkpoint_write.WriteParams, {"objective": "a", "fields": {"objective": "b"}})
    with pytest.raises(BadRequest, match=r"params.fields.objective.*twice"):
        _ = twice.changes
