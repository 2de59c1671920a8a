"""Stages and runs: deadlines, fallbacks, the ledger. Virtual time throughout."""

import anyio
import pytest
import trio
from hypothesis import given, settings
from hypothesis import strategies as st
from structlog.testing import capture_logs

from recalld.budget import Outcome, Run, Stage
from recalld.errors import Corrupt, Unavailable
from support.virtual import run_virtual

EPSILON_MS = 1e-6


def sleeper(name, takes_ms, *, limit_ms=1_000, needs_ms=1, result="done"):
    async def work():
        await anyio.sleep(takes_ms / 1_000)
        return result

    return Stage(name=name, work=work, otherwise="fallback", limit_ms=limit_ms, needs_ms=needs_ms)


def broken(name, fault):
    async def work():
        raise fault

    return Stage(name=name, work=work, otherwise="fallback", limit_ms=1_000)


async def test_stage_in_time_gives_its_result_and_a_note(autojump_clock):
    run = Run(5_000)
    await anyio.sleep(0.1)
    assert await run.stage(sleeper("literal", 250)) == "done"
    (note,) = run.ledger
    assert (note.name, note.outcome, note.error) == ("literal", Outcome.OK, None)
    assert note.start_ms == pytest.approx(100)
    assert note.took_ms == pytest.approx(250)


async def test_timeout_gives_the_fallback_exactly_at_the_limit(autojump_clock):
    run = Run(5_000)
    assert await run.stage(sleeper("slow", 60_000, limit_ms=2_200)) == "fallback"
    assert trio.current_time() - run._started == pytest.approx(2.2)
    assert run.ledger[0].outcome is Outcome.TIMEOUT


async def test_remaining_budget_cuts_a_stage_below_its_own_limit(autojump_clock):
    run = Run(1_000)
    await run.stage(sleeper("first", 700, limit_ms=2_200))
    assert await run.stage(sleeper("second", 700, limit_ms=2_200)) == "fallback"
    assert run.elapsed_ms == pytest.approx(1_000)
    assert [note.outcome for note in run.ledger] == [Outcome.OK, Outcome.TIMEOUT]


@pytest.mark.parametrize(
    ("spent_ms", "outcome"),
    [(2_250, Outcome.OK), (2_300, Outcome.SKIPPED), (5_000, Outcome.SKIPPED)],
)
async def test_stage_is_not_started_with_less_than_it_needs(autojump_clock, spent_ms, outcome):
    run = Run(5_000)
    await anyio.sleep(spent_ms / 1_000)
    await run.stage(sleeper("rescue", 100, limit_ms=2_500, needs_ms=2_750))
    assert run.ledger[0].outcome is outcome


@pytest.mark.allow_errors
@pytest.mark.parametrize(
    "fault", [Unavailable("search", "gone"), ValueError("ours"), TimeoutError()]
)
async def test_failure_gives_the_fallback_and_names_the_error(autojump_clock, fault):
    run = Run(5_000)
    assert await run.stage(broken("literal", fault)) == "fallback"
    assert run.ledger[0].outcome is Outcome.FAILED
    assert str(run.ledger[0].error).startswith(type(fault).__name__)


@pytest.mark.allow_errors
async def test_failed_stage_is_logged_with_its_name(autojump_clock):
    with capture_logs() as logs:
        await Run(5_000).stage(broken("literal", Unavailable("search", "gone")))
        await Run(5_000).stage(broken("inject", ValueError("ours")))
    assert [(line["event"], line["stage"], line["log_level"]) for line in logs] == [
        ("stage.failed", "literal", "warning"),
        ("stage.failed", "inject", "error"),
    ]


@pytest.mark.parametrize("verb", ["stage", "fan_out"])
async def test_corrupt_state_is_never_absorbed(autojump_clock, verb):
    run = Run(5_000)
    stage = broken("store", Corrupt("rows contradict"))
    with pytest.raises(Corrupt):
        await (run.stage(stage) if verb == "stage" else run.fan_out([stage, sleeper("b", 5)]))
    assert Outcome.FAILED in {note.outcome for note in run.ledger}


@pytest.mark.allow_errors
async def test_slow_and_broken_siblings_cost_only_themselves(autojump_clock):
    run = Run(5_000)
    results = await run.fan_out(
        [
            sleeper("hung", 60_000, limit_ms=2_200),
            sleeper("quick", 10, result="kept"),
            broken("broken", Unavailable("search", "gone")),
        ]
    )
    assert results == ["fallback", "kept", "fallback"]
    assert run.elapsed_ms == pytest.approx(2_200)


async def test_empty_fan_out_gives_an_empty_list(autojump_clock):
    assert await Run(100).fan_out([]) == []


@pytest.mark.parametrize("verb", ["stage", "fan_out"])
async def test_cancellation_from_outside_passes_untouched(autojump_clock, verb):
    run = Run(5_000)
    after = False
    with trio.move_on_after(0.05) as outer:
        stage = sleeper("slow", 1_000)
        await (run.stage(stage) if verb == "stage" else run.fan_out([stage]))
        after = True
    assert outer.cancelled_caught
    assert not after
    assert run.ledger == []


durations = st.integers(0, 4_000)
plans = st.lists(st.tuples(durations, st.integers(1, 3_000), st.integers(1, 1_000)), max_size=8)


def planned(plan):
    return [
        sleeper(f"s{index}", takes, limit_ms=limit, needs_ms=needs)
        for index, (takes, limit, needs) in enumerate(plan)
    ]


@settings(max_examples=60, deadline=None)
@given(plan=plans, total_ms=st.integers(1, 6_000))
def test_no_sequence_of_stages_exceeds_the_total(plan, total_ms):
    async def main():
        run = Run(total_ms)
        for stage in planned(plan):
            await run.stage(stage)
        return run

    run = run_virtual(main)
    assert sum(note.took_ms for note in run.ledger) <= total_ms + EPSILON_MS
    assert all(n.start_ms + n.took_ms <= total_ms + EPSILON_MS for n in run.ledger)
    assert len(run.ledger) == len(plan)


@settings(max_examples=60, deadline=None)
@given(waves=st.lists(plans, max_size=4), total_ms=st.integers(1, 6_000))
def test_no_sequence_of_waves_exceeds_the_total(waves, total_ms):
    async def main():
        run = Run(total_ms)
        results = [await run.fan_out(planned(wave)) for wave in waves]
        return run, results

    run, results = run_virtual(main)
    assert all(n.start_ms + n.took_ms <= total_ms + EPSILON_MS for n in run.ledger)
    assert [len(result) for result in results] == [len(wave) for wave in waves]


@settings(max_examples=60, deadline=None)
@given(plan=plans, total_ms=st.integers(1, 6_000))
def test_outcome_of_every_stage_follows_from_its_numbers(plan, total_ms):
    async def main():
        run = Run(total_ms)
        results = await run.fan_out(planned(plan))
        return {note.name: note.outcome for note in run.ledger}, results

    outcomes, results = run_virtual(main)
    for index, (takes, limit, needs) in enumerate(plan):
        allowed = min(limit, total_ms)
        if total_ms < needs:
            expected = Outcome.SKIPPED
        elif takes == allowed:
            continue  # a tie is decided by the scheduler
        else:
            expected = Outcome.OK if takes < allowed else Outcome.TIMEOUT
        assert outcomes[f"s{index}"] is expected
        assert results[index] == ("done" if expected is Outcome.OK else "fallback")
