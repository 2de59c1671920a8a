"""What is injected still stands in its file, at the lines it names."""

import threading
from dataclasses import replace
from typing import Any

import anyio
import pytest

from recalld.budget import Outcome, Run
from recalld.recall.explain import explanation_of
from recalld.recall.freshness import PIECE_CHARS, settled
from recalld.recall.model import Condition, FileNow, Status
from recalld.recall.pipeline import Ports, recall
from recalld.recall.policy import GraphMemoryPolicy, RecallPolicy
from recalld.recall.record import Recall
from recalld.recall.trace import trace_of
from recalld.search.model import Source
from support.recall_world import FakeGate, FakeSearcher, hit, outcome_of, prompt

NOTE = hit(text="use five attempts\nand wait between", start_line=3, end_line=4)
SPOKEN = hit(text="use five attempts", start_line=3, end_line=5)
LONG_PIECE = hit(text="x" * PIECE_CHARS, start_line=2, end_line=2)
TURN = hit("sessions/s.jsonl", text="rotate the staging cert on Monday", source=Source.SESSIONS)


def changed(text):
    return FileNow(condition=Condition.CHANGED, text=text)


@pytest.mark.parametrize(
    ("chunk", "now", "lines"),
    [
        (NOTE, FileNow(condition=Condition.UNCHANGED), (3, 4)),
        (NOTE, FileNow(condition=Condition.UNKNOWN), (3, 4)),
        (NOTE, FileNow(condition=Condition.GONE), None),
        (NOTE, changed(""), None),
        (NOTE, changed("# A\n\nuse five attempts\nand wait between\n"), (3, 4)),
        (NOTE, changed("new\n\n# A\n\nuse five attempts\nand wait between"), (5, 6)),
        (NOTE, changed("use five attempts\nand wait between"), (1, 2)),
        (NOTE, changed("use six attempts\nand wait between"), None),
        (NOTE, changed("never use five attempts\nand wait between"), None),
        (NOTE, changed("use five attempts\nand wait between days"), None),
        # Of two places the nearer one.
        (NOTE, changed("use five attempts\nand wait between\n" * 2), (3, 4)),
        (NOTE, changed("\n" + "use five attempts\nand wait between\n" * 3), (2, 3)),
        # Two lines of the range are the speaker's heading.
        (SPOKEN, changed("top\n## Ann\n\nuse five attempts"), (2, 4)),
        (SPOKEN, changed("do not use five attempts"), None),
        (LONG_PIECE, changed("top\n" + "y" * 50 + "x" * PIECE_CHARS + "z"), (2, 2)),
        (TURN, changed('rotate the staging cert on Monday\nok "sure"'), (1, 9)),
        (TURN, changed("rotate the prod cert on Friday instead"), None),
    ],
)
def test_a_chunk_is_shown_where_it_stands_now_or_not_at_all(chunk, now, lines):
    found = settled(chunk, now)
    assert (None if found is None else (found.start_line, found.end_line)) == lines
    if found is not None:
        assert replace(found, start_line=0, end_line=0) == replace(chunk, start_line=0, end_line=0)


async def recalled(hits, reread, *, policy=None):
    policy = policy or RecallPolicy()
    fresh = Recall(
        prompt=prompt(workspace_root="/w"),
        policy=policy,
        graph=GraphMemoryPolicy(),
        total_ms=policy.max_total_ms,
    )
    ports = Ports(searcher=FakeSearcher(hits=hits), rules=FakeGate().rules(), reread=reread)
    return await recall(fresh, run=Run(policy.max_total_ms), ports=ports)


async def test_what_is_stale_makes_room_for_the_next_and_why_says_so():
    hits = tuple(hit(f"{name}.md", 0.9, text=f"the plan of {name}") for name in "abcde")
    gone = {"a.md", "c.md"}

    def reread(root, found):
        assert root == "/w"
        return FileNow(condition=Condition.GONE if found.path in gone else Condition.UNCHANGED)

    seen = await recalled(hits, reread)
    assert [one.found.path for one in seen.injection.shown] == ["b.md", "d.md", "e.md"]
    told: Any = explanation_of(trace_of(seen, queries="text"))
    assert {row["path"]: row["rule"] for row in told["cut"]} == dict.fromkeys(gone, "stale")


async def test_nothing_is_injected_when_everything_is_stale():
    seen = await recalled((hit(),), lambda *_: FileNow(condition=Condition.GONE))
    assert (seen.status, seen.reason, seen.injection) == (Status.NO_RESULT, "stale", None)


async def test_a_note_that_moved_is_shown_with_its_new_lines():
    seen = await recalled((NOTE,), lambda *_: changed("a\nb\nc\nd\ne\n" + NOTE.text))
    (shown,) = seen.injection.shown
    assert (shown.found.start_line, shown.found.end_line) == (6, 7)
    assert "#L6-L7" in seen.injection.block


async def test_a_disk_that_hangs_costs_no_answer():
    release = threading.Event()

    def hang(root, found):
        release.wait()
        return FileNow(condition=Condition.GONE)

    with anyio.fail_after(5):
        seen = await recalled((hit(),), hang)
    release.set()
    assert seen.status is Status.OK
    assert outcome_of(seen, "check") == Outcome.TIMEOUT


async def test_hits_beyond_those_that_were_looked_at_are_not_shown():
    hits = tuple(hit(f"{number}.md", 0.9) for number in range(5))
    seen_paths = []

    def reread(_, found):
        seen_paths.append(found.path)
        return FileNow(condition=Condition.GONE)

    seen = await recalled(hits, reread, policy=RecallPolicy(top_k=2))
    assert len(seen_paths) == 4
    assert seen.injection is None
