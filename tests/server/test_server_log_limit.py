"""A storm of faults in the log: the first lines, then one in ten seconds with a count."""

import os
import threading

import orjson
import pytest
import structlog
from hypothesis import given
from hypothesis import strategies as st

from recalld.counters import Counters
from recalld.service.log_limit import BURST, EVERY_S, MOST_KINDS, StormLimit
from recalld.service.logs import set_up


class Limited:
    """What gets through, with its count, at a time of the test's own."""

    def __init__(self):
        self.now_s = 0.0
        self.counters = Counters()
        self.limit = StormLimit(counters=self.counters, clock=lambda: self.now_s)

    def say(self, event="stage.failed", level="warning", **fields):
        """None where the line is not written, else how many others it stands for."""
        try:
            line = self.limit(None, level, {"event": event, "level": level, **fields})
        except structlog.DropEvent:
            return None
        return line.get("suppressed", 0)


@pytest.fixture
def limited():
    return Limited()


def test_of_a_storm_the_first_are_written_then_one_in_ten_seconds_with_its_count(limited):
    said = []
    for _ in range(10_000):
        said.append(limited.say(stage="literal"))
        limited.now_s += 0.01
    written = [line for line in said if line is not None]
    assert written[:BURST] == [0] * BURST
    # Hundred seconds of storm: the burst, and one line each ten seconds.
    assert len(written) in {BURST + 9, BURST + 10}
    assert all(count == pytest.approx(999, abs=2) for count in written[BURST + 1 :])
    assert sum(line is None for line in said) == limited.counters.get("log.suppressed")


def test_a_kind_that_was_silent_begins_anew_and_says_what_it_kept_back(limited):
    for _ in range(BURST + 3):
        limited.say()
    limited.now_s += EVERY_S
    assert [limited.say() for _ in range(BURST + 1)] == [3, 0, 0, 0, 0, None]


def test_one_kind_holds_no_other_back(limited):
    for _ in range(BURST + 1):
        limited.say(stage="related 01AAA")
    # The same stage, whatever it is about.
    assert limited.say(stage="related 01BBB") is None
    assert limited.say(stage="literal") == 0
    assert limited.say(event="incident", level="error") == 0


@pytest.mark.parametrize("level", ["debug", "info"])
def test_what_is_no_fault_is_always_written(limited, level):
    assert [limited.say(level=level) for _ in range(50)] == [0] * 50


def test_the_kinds_it_remembers_are_bounded(limited):
    for _ in range(BURST + 1):
        limited.say()
    for number in range(MOST_KINDS):
        limited.say(event=f"kind {number}")
    assert limited.say() == 0


# In parts of a second that add up exactly: rounding makes ten seconds a little less.
@given(gaps=st.lists(st.integers(0, 30 * 1_024).map(lambda n: n / 1_024), max_size=200))
def test_every_line_is_written_or_told_of_by_one_that_is(gaps):
    limited = Limited()
    said = []
    for gap in gaps:
        limited.now_s += gap
        said.append(limited.say())
    limited.now_s += EVERY_S
    said.append(limited.say())
    written = [line for line in said if line is not None]
    assert len(written) + sum(written) == len(said)


@pytest.fixture
def restored_log():
    kept = structlog.get_config()
    yield
    structlog.configure(**kept)


@pytest.mark.usefixtures("restored_log")
def test_the_log_itself_is_limited():
    read_end, write_end = os.pipe()
    counters = Counters()
    set_up(level="info", form="json", counters=counters, descriptor=write_end)
    log = structlog.get_logger("t")

    def storm():
        for _ in range(200):
            log.error("incident", what="boom")

    threads = [threading.Thread(target=storm) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    os.close(write_end)
    with os.fdopen(read_end, "rb") as pipe:
        lines = [orjson.loads(line) for line in pipe]
    assert [line["event"] for line in lines] == ["incident"] * BURST
    assert counters.get("log.suppressed") == 800 - BURST
