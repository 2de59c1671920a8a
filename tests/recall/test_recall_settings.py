"""Every setting of recall, its traces and the graph has an effect, or is known to have none yet."""

import msgspec
import pytest

from recalld.config import Config, settle
from recalld.config_schema import leaves, value_at
from support.recall_house import House
from support.recall_rows import ROWS, config_of

# Compatibility only, and what the graph writer will read; each with a value that is not the
# default.
UNREAD: dict[str, object] = {
    "recall.semantic_gate.enabled": True,
    "recall.semantic_gate.model": "model",
    "recall.semantic_gate.timeout_ms": 900,
    "recall.semantic_gate.max_output_tokens": 99,
    "graph_memory.writer.mode": "shadow",
    "graph_memory.writer.session_allowlist": ("agent:*",),
    "graph_memory.writer.max_entities_per_turn": 1,
    "graph_memory.writer.max_edges_per_turn": 1,
    "graph_memory.writer.max_episodes_per_turn": 0,
    "graph_memory.writer.circuit_breaker.failure_threshold": 1,
    "graph_memory.writer.circuit_breaker.reset_after_ms": 9_000,
}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.key)
async def test_setting_has_the_effect_it_names(autojump_clock, row):
    assert await row.look(config_of()) == row.before
    assert await row.look(config_of(**{row.key: row.value})) == row.after


async def files_after(tmp_path, prompts, **settings):
    """The house after so many prompts, and the trace files it left, newest first."""
    house = House(root=tmp_path, settings=config_of(**settings))
    async with house.open_sink() as sink:
        service = house.service(sink)
        for _ in range(prompts):
            await service.prompt(house.prompt("what did we decide?"))
            if prompts > 1 and "trace.queue" not in settings:
                await sink.drained()
    return house, sorted(path for path in tmp_path.rglob("*.jsonl*"))


async def test_trace_enabled_decides_whether_anything_is_written(tmp_path):
    _, files = await files_after(tmp_path, 1, **{"trace.enabled": False})
    assert files == []


async def test_trace_file_decides_where_it_is_written(tmp_path):
    _, files = await files_after(tmp_path, 1, **{"trace.file": "logs/r.jsonl"})
    assert files == [tmp_path / "logs" / "r.jsonl"]


async def test_trace_queries_decides_what_is_kept_of_the_words(tmp_path):
    house, _ = await files_after(tmp_path, 1, **{"trace.queries": "hash"})
    assert house.lines()[0]["prompt"].startswith("sha256:")


@pytest.mark.parametrize(("keep", "files"), [(0, 1), (1, 2), (3, 4)])
async def test_trace_size_and_keep_bound_the_files(tmp_path, keep, files):
    _, found = await files_after(tmp_path, 20, **{"trace.max_bytes": 4_096, "trace.keep": keep})
    assert len(found) == files
    assert all(path.stat().st_size <= 4_096 for path in found)


async def test_trace_queue_bounds_what_waits(tmp_path):
    house, _ = await files_after(tmp_path, 20, **{"trace.queue": 1})
    dropped = house.counters.get("trace.dropped")
    assert dropped > 0
    assert dropped + len(house.lines()) == 20


TRACE_KEYS = {
    f"trace.{name}" for name in ("enabled", "file", "queries", "max_bytes", "keep", "queue")
}


async def test_ledger_turns_decides_for_how_long_nothing_is_repeated(tmp_path):
    for turns, statuses in ((0, ["ok", "ok", "ok"]), (1, ["ok", "no_result", "ok"])):
        house = House(root=tmp_path, settings=config_of(**{"recall.ledger_turns": turns}))
        async with house.open_sink() as sink:
            service = house.service(sink)
            assert [(await service.prompt(house.prompt())).status for _ in range(3)] == statuses


OF_MANY_PROMPTS = {"recall.ledger_turns"}


def test_no_setting_is_left_out_of_this_table():
    tables = ("recall.", "trace.", "graph_memory.")
    declared = {key for key, _ in leaves(Config) if key.startswith(tables)}
    tested = {row.key for row in ROWS}
    assert declared == tested | TRACE_KEYS | OF_MANY_PROMPTS | set(UNREAD)
    assert not tested & set(UNREAD)


@pytest.mark.parametrize("key", UNREAD)
def test_setting_without_an_effect_yet_is_accepted_and_kept(key):
    config, warnings = settle(config_of(**{key: UNREAD[key]}))
    assert value_at(msgspec.to_builtins(config), key) == UNREAD[key]
    assert value_at(msgspec.to_builtins(Config()), key) != UNREAD[key]
    assert bool(warnings) == key.startswith("recall.semantic_gate.")
