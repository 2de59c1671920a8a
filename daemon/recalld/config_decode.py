"""From bytes and environment to a checked tree; every complaint names the key. Pure."""

import copy
import difflib
import json
import re
import tomllib
from collections.abc import Mapping
from typing import TypeVar

import msgspec
from msgspec import inspect

from recalld.config_schema import suggest, table_of, type_at, unknown_keys, value_at, words
from recalld.errors import BadConfig

M = TypeVar("M", bound=msgspec.Struct)

PREFIX = "RECALLD_"
# These name places, not keys of the tree; the last one is read by tests and benches alone.
PLACES = frozenset({"RECALLD_SOCKET", "RECALLD_CONFIG", "RECALLD_STATE_DIR", "RECALLD_EVAL_DATA"})

_AT = re.compile(r"^(?P<problem>.*?)(?: - at `\$\.?(?P<path>[^`]*)`)?$", re.DOTALL)
_OWN_KEY = re.compile(r"^(?P<key>[a-z_]+(?:\.[a-z_]+)*): (?P<problem>.*)$", re.DOTALL)
_MISSING = re.compile(r"^Object missing required field `([^`]+)`")
_SHOWN_CHARS = 80
MAX_FAULTS = 100


def parse(data: bytes, *, name: str) -> dict[str, object]:
    """The TOML document in ``data``; a UTF-8 byte order mark is ignored, empty is valid.

    Raises ``BadConfig`` with ``name`` as the key.
    """
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise BadConfig(name, "the file is UTF-16; save it as UTF-8")
    try:
        return tomllib.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise BadConfig(name, f"not UTF-8 at byte {error.start}") from error
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        line = 1 + data.rstrip().count(b"\n")
        problem = str(error).replace("(at end of document)", f"(at the end, line {line})")
        raise BadConfig(name, f"not valid TOML: {problem}") from error


def convert(document: Mapping[str, object], model: type[M]) -> M:
    """The tree, defaults filled in. Strict: no text where a number belongs.

    Raises ``BadConfig`` naming the dotted key: unknown ones first, with a near miss.
    """
    for key in unknown_keys(model, document):
        raise _unknown(key, model)
    try:
        return msgspec.convert(_over_defaults(document, model), model, strict=True)
    except msgspec.ValidationError as error:
        raise _named(str(error), document, model) from error


def faults_of(document: Mapping[str, object], model: type[M]) -> tuple[BadConfig, ...]:
    """Every complaint of ``convert``, each after what it complained about before is left out.

    A list with a wrong item counts once, and so does a table whose keys contradict each other.
    """
    left = copy.deepcopy(dict(document))
    found = []
    for key in tuple(unknown_keys(model, document)):
        found.append(_unknown(key, model))
        _leave_out(left, key)
    while len(found) < MAX_FAULTS:
        try:
            convert(left, model)
        except BadConfig as error:
            found.append(error)
            if not _leave_out(left, error.key):
                break
        else:
            break
    return tuple(found)


def _unknown(key: str, model: type[msgspec.Struct]) -> BadConfig:
    near = suggest(model, key)
    return BadConfig(key, "unknown key" + (f", did you mean {near}?" if near else ""))


def _leave_out(document: dict[str, object], key: str) -> bool:
    """Take out the place ``key`` names, or the innermost one above it that is there."""
    path = key
    while path:
        parent, _, name = path.rpartition(".")
        home = value_at(document, parent) if parent else document
        if isinstance(home, dict) and name in home:
            del home[name]
            return True
        # An item of a list cannot go alone: the others would change their numbers.
        path = path[: path.rindex("[")] if name.endswith("]") else parent
    return False


def _over_defaults(document: Mapping[str, object], model: type[M]) -> Mapping[str, object]:
    """Each table laid over its own default: one key of it set leaves the others as shipped."""
    return _laid(msgspec.to_builtins(model()), document)


def _laid(under: Mapping[str, object], over: Mapping[str, object]) -> dict[str, object]:
    laid: dict[str, object] = {name: value for name, value in under.items() if value is not None}
    for name, value in over.items():
        below = under.get(name)
        if isinstance(value, Mapping) and isinstance(below, Mapping):
            laid[name] = _laid(below, value)
        else:
            laid[name] = value
    return laid


