"""What is good enough, and what ends the search at once."""

import pytest

from recalld.recall.fuse import fuse
from recalld.recall.policy import (
    QualityGatePolicy,
    RecallPolicy,
    SourceSignal,
    SourceSignals,
    StrongSignalPolicy,
)
from recalld.recall.quality import above_floor, judge, probe_passes
from recalld.recall.signal import signal_source, strong_signal
from recalld.search.model import Source
from support.recall_world import hit, listed


@pytest.mark.parametrize("chunks_per_path", [1, 3])
@pytest.mark.parametrize(
    ("scores", "accepted"),
    [((0.649,), 0), ((0.65,), 1), ((0.60, 0.58), 1), ((0.60, 0.55), 1), ((0.549, 0.549), 0)],
)
def test_boundaries_of_the_quality_gate(chunks_per_path, scores, accepted):
    policy = RecallPolicy(chunks_per_path=chunks_per_path, min_score=0.5, quality_gate=MEDIUM_55)
    routes = [
        listed(route, hit("a", raw))
        for route, raw in zip(("literal", "det:axis"), scores, strict=False)
    ]
    assert len(judge(fuse(routes, policy), policy).accepted) == accepted


MEDIUM_55 = QualityGatePolicy(medium_raw_score=0.55)


@pytest.mark.parametrize("chunks_per_path", [1, 3])
def test_two_chunks_in_one_route_are_no_agreement(chunks_per_path):
    policy = RecallPolicy(chunks_per_path=chunks_per_path)
    found = [hit("a", 0.60, start_line=1), hit("a", 0.58, start_line=20)]
    assert judge(fuse([listed("literal", *found)], policy), policy).accepted == ()


def test_agreement_on_a_file_needs_the_same_chunk_where_the_chunk_is_the_unit():
    routes = [listed("literal", hit("a", 0.6)), listed("det:axis", hit("a", 0.58, start_line=20))]
    for chunks_per_path, accepted in ((1, 1), (3, 0)):
        policy = RecallPolicy(chunks_per_path=chunks_per_path)
        assert len(judge(fuse(routes, policy), policy).accepted) == accepted


def test_first_rank_of_a_bad_list_is_still_bad():
    policy = RecallPolicy()
    routes = [
        listed(name, hit("a", 0.3), weight=2.0) for name in ("literal", "det:axis", "det:focus")
    ]
    judged = judge(fuse(routes, policy), policy)
    assert judged.accepted == ()
    assert judged.best_raw_score == 0.3


def test_floor_is_inclusive():
    found = [hit("a", 0.55), hit("b", 0.5499)]
    assert [chunk.path for chunk in above_floor(found, RecallPolicy())] == ["a"]


@pytest.mark.parametrize(("raw", "passes"), [(0.649, False), (0.65, True)])
def test_probe_passes_at_the_high_score_only(raw, passes):
    assert probe_passes([hit("a", raw)], RecallPolicy()) is passes
    assert not probe_passes([], RecallPolicy())


MEMORY, DOCUMENTS, SESSIONS = Source.MEMORY, Source.DOCUMENTS, Source.SESSIONS


@pytest.mark.parametrize(
    ("found", "strong"),
    [
        ([("memory/a.md", MEMORY, 0.85), ("memory/b.md", MEMORY, 0.70)], True),
        ([("memory/a.md", MEMORY, 0.85), ("memory/b.md", MEMORY, 0.701)], False),
        ([("memory/a.md", MEMORY, 0.85)], True),
        ([("memory/a.md", MEMORY, 0.849)], False),
        ([("a.md", DOCUMENTS, 0.86)], False),
        ([("a.md", DOCUMENTS, 0.87)], True),
        ([("s.jsonl", SESSIONS, 0.90)], False),
        ([("s.jsonl", SESSIONS, 0.95), ("a.md", DOCUMENTS, 0.70)], True),
        ([("s.jsonl", SESSIONS, 0.95), ("a.md", DOCUMENTS, 0.80)], False),
        ([("memory/a", MEMORY, 0.9), ("memory/a", MEMORY, 0.82), ("memory/b", MEMORY, 0.7)], True),
        ([("other/a.md", MEMORY, 0.86)], False),
        ([("wiki/a.md", Source.WIKI, 0.85)], True),
        ([("profile", Source.PROFILE, 0.85)], True),
        ([], False),
    ],
)
def test_strong_signal_by_source_and_gap(found, strong):
    hits = [
        hit(path, raw, source=source, start_line=line)
        for line, (path, source, raw) in enumerate(found, start=1)
    ]
    assert strong_signal(hits, StrongSignalPolicy()).strong is strong


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("MEMORY.md", "memory"),
        ("USER.md", "memory"),
        ("memory/2026/a.md", "memory"),
        (r"memory\a.md", "memory"),
        ("notes/memory.md", "documents"),
        ("memory.md", "documents"),
    ],
)
def test_only_curated_files_have_the_threshold_of_memory(path, source):
    assert signal_source(hit(path)) == source


def test_source_without_its_own_numbers_takes_those_of_the_table():
    policy = StrongSignalPolicy(
        min_score=0.7, gap=0.1, sources=SourceSignals(wiki=SourceSignal(gap=0.3))
    )
    two = [hit("wiki/a.md", 0.75, source=Source.WIKI), hit("wiki/b.md", 0.6, source=Source.WIKI)]
    assert strong_signal(two[:1], policy).strong
    assert not strong_signal(two, policy).strong


def test_switched_off_signal_is_never_strong_but_keeps_its_numbers():
    signal = strong_signal([hit("memory/a.md", 0.99)], StrongSignalPolicy(enabled=False))
    assert (signal.strong, signal.top, signal.second) == (False, 0.99, 0.0)
