"""The plugin's settings become ours, or are refused with the key as the plugin spells it."""

import json
import tomllib
from pathlib import Path

import pytest

from recalld.config import Config
from recalld.config_decode import convert
from recalld.config_import import import_plugin
from recalld.config_schema import value_at
from recalld.errors import BadConfig

# Every row of the plugin's table: its key, a value that is not the default, our key.
TABLE = [
    ("enabled", False, "recall.enabled"),
    ("agents", ["main", "ops"], "recall.agents"),
    ("skipSystemEvents", False, "recall.skip_system_events"),
    ("trigger.mode", "always", "recall.trigger.mode"),
    ("trigger.explicitPrefixes", ["/r"], "recall.trigger.explicit_prefixes"),
    ("trigger.suppressPrefixes", ["/n"], "recall.trigger.suppress_prefixes"),
    ("trigger.additionalKeywords", ["虾"], "recall.trigger.additional_keywords"),
    ("profile", "deep", "recall.profile"),
    ("injectTokenBudget", 900, "recall.inject_token_budget"),
    ("maxTotalMs", 4000, "recall.max_total_ms"),
    ("searchTimeoutMs", 1500, "recall.search_timeout_ms"),
    ("minScore", 0.5, "recall.min_score"),
    ("topK", 4, "recall.top_k"),
    ("snippetChars", 300, "recall.snippet_chars"),
    ("expansion.endpoint", "http://127.0.0.1:8080/v1", "recall.expansion.endpoint"),
    ("expansion.apiKeyEnv", "OTHER_KEY", "recall.expansion.api_key_env"),
    ("expansion.model", "other", "recall.expansion.model"),
    ("expansion.timeoutMs", 2000, "recall.expansion.timeout_ms"),
    ("expansion.minRemainingBudgetMs", 2600, "recall.expansion.min_remaining_budget_ms"),
    ("expansion.maxOutputTokens", 900, "recall.expansion.max_output_tokens"),
    ("expansion.responseFormat", "json_schema", "recall.expansion.response_format"),
    ("expansion.thinkingMode", "omit", "recall.expansion.thinking_mode"),
    ("expansion.associations.maxBalanced", 0, "recall.expansion.associations.max_balanced"),
    ("expansion.associations.maxDeep", 2, "recall.expansion.associations.max_deep"),
    ("semanticGate.enabled", True, "recall.semantic_gate.enabled"),
    ("semanticGate.model", "m", "recall.semantic_gate.model"),
    ("semanticGate.timeoutMs", 1700, "recall.semantic_gate.timeout_ms"),
    ("semanticGate.maxOutputTokens", 150, "recall.semantic_gate.max_output_tokens"),
    ("strongSignal.enabled", False, "recall.strong_signal.enabled"),
    ("strongSignal.minScore", 0.8, "recall.strong_signal.min_score"),
    ("strongSignal.gap", 0.1, "recall.strong_signal.gap"),
    ("strongSignal.sources.memory.minScore", 0.9, "recall.strong_signal.sources.memory.min_score"),
    ("strongSignal.sources.documents.gap", 0.2, "recall.strong_signal.sources.documents.gap"),
    ("strongSignal.sources.wiki.gap", 0.3, "recall.strong_signal.sources.wiki.gap"),
    ("strongSignal.sources.sessions.gap", 0.1, "recall.strong_signal.sources.sessions.gap"),
    ("strongSignal.sources.default.gap", 0.4, "recall.strong_signal.sources.default.gap"),
    ("qualityGate.highRawScore", 0.7, "recall.quality_gate.high_raw_score"),
    ("qualityGate.mediumRawScore", 0.6, "recall.quality_gate.medium_raw_score"),
    ("qualityGate.minRouteHits", 3, "recall.quality_gate.min_route_hits"),
    ("qualityGate.minBestRawScore", 0.66, "recall.quality_gate.min_best_raw_score"),
    ("rrf.k", 60, "recall.rrf.k"),
    ("rrf.originalWeight", 1.5, "recall.rrf.original_weight"),
    ("rrf.rawScoreBlend", 0.4, "recall.rrf.raw_score_blend"),
    ("preferSources.memory", 1.1, "recall.prefer_sources.memory"),
    ("preferSources.wiki", 1.2, "recall.prefer_sources.wiki"),
    ("preferSources.sessions", 0.9, "recall.prefer_sources.sessions"),
    ("trace.enabled", False, "trace.enabled"),
    ("trace.file", "memory/t.jsonl", "trace.file"),
    ("graphMemory.enabled", True, "graph_memory.enabled"),
    ("graphMemory.writer.mode", "dry-run", "graph_memory.writer.mode"),
    ("graphMemory.writer.sessionAllowlist", ["*"], "graph_memory.writer.session_allowlist"),
    ("graphMemory.writer.maxEntitiesPerTurn", 6, "graph_memory.writer.max_entities_per_turn"),
    ("graphMemory.writer.maxEdgesPerTurn", 8, "graph_memory.writer.max_edges_per_turn"),
    ("graphMemory.writer.maxEpisodesPerTurn", 0, "graph_memory.writer.max_episodes_per_turn"),
    (
        "graphMemory.writer.circuitBreaker.failureThreshold",
        5,
        "graph_memory.writer.circuit_breaker.failure_threshold",
    ),
    (
        "graphMemory.writer.circuitBreaker.resetAfterMs",
        60_000,
        "graph_memory.writer.circuit_breaker.reset_after_ms",
    ),
]


