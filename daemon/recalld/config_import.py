"""The Active Recall plugin's settings, as JSON, turned into a configuration of ours. Pure."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

from recalld.config import Config, settle
from recalld.config_decode import convert
from recalld.config_render import render
from recalld.config_schema import suggest, unknown_keys, value_at
from recalld.errors import BadConfig

PLUGIN = "active-recall"

# Declared by the plugin and never read by it.
_RETIRED = {
    "disableActiveMemoryHint": "the plugin never read it and internal sessions are always skipped; "
    "remove it",
}
# What only the plugin's host understands, beside the settings themselves.
_HOST_KEYS = frozenset({"enabled", "config", "hooks"})
_OWN_TABLES = {"trace": "trace", "graphMemory": "graph_memory"}
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_JSON_EXTRAS = re.compile(
    r'(?P<text>"(?:[^"\\]|\\.)*")|//[^\n]*|/\*.*?\*/|,(?=(?:\s|//[^\n]*|/\*.*?\*/)*[}\]])',
    re.DOTALL,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """TOML text that is a valid configuration, and what the reader should know about it."""

    toml: str
    notes: tuple[str, ...]


def import_plugin(text: str, *, name: str = "openclaw.json") -> Imported:
    """Convert a whole ``openclaw.json`` or the plugin's bare settings object.

    Only the keys that are set come out. Raises ``BadConfig`` naming the file, as ``name``, and
    the key as the plugin spells it: unknown, of the wrong type, out of range, or unsafe.
    """
    try:
        return _converted(_parse(text, name))
    except BadConfig as error:
        raise BadConfig(error.key, error.problem, file=name) from error


def _converted(found: Mapping[str, object]) -> Imported:
    settings, notes = _settings(found)
    document: dict[str, object] = {}
    for name, value in settings.items():
        _refuse_unknown(name)
        if value is None:
            continue
        own = _OWN_TABLES.get(name)
        target = document if own else _recall_of(document)
        target[own or _snake(name)] = _renamed(value, name)
    for key in unknown_keys(Config, document):
        near = suggest(Config, key)
        hint = f", did you mean {_camel(near)}?" if near else ""
        raise BadConfig(_plugin_key(key), f"unknown key{hint}")
    try:
        config = convert(document, Config)
    except BadConfig as error:
        raise BadConfig(f"{_plugin_key(error.key)} ({error.key})", error.problem) from error
    toml = render(document, Config, comment="Converted from the Active Recall plugin's settings.")
    return Imported(toml=toml, notes=(*notes, *settle(config)[1]))


def _recall_of(document: dict[str, object]) -> dict[str, object]:
    table = document.setdefault("recall", {})
    if not isinstance(table, dict):
        raise TypeError("recall is always a table here")
    return table


def _parse(text: str, file: str) -> Mapping[str, object]:
    try:
        found = _loads(text)
    except ValueError:
        # The host's file may hold comments and trailing commas.
        plain = _JSON_EXTRAS.sub(lambda match: match["text"] or "", text)
        try:
            found = _loads(plain)
        except ValueError as error:
            raise BadConfig(file, f"not valid JSON: {error}") from error
    if not isinstance(found, dict):
        raise BadConfig(file, "expected an object of settings")
    return found


def _loads(text: str) -> object:
    try:
        return json.loads(text, object_pairs_hook=_once, parse_constant=_no_constant)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    seen: dict[str, object] = {}
    for name, value in pairs:
        if name in seen:
            raise ValueError(f"{name!r} is given twice")
        seen[name] = value
    return seen


def _no_constant(name: str) -> object:
    raise ValueError(f"{name} is not a number")


def _settings(found: Mapping[str, object]) -> tuple[Mapping[str, object], tuple[str, ...]]:
    """The plugin's own settings, wherever in the file they lie."""
    if "plugins" not in found:
        return found, ()
    entry = value_at(found, f"plugins.entries.{PLUGIN}")
    if not isinstance(entry, dict):
        raise BadConfig(f"plugins.entries.{PLUGIN}", "is not there; nothing to convert")
    settings = entry.get("config", {})
    if not isinstance(settings, dict):
        raise BadConfig(f"plugins.entries.{PLUGIN}.config", "expected an object of settings")
    notes = [
        f"plugins.entries.{PLUGIN}.{name}: the host's own setting; left out"
        for name in entry
        if name not in {"enabled", "config"}
    ]
    for name in entry:
        if name not in _HOST_KEYS:
            raise BadConfig(f"plugins.entries.{PLUGIN}.{name}", "unknown key")
    if entry.get("enabled") is False:
        settings = {**settings, "enabled": False}
        notes.append(f"plugins.entries.{PLUGIN}.enabled is false: recall is off")
    return settings, tuple(notes)


def _refuse_unknown(name: str) -> None:
    if name in _RETIRED:
        raise BadConfig(name, f"unknown key: {_RETIRED[name]}")
    if "_" in name:
        raise BadConfig(name, f"unknown key, did you mean {_camel(name)}?")


def _renamed(value: object, path: str) -> object:
    """snake_case keys all the way down; null is unset; 3.0 is the integer it means."""
    if isinstance(value, dict):
        for name in value:
            if "_" in name:
                raise BadConfig(f"{path}.{name}", f"unknown key, did you mean {_camel(name)}?")
        return {
            _snake(name): _renamed(inner, f"{path}.{name}")
            for name, inner in value.items()
            if inner is not None
        }
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def _snake(name: str) -> str:
    return _HUMP.sub("_", name).lower()


def _camel(key: str) -> str:
    head, *rest = key.removeprefix("recall.").split("_")
    return head + "".join(word[:1].upper() + word[1:] for word in rest)


def _plugin_key(key: str) -> str:
    table, _, rest = key.partition(".")
    return _camel(rest if table == "recall" else key)
