"""What was merely said is trusted last: the strong signal of transcripts."""

import pytest

from recalld.recall.policy import StrongSignalPolicy
from recalld.recall.signal import strong_signal
from recalld.search.model import Source
from support.recall_world import hit


@pytest.mark.parametrize("path", ["sessions/s.jsonl", "/home/u/.claude/projects/p/s.jsonl"])
@pytest.mark.parametrize(
    ("top", "second", "strong"),
    [
        (0.92, 0.72, True),
        (0.99, None, True),
        (0.91, 0.10, False),
        (0.92, 0.73, False),
        # Enough for a curated note, not for what was said.
        (0.86, 0.10, False),
    ],
)
def test_a_turn_ends_the_search_only_when_it_is_clearly_the_best(path, top, second, strong):
    found = [hit(path, top, source=Source.SESSIONS)]
    found += [] if second is None else [hit("memory/n.md", second)]
    signal = strong_signal(found, StrongSignalPolicy())
    assert (signal.strong, signal.source) == (strong, "sessions")


def test_turns_of_one_conversation_do_not_compete():
    turns = [
        hit("sessions/s.jsonl", raw, source=Source.SESSIONS, start_line=line)
        for line, raw in enumerate((0.95, 0.94, 0.93), start=1)
    ]
    assert strong_signal(turns, StrongSignalPolicy()).strong