def nested(key: str, value: object) -> dict[str, object]:
    for name in reversed(key.split(".")):
        value = {name: value}
    assert isinstance(value, dict)
    return value


@pytest.mark.parametrize(("key", "value", "ours"), TABLE)
def test_every_key_of_the_plugin_arrives_under_its_new_name(key: str, value: object, ours: str):
    document = tomllib.loads(import_plugin(json.dumps(nested(key, value))).toml)
    assert value_at(document, ours) == value
    assert convert(document, Config) != Config()


def test_the_settings_are_found_inside_the_hosts_file_with_comments_and_trailing_commas():
    text = """{
      // the host's own things
      "gateway": {"url": "http://x/y"}, /* more */
      "plugins": {"allow": ["active-recall"], "entries": {"active-recall": {
        "enabled": true, "hooks": {"allowConversationAccess": true},
        "config": {"topK": 4.0, "profile": null, "agents": ["a//b", "c,]"],},
      }}},
    }"""
    done = import_plugin(text)
    assert tomllib.loads(done.toml) == {"recall": {"top_k": 4, "agents": ["a//b", "c,]"]}}
    assert any("hooks" in note for note in done.notes)


def test_a_disabled_entry_turns_recall_off():
    text = '{"plugins": {"entries": {"active-recall": {"enabled": false}}}}'
    assert tomllib.loads(import_plugin(text).toml) == {"recall": {"enabled": False}}


@pytest.mark.parametrize(
    ("text", "key", "problem"),
    [
        ('{"disableActiveMemoryHint": true}', "disableActiveMemoryHint", "remove it"),
        ('{"topk": 3}', "topk", "did you mean topK?"),
        ('{"top_k": 3}', "top_k", "did you mean topK?"),
        ('{"rrf": {"raw_score_blend": 1}}', "rrf.raw_score_blend", "rawScoreBlend"),
        ('{"strongSignal": {"minscore": 1}}', "strongSignal.minscore", "did you mean minScore?"),
        ('{"topK": 3, "topK": 4}', "openclaw.json", "given twice"),
        ('{"minScore": NaN}', "openclaw.json", "not a number"),
        ("[]", "openclaw.json", "expected an object"),
        ('{"plugins": {"entries": {}}}', "plugins.entries.active-recall", "not there"),
        ("[" * 100_000, "openclaw.json", "not valid JSON"),
    ],
)
def test_what_the_plugin_never_read_is_refused_by_its_own_name(text: str, key: str, problem: str):
    with pytest.raises(BadConfig) as caught:
        import_plugin(text)
    assert caught.value.key.split(" ")[0] == key
    assert problem in caught.value.problem


def test_every_hostile_settings_document_is_refused_and_names_the_key(eval_data: Path):
    named = {
        "bad-a-043": "openclaw.json",
        "bad-a-044": "maxTotalMs",
        "bad-a-045": "maxTotalMs",
        "bad-a-046": "expansion.endpoint",
        "bad-a-047": "expansion.endpoint",
        "bad-a-048": "trace.file",
        "bad-a-049": "trigger.explicitPrefixes[0]",
        "bad-a-050": "topK",
    }
    rows = (eval_data / "bad-inputs.jsonl").read_text(encoding="utf-8").split("\n")
    seen = {}
    for row in (json.loads(line) for line in rows if line):
        if row["kind"] == "config":
            with pytest.raises(BadConfig) as caught:
                import_plugin(row["text"])
            seen[row["id"]] = caught.value.key.split(" ")[0]
    assert seen == named
