"""Every setting of recall, its traces and the graph has an effect, or is known to have none yet."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Any

import msgspec
import pytest

from recalld.config import Config, settle
from recalld.config_decode import convert, put
from recalld.config_schema import leaves, value_at
from recalld.recall.gate import decide
from recalld.recall.model import Depth, RouteKind, Verdict
from recalld.search.model import Found, Source
from support.recall_house import House
from support.recall_world import FakeChat, FakeEmbed, FakeGate, FakeSearcher, World, hit

AXIS = "decision context"
NAMED = "the human-gate rules of that plugin"

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


def config_of(**settings: object) -> Config:
    """The defaults with ``settings``, decoded as a file is."""
    document: dict[str, object] = {}
    for key, value in settings.items():
        put(document, key, value)
    return convert(document, Config)


@dataclass(frozen=True, kw_only=True)
class Row:
    """``look`` sees ``before`` with the defaults and ``after`` with ``key`` = ``value``."""

    key: str
    value: object
    look: Callable[[Config], Awaitable[object]]
    before: object
    after: object


def scene(
    read: Callable[[Any, Any], object],
    *found: Found,
    text: str = "billing retries",
    searcher: FakeSearcher | None = None,
    gate: FakeGate | None = None,
    rules: bool = False,
    chat: FakeChat | None = None,
) -> Callable[[Config], Awaitable[object]]:
    """Recall ``text`` over fakes and read one thing off the recall or the world.

    ``rules``: the gate's own rules decide instead of a fake.
    """

    async def look(config: Config) -> object:
        fake = gate or FakeGate()
        world = World(
            searcher=replace(searcher or FakeSearcher(hits=found), calls=[]),
            rules=replace(fake.rules(), decide=decide) if rules else fake.rules(),
            policy=config.recall,
            graph=config.graph_memory,
            embed=FakeEmbed(),
            chat=chat and replace(chat, requests=[], asked=[]),
        )
        return read(await world.recall(text), world)

    return look


def status(seen, _):
    return str(seen.status)


def searches(_, world):
    return len(world.searcher.calls)


def shown(seen, _):
    return len(seen.chosen)


def verdict(seen, _):
    return str(seen.verdict.verdict)


def elapsed(seen, _):
    return round(seen.elapsed_ms)


def rrf_score(seen, _):
    return round(seen.chosen[0].rrf_score, 4)


def fits(seen, _):
    return seen.injection.tokens <= 80


def rescue_status(seen, _):
    return str(seen.rescue.status)


def asked(name: str) -> Callable[[Any, Any], object]:
    """A field of the one request that a rescue sends."""
    return lambda _, world: getattr(world.chat.requests[0], name)


def source_weight(seen, _):
    return seen.chosen[0].source_weight


HUNG = FakeSearcher(hits=(hit(),), delay_ms=60_000)
AGREED = FakeSearcher(hits=(hit(raw=0.58),), by_query={AXIS: (hit(raw=0.58),)})
ALONE = FakeSearcher(hits=(hit(raw=0.7),), by_query={AXIS: ()})
LONG = hit(text="word " * 400)
ONE_FILE = tuple(hit("a.md", 0.9, start_line=line) for line in (1, 20, 40))
DEEP = FakeGate(depth=Depth.DEEP)

ROWS = [
    Row(
        key="recall.enabled",
        value=False,
        look=scene(status, hit()),
        before="ok",
        after="disabled",
    ),
    Row(
        key="recall.agents",
        value=["writer"],
        look=scene(status, hit()),
        before="ok",
        after="disabled",
    ),
    Row(
        key="recall.skip_system_events",
        value=False,
        look=scene(status, hit(), gate=FakeGate(system_event=True)),
        before="skipped_system_event",
        after="ok",
    ),
    Row(
        key="recall.profile",
        value="deep",
        look=scene(searches, text=NAMED),
        before=2,
        after=4,
    ),
    Row(
        key="recall.inject_token_budget",
        value=80,
        look=scene(fits, LONG),
        before=False,
        after=True,
    ),
    Row(
        key="recall.max_total_ms",
        value=500,
        look=scene(elapsed, searcher=HUNG),
        before=4_400,
        after=500,
    ),
    Row(
        key="recall.search_timeout_ms",
        value=100,
        look=scene(elapsed, searcher=HUNG),
        before=4_400,
        after=200,
    ),
    Row(
        key="recall.min_score",
        value=0.6,
        look=scene(status, searcher=AGREED),
        before="ok",
        after="low_quality",
    ),
    Row(
        key="recall.top_k",
        value=1,
        look=scene(shown, hit("a.md"), hit("b.md"), hit("c.md"), hit("d.md")),
        before=3,
        after=1,
    ),
    Row(
        key="recall.snippet_chars",
        value=50,
        look=scene(lambda seen, _: len(seen.injection.snippets[0]) > 60, LONG),
        before=True,
        after=False,
    ),
    Row(
        key="recall.chunks_per_path",
        value=1,
        look=scene(shown, *ONE_FILE),
        before=3,
        after=1,
    ),
    Row(
        key="recall.trigger.mode",
        value="always",
        look=scene(verdict, text="什么是 RRF？", rules=True),
        before="no",
        after="yes",
    ),
    Row(
        key="recall.trigger.explicit_prefixes",
        value=["/find"],
        look=scene(verdict, text="/find B-trees", rules=True),
        before="no",
        after="yes",
    ),
    Row(
        key="recall.trigger.suppress_prefixes",
        value=["/quiet"],
        look=scene(verdict, text="/quiet do you remember our plan?", rules=True),
        before="yes",
        after="no",
    ),
    Row(
        key="recall.trigger.additional_keywords",
        value=["zebra"],
        look=scene(verdict, text="what is a Zebra crossing", rules=True),
        before="no",
        after="yes",
    ),
    Row(
        key="recall.gate.extended",
        value=False,
        look=scene(
            lambda _, world: world.embed.calls,
            gate=FakeGate(verdict=Verdict.NO, wants_vector=True),
        ),
        before=1,
        after=0,
    ),
    Row(
        key="recall.expansion.associations.max_balanced",
        value=0,
        look=scene(searches, text=NAMED),
        before=2,
        after=1,
    ),
    Row(
        key="recall.expansion.associations.max_deep",
        value=1,
        look=scene(searches, text=NAMED, gate=DEEP),
        before=4,
        after=2,
    ),
    Row(
        key="recall.strong_signal.enabled",
        value=False,
        look=scene(searches, hit()),
        before=1,
        after=2,
    ),
    Row(
        key="recall.strong_signal.min_score",
        value=0.95,
        look=scene(searches, hit("p", 0.9, source=Source.PROFILE)),
        before=1,
        after=2,
    ),
    Row(
        key="recall.strong_signal.gap",
        value=0.5,
        look=scene(searches, hit("p", 0.9, source=Source.PROFILE), hit("b.md", 0.6)),
        before=1,
        after=2,
    ),
    Row(
        key="recall.quality_gate.high_raw_score",
        value=0.8,
        look=scene(status, searcher=ALONE),
        before="ok",
        after="low_quality",
    ),
    Row(
        key="recall.quality_gate.min_best_raw_score",
        value=0.8,
        look=scene(status, searcher=ALONE),
        before="ok",
        after="low_quality",
    ),
    Row(
        key="recall.quality_gate.medium_raw_score",
        value=0.6,
        look=scene(status, searcher=AGREED),
        before="ok",
        after="low_quality",
    ),
    Row(
        key="recall.quality_gate.min_route_hits",
        value=3,
        look=scene(status, searcher=AGREED),
        before="ok",
        after="low_quality",
    ),
    Row(
        key="recall.rrf.k",
        value=1,
        look=scene(rrf_score, hit(raw=0.9)),
        before=round(2 / 21 * 0.95, 4),
        after=round(2 / 2 * 0.95, 4),
    ),
    Row(
        key="recall.rrf.original_weight",
        value=1.0,
        look=scene(rrf_score, hit(raw=0.9)),
        before=round(2 / 21 * 0.95, 4),
        after=round(1 / 21 * 0.95, 4),
    ),
    Row(
        key="recall.rrf.raw_score_blend",
        value=1.0,
        look=scene(rrf_score, hit(raw=0.9)),
        before=round(2 / 21 * 0.95, 4),
        after=round(2 / 21 * 0.9, 4),
    ),
    Row(
        key="graph_memory.enabled",
        value=True,
        look=scene(lambda seen, _: seen.fallback_reason, gate=FakeGate(route=RouteKind.GRAPH)),
        before="graph_disabled",
        after="graph_unavailable",
    ),
]
RESCUE = {"gate": DEEP, "chat": FakeChat(content='{"rewrite":"other words"}')}
SLOW_CHAT = {"gate": DEEP, "chat": FakeChat(delay_ms=60_000)}
for name, chosen, read, before, after in (
    (
        "endpoint",
        "https://example.org/v1",
        asked("endpoint"),
        "https://api.deepseek.com/v1",
        "https://example.org/v1",
    ),
    ("api_key_env", "OTHER_KEY", asked("key_name"), "DEEPSEEK_API_KEY", "OTHER_KEY"),
    ("model", "other", asked("model"), "deepseek-v4-flash", "other"),
    ("max_output_tokens", 99, asked("max_output_tokens"), 800, 99),
    (
        "response_format",
        "json_schema",
        lambda _, world: world.chat.requests[0].response_format["type"],
        "json_object",
        "json_schema",
    ),
    ("thinking_mode", "omit", asked("thinking"), "disabled", None),
    ("min_remaining_budget_ms", 6_000, rescue_status, "partial_parse", "skipped_budget"),
):
    ROWS.append(
        Row(
            key=f"recall.expansion.{name}",
            value=chosen,
            look=scene(read, hit(raw=0.3), **RESCUE),  # type: ignore[arg-type]
            before=before,
            after=after,
        )
    )
ROWS.append(
    Row(
        key="recall.expansion.timeout_ms",
        value=2_000,
        look=scene(elapsed, hit(raw=0.3), **SLOW_CHAT),  # type: ignore[arg-type]
        before=2_500,
        after=2_000,
    )
)
PATHS = {
    "memory": "memory/a.md",
    "documents": "a.md",
    "wiki": "wiki/a.md",
    "sessions": "s.jsonl",
    "default": "profile",
}
for name, path in PATHS.items():
    of_source = hit(path, 0.97, source=Source("profile" if name == "default" else name))
    for setting, value, others in (("min_score", 0.99, ()), ("gap", 0.5, (hit("b.md", 0.6),))):
        ROWS.append(
            Row(
                key=f"recall.strong_signal.sources.{name}.{setting}",
                value=value,
                look=scene(searches, of_source, *others),
                before=1,
                after=2,
            )
        )
for name in ("memory", "wiki", "sessions"):
    ROWS.append(
        Row(
            key=f"recall.prefer_sources.{name}",
            value=2.0,
            look=scene(source_weight, hit(PATHS[name], 0.97, source=Source(name))),
            before=1.0,
            after=2.0,
        )
    )


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
