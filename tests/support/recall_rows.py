"""What each setting of recall does, as a row: the same look before and after it is set."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Any

from recalld.config import Config
from recalld.config_decode import convert, put
from recalld.recall.gate import decide
from recalld.recall.model import Depth, RouteKind, Verdict
from recalld.search.model import Found, Source
from support.recall_world import FakeChat, FakeEmbed, FakeGate, FakeSearcher, World, hit

AXIS = "decision context"
NAMED = "the human-gate rules of that plugin"


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
