"""Every knob of recall, with its default, its range and its reason.

One struct for each table of the configuration; ``config.py`` only nests them. Ranges are
enforced while decoding, so a policy that exists is valid.
"""

import ipaddress
from typing import Annotated, Literal
from urllib.parse import urlsplit

from msgspec import Meta, Struct, field

Score = Annotated[float, Meta(ge=0.0, le=1.0)]
Weight = Annotated[float, Meta(ge=0.0, le=10.0)]
Prefix = Annotated[str, Meta(min_length=1, max_length=64)]
EnvironmentName = Annotated[str, Meta(pattern=r"^[A-Z][A-Z0-9_]{1,63}$")]

# Endpoint.timeout_ms above this is cut to it: a rescue may never eat the round it is to save.
RESCUE_TIMEOUT_CAP_MS = 2_500


class Policy(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of all configuration tables: frozen, keywords only, unknown keys are errors."""


def check_endpoint(url: str) -> None:
    """Raise ``ValueError`` unless ``url`` is https, or http to a loopback literal."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    if parts.username or parts.password:
        raise ValueError("expansion.endpoint: no user name or password in the address")
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        address = None
    loopback = host == "localhost" or (address is not None and address.is_loopback)
    if not host or not (parts.scheme == "https" or (parts.scheme == "http" and loopback)):
        raise ValueError(f"expansion.endpoint: {url!r} is neither https nor http to loopback")
    if address is not None and not loopback and not address.is_global:
        raise ValueError(f"expansion.endpoint: {host} is not a public address")


class TriggerPolicy(Policy, frozen=True, kw_only=True):
    """When recall is considered at all."""

    mode: Literal["on-demand", "explicit", "always"] = "on-demand"
    explicit_prefixes: tuple[Prefix, ...] = ("/recall", "/memory", "回忆：", "记忆：")
    suppress_prefixes: tuple[Prefix, ...] = ("/no-recall", "/no-memory", "不查记忆：")
    additional_keywords: tuple[Prefix, ...] = ()


class GatePolicy(Policy, frozen=True, kw_only=True):
    """The rule gate's own additions."""

    # Hand-written rules overfit; the embedding stage catches what they miss (AUC .93, 1 ms).
    extended: bool = True


class AssociationsPolicy(Policy, frozen=True, kw_only=True):
    """How many query routes each depth may add."""

    max_balanced: Annotated[int, Meta(ge=0, le=3)] = 1
    max_deep: Annotated[int, Meta(ge=0, le=6)] = 3


class ExpansionPolicy(Policy, frozen=True, kw_only=True):
    """Deterministic expansion, and the endpoint of the deep rescue (off unless llm.enabled)."""

    endpoint: str = "https://api.deepseek.com/v1"
    api_key_env: EnvironmentName = "DEEPSEEK_API_KEY"
    model: Annotated[str, Meta(min_length=1, max_length=128)] = "deepseek-v4-flash"
    timeout_ms: Annotated[int, Meta(ge=100, le=60_000)] = RESCUE_TIMEOUT_CAP_MS
    min_remaining_budget_ms: Annotated[int, Meta(ge=0, le=60_000)] = 2_750
    max_output_tokens: Annotated[int, Meta(ge=64, le=8_192)] = 800
    response_format: Literal["json_object", "json_schema"] = "json_object"
    thinking_mode: Literal["auto", "enabled", "disabled", "omit"] = "auto"
    associations: AssociationsPolicy = AssociationsPolicy()

    def __post_init__(self) -> None:
        check_endpoint(self.endpoint)


class SemanticGatePolicy(Policy, frozen=True, kw_only=True):
    """Compatibility only: accepted with a warning, never called."""

    enabled: bool = False
    model: str = ""
    timeout_ms: Annotated[int, Meta(ge=100, le=60_000)] = 1_800
    max_output_tokens: Annotated[int, Meta(ge=1, le=8_192)] = 160


class SourceSignal(Policy, frozen=True, kw_only=True):
    """Strong-signal threshold of one source. None inherits ``strong_signal``."""

    min_score: Score | None = None
    gap: Score | None = None


class SourceSignals(Policy, frozen=True, kw_only=True):
    """Curated memory is trusted soonest, sessions last: what was merely said may be outdated."""

    memory: SourceSignal = SourceSignal(min_score=0.85, gap=0.15)
    documents: SourceSignal = SourceSignal(min_score=0.87, gap=0.15)
    wiki: SourceSignal = SourceSignal()
    sessions: SourceSignal = SourceSignal(min_score=0.92, gap=0.20)
    default: SourceSignal = SourceSignal()


class StrongSignalPolicy(Policy, frozen=True, kw_only=True):
    """One clear winner ends the search. Both bounds are inclusive."""

    enabled: bool = True
    min_score: Score = 0.85
    gap: Score = 0.15
    sources: SourceSignals = SourceSignals()


class QualityGatePolicy(Policy, frozen=True, kw_only=True):
    """What may be injected, judged on raw scores alone. Bounds are inclusive."""

    high_raw_score: Score | None = None  # None: min_best_raw_score, else 0.65
    medium_raw_score: Score | None = None  # None: recall.min_score
    min_route_hits: Annotated[int, Meta(ge=1, le=8)] = 2
    min_best_raw_score: Score | None = None  # older name of high_raw_score


class RrfPolicy(Policy, frozen=True, kw_only=True):
    """Weighted reciprocal rank fusion of the query routes (Cormack et al. 2009)."""

    k: Annotated[int, Meta(ge=1, le=1_000)] = 20
    original_weight: Weight = 2.0
    raw_score_blend: Score = 0.5


class PreferSources(Policy, frozen=True, kw_only=True):
    """Weights that order hits by source; they never judge."""

    memory: Weight = 1.0
    wiki: Weight = 1.0
    sessions: Weight = 1.0


class RecallPolicy(Policy, frozen=True, kw_only=True):
    """The ``[recall]`` table."""

    enabled: bool = True
    agents: tuple[Annotated[str, Meta(min_length=1, max_length=128)], ...] = ("main",)
    skip_system_events: bool = True
    profile: Literal["speed", "balanced", "deep"] = "balanced"
    # None: 400, 800 or 1200 by the depth in effect.
    inject_token_budget: Annotated[int, Meta(ge=50, le=8_000)] | None = None
    max_total_ms: Annotated[int, Meta(ge=500, le=60_000)] = 5_000
    search_timeout_ms: Annotated[int, Meta(ge=50, le=60_000)] = 2_200
    min_score: Score = 0.55
    top_k: Annotated[int, Meta(ge=1, le=20)] = 3
    snippet_chars: Annotated[int, Meta(ge=50, le=2_000)] = 200
    # One chunk a file costs .05-.4 recall where a file holds many notes.
    chunks_per_path: Annotated[int, Meta(ge=1, le=20)] = 3
    # What a session was shown is in its context; said again on every turn it piles up there.
    ledger_turns: Annotated[int, Meta(ge=0, le=1_000)] = 10
    trigger: TriggerPolicy = TriggerPolicy()
    gate: GatePolicy = GatePolicy()
    expansion: ExpansionPolicy = ExpansionPolicy()
    semantic_gate: SemanticGatePolicy = SemanticGatePolicy()
    strong_signal: StrongSignalPolicy = StrongSignalPolicy()
    quality_gate: QualityGatePolicy = QualityGatePolicy()
    rrf: RrfPolicy = RrfPolicy()
    prefer_sources: PreferSources = PreferSources()

    def __post_init__(self) -> None:
        if self.medium_raw_score > self.high_raw_score:
            raise ValueError(
                "quality_gate: the medium raw score (or recall.min_score, which it inherits) is "
                f"{self.medium_raw_score}, above the high raw score {self.high_raw_score}"
            )

    @property
    def high_raw_score(self) -> float:
        gate = self.quality_gate
        for value in (gate.high_raw_score, gate.min_best_raw_score):
            if value is not None:
                return value
        return 0.65

    @property
    def medium_raw_score(self) -> float:
        medium = self.quality_gate.medium_raw_score
        return self.min_score if medium is None else medium


class TracePolicy(Policy, frozen=True, kw_only=True):
    """The ``[trace]`` table: one JSON line for every prompt, also the skipped ones."""

    enabled: bool = True
    # Relative to the workspace, and it stays inside.
    file: Annotated[str, Meta(min_length=1, max_length=255)] = "memory/recall-traces.jsonl"
    # ``text`` lets why and replay work; it is redacted and the file is 0600.
    queries: Literal["text", "hash", "off"] = "text"
    max_bytes: Annotated[int, Meta(ge=4_096, le=1 << 30)] = 5_000_000
    keep: Annotated[int, Meta(ge=0, le=100)] = 3
    queue: Annotated[int, Meta(ge=1, le=65_536)] = 1_024

    def __post_init__(self) -> None:
        parts = self.file.replace("\\", "/").split("/")
        if self.file.startswith(("/", "~")) or ".." in parts or "\0" in self.file:
            raise ValueError(f"trace.file: {self.file!r} leaves the workspace")
        if parts[-1] in {"", "."}:
            raise ValueError(f"trace.file: {self.file!r} names a folder")


class WriterBreakerPolicy(Policy, frozen=True, kw_only=True):
    failure_threshold: Annotated[int, Meta(ge=1, le=100)] = 3
    reset_after_ms: Annotated[int, Meta(ge=1_000, le=86_400_000)] = 300_000


class GraphWriterPolicy(Policy, frozen=True, kw_only=True):
    mode: Literal["off", "dry-run", "shadow", "write"] = "off"
    session_allowlist: tuple[str, ...] = ()
    max_entities_per_turn: Annotated[int, Meta(ge=0, le=100)] = 12
    max_edges_per_turn: Annotated[int, Meta(ge=0, le=100)] = 16
    max_episodes_per_turn: Annotated[int, Meta(ge=0, le=10)] = 1
    circuit_breaker: WriterBreakerPolicy = WriterBreakerPolicy()


class GraphMemoryPolicy(Policy, frozen=True, kw_only=True):
    """The ``[graph_memory]`` table. Read is off: a graph route falls back to vector."""

    enabled: bool = False
    writer: GraphWriterPolicy = field(default_factory=GraphWriterPolicy)
