"""A scripted daemon that knows an answer to every command, and a command put to it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from recalld.cli._run import run
from support.scripted import ScriptedDaemon, scripted_daemon

HIT = {
    "id": "u1",
    "path": "memory/2026-05-11.md",
    "start_line": 8,
    "end_line": 11,
    "source": "memory",
    "heading": "Maya, 2026-05-11",
    "snippet": "Five attempts\x1b[31m, then parked",
    "raw_score": 0.91,
}
ANSWERED = {
    "status": "ok",
    "context": "<recall-context>five attempts</recall-context>",
    "decision": {
        "verdict": "yes",
        "reason": "memory_intent",
        "confidence": 0.9,
        "depth": "balanced",
        "route": "vector",
        "query": "retries",
    },
    "hits": [HIT],
    "tokens": 12,
    "elapsed_ms": 41.72,
    "stages": [{"name": "literal", "start_ms": 0.5, "took_ms": 31.0, "outcome": "ok"}],
    "trace_id": "01J",
}
SYNCED = {"files": 3, "chunks": 9, "added": 3, "changed": 0, "removed": 0, "took_ms": 12}
EXPLAINED: dict[str, object] = {
    "trace_id": "01J",
    "at": "2026-08-01T09:30:00.000Z",
    "session": "s1",
    "prompt": "what did we decide about retries?",
    "status": "ok",
    "gate": {
        "decision": "yes",
        "reason": "memory_intent",
        "rule": "en.decide",
        "depth": "balanced",
    },
    "strong_signal": {"strong": False, "top": 0.7, "second": 0.6, "source": "memory"},
    "quality": {"best_raw_score": 0.91, "route_hits": 2, "accepted": 1, "rejected": 1},
    "routes": {"literal": [{"path": "a.md", "start_line": 1, "end_line": 2, "rank": 1}]},
    "shown": [{"path": "a.md", "start_line": 1, "end_line": 2, "raw_score": 0.91}],
    "cut": [
        {"path": "b.md", "start_line": 3, "end_line": 4, "raw_score": 0.4, "rule": "quality_gate"}
    ],
    "stages": [{"name": "literal", "startMs": 0.5, "tookMs": 31.0, "outcome": "ok"}],
}


@contextmanager
def answering(folder: Path) -> Iterator[ScriptedDaemon]:
    answers: dict[str, dict[str, object] | None] = {
        "session.prompt": ANSWERED,
        "search": {
            "hits": [HIT],
            "explain": {"literal": [{"id": "u1", "rank": 1, "raw_score": 1}]},
        },
        "index.sync": {**SYNCED, "skipped": [{"path": "x.md", "why": "not_utf8"}]},
        "index.status": {"files": 3, "chunks": 9, "engine": "usem3"},
        "status": {"state": "ok", "degraded": [], "counters": {"sent": 1}},
        "recall.explain": EXPLAINED,
    }
    with scripted_daemon(folder / "s", answers) as daemon:
        yield daemon


def recalld(daemon: ScriptedDaemon, *arguments: str) -> int:
    return run([*arguments, "--socket", str(daemon.path)])
