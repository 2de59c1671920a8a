"""Pauses that the other side asked for. Virtual time."""

import json
from typing import Any

import anyio
import pytest

from recalld.llm.limiter import DEFAULT_PAUSE_S, LONGEST_PAUSE_S, Limiter, retry_after_s

PLACE = "https://example.com:443"
DATE = "Wed, 21 Oct 2026 07:28:00 GMT"


@pytest.mark.parametrize(
    ("value", "date", "seconds"),
    [
        (None, None, None),
        ("20", None, 20.0),
        (" 0 ", None, 0.0),
        ("Wed, 21 Oct 2026 07:28:30 GMT", DATE, 30.0),
        ("Wed, 21 Oct 2026 07:27:30 GMT", DATE, 0.0),
        ("Wed, 21 Oct 2026 07:28:30 GMT", None, None),
        ("soon", DATE, None),
        ("-5", DATE, None),
        ("1e9", DATE, None),
        ("٣", DATE, None),
        ("9" * 400, None, 999_999_999.0),
    ],
)
def test_retry_after_is_seconds_or_a_date(value, date, seconds):
    assert retry_after_s(value, date=date) == seconds


@pytest.mark.parametrize(
    ("asked_s", "pause_s"),
    [(20.0, 20.0), (None, DEFAULT_PAUSE_S), (1e12, LONGEST_PAUSE_S), (0.0, 0.0)],
)
async def test_a_pause_is_as_long_as_asked_within_an_hour(autojump_clock, asked_s, pause_s):
    limiter = Limiter(jitter=lambda: 0.0)
    limiter.pause(PLACE, asked_s)
    assert limiter.pause_s(PLACE) == pytest.approx(pause_s)
    assert limiter.pause_s("https://other.example:443") == 0.0


async def test_a_pause_only_grows(autojump_clock):
    limiter = Limiter(jitter=lambda: 0.0)
    limiter.pause(PLACE, 60.0)
    limiter.pause(PLACE, 5.0)
    assert limiter.pause_s(PLACE) == pytest.approx(60.0)


async def test_background_users_come_one_by_one_after_the_pause(autojump_clock):
    limiter = Limiter(jitter=lambda: 0.5)
    asked: list[float] = []

    async def job() -> None:
        async with limiter.turn(PLACE):
            asked.append(anyio.current_time() - start)
            if len(asked) == 1:
                limiter.pause(PLACE, 20.0)
            await anyio.sleep(1.0)

    start = anyio.current_time()
    async with anyio.create_task_group() as group:
        for _ in range(6):
            group.start_soon(job)
    assert asked == pytest.approx([0.0, 20.5, 21.5, 22.5, 23.5, 24.5])


async def test_the_rate_limit_of_the_bug_case_is_waited_out(autojump_clock, eval_data):
    rows = (eval_data / "bug-cases.jsonl").read_text(encoding="utf-8").splitlines()
    case = next(row["input"] for row in map(json.loads, rows) if row["id"] == "bc-25")
    limiter = Limiter(jitter=lambda: 0.5)
    start = anyio.current_time()
    sent: list[float] = []
    finished: list[float] = []
    without: list[float] = []

    def status_now() -> Any:
        return [row for row in case["server"] if row["t"] <= sent[-1]][-1]

    async def job() -> None:
        done = False
        while not done:
            async with limiter.turn(PLACE):
                sent.append(anyio.current_time() - start)
                await anyio.sleep(0.2)
                answer = status_now()
                done = answer["status"] == 200
                if not done:
                    limiter.pause(PLACE, float(answer["retry_after_s"]) - 0.2)
        finished.append(anyio.current_time() - start)

    async def recall() -> None:
        await anyio.sleep(case["recall_at_s"])
        if limiter.pause_s(PLACE) > 0:
            without.append(anyio.current_time() - start)

    async with anyio.create_task_group() as group:
        for _ in range(case["background_jobs"]):
            group.start_soon(job)
        group.start_soon(recall)
    assert sent[0] == pytest.approx(0.0)
    assert all(20 <= at <= 23 for at in sent[1:])
    assert len(finished) == case["background_jobs"]
    assert without == pytest.approx([case["recall_at_s"]])