def _named(message: str, document: Mapping[str, object], model: type[msgspec.Struct]) -> BadConfig:
    found = _AT.match(message)
    problem, path = (found["problem"], found["path"] or "") if found else (message, "")
    own = _OWN_KEY.match(problem)
    if own is not None:
        return BadConfig(_join(path, own["key"]), own["problem"])
    kind = type_at(model, path)
    missing = _MISSING.match(problem)
    if missing is not None:
        return BadConfig(_join(path, missing[1]), "missing; it has no default")
    if kind is None:
        return BadConfig(path or "configuration", problem[:1].lower() + problem[1:])
    return BadConfig(path, f"expected {words(kind)}, got {_shown(value_at(document, path))}")


def _join(table: str, key: str) -> str:
    """``recall.expansion`` and ``expansion.endpoint`` are ``recall.expansion.endpoint``."""
    outer, inner = table.split(".") if table else [], key.split(".")
    plain = [name.partition("[")[0] for name in outer]
    for shared in range(min(len(outer), len(inner)), 0, -1):
        if plain[-shared:] == inner[:shared]:
            return ".".join(outer + inner[shared:])
    return ".".join(outer + inner)


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    text = repr(value)
    return text if len(text) <= _SHOWN_CHARS else text[:_SHOWN_CHARS] + "…"


def from_environment(
    environ: Mapping[str, str], model: type[msgspec.Struct]
) -> tuple[dict[str, object], tuple[str, ...]]:
    """Dotted keys with their values, typed by the key's own type, and warnings.

    ``RECALLD_RECALL__MAX_TOTAL_MS=3000`` is ``recall.max_total_ms``. Lists and tables are
    written as TOML or JSON values. A name with ``__`` or a known first part that leads to no
    key raises ``BadConfig``; any other unknown name is a warning.
    """
    values: dict[str, object] = {}
    warnings: list[str] = []
    for name in sorted(environ):
        if not name.startswith(PREFIX) or name in PLACES:
            continue
        key = name.removeprefix(PREFIX).lower().replace("__", ".")
        kind = type_at(model, key)
        if kind is not None:
            values[key] = _typed(environ[name], kind)
        elif "." in key or key.split("_")[0] in _tables(model):
            near = suggest(model, key)
            hint = f", did you mean {near}?" if near else ""
            raise BadConfig(key, f"unknown key{hint} (from {name})")
        else:
            near = misspelt(name)
            hint = f", did you mean {near}?" if near else ""
            warnings.append(f"{name}: no setting has this name{hint}; ignored")
    return values, tuple(warnings)


def misspelt(name: str) -> str | None:
    """The variable of a place that ``name`` was probably meant to be; None for a known name."""
    if name in PLACES or not name.startswith(PREFIX):
        return None
    places = sorted(PLACES - {"RECALLD_EVAL_DATA"})
    return next(iter(difflib.get_close_matches(name, places, n=1, cutoff=0.85)), None)


def _tables(model: type[msgspec.Struct]) -> frozenset[str]:
    return frozenset(field.encode_name for field in table_of(model).fields)


def _typed(raw: str, kind: inspect.Type) -> object:
    parts = kind.types if isinstance(kind, inspect.UnionType) else (kind,)
    textual = all(
        isinstance(part, inspect.StrType | inspect.NoneType)
        or (isinstance(part, inspect.LiteralType) and all(isinstance(v, str) for v in part.values))
        for part in parts
    )
    if textual:
        return raw
    try:
        document = tomllib.loads(f"value = {raw}")
        if document.keys() == {"value"}:
            return document["value"]
    except (tomllib.TOMLDecodeError, RecursionError):
        pass
    try:
        return json.loads(raw)
    except (ValueError, RecursionError):
        return raw  # convert() says what was expected instead


def variable_of(key: str) -> str:
    """The environment variable that sets a dotted key."""
    return PREFIX + key.upper().replace(".", "__")


def put(document: dict[str, object], key: str, value: object) -> None:
    """Set a dotted key, making tables on the way. ``BadConfig`` where a table is none."""
    *parents, last = key.split(".")
    here = document
    for depth, name in enumerate(parents):
        inner = here.setdefault(name, {})
        if not isinstance(inner, dict):
            raise BadConfig(".".join(parents[: depth + 1]), f"expected table, got {_shown(inner)}")
        here = inner
    here[last] = value
