"""What a tree of msgspec tables accepts: its keys, its types in words, near misses. Pure."""

import difflib
import re
from collections.abc import Iterator, Mapping
from functools import cache

import msgspec
from msgspec import inspect

Table = inspect.StructType

_STEP = re.compile(r"\.?([^.\[\]]+)|\[(\d+)\]")


@cache
def table_of(model: type[msgspec.Struct]) -> Table:
    """The description of one table."""
    described = inspect.type_info(model)
    if not isinstance(described, Table):
        raise TypeError(f"{model.__name__} is not a table")
    return described


def leaves(model: type[msgspec.Struct]) -> Iterator[tuple[str, inspect.Field]]:
    """Every dotted key that is not itself a table, in the order of declaration."""
    yield from _leaves(table_of(model), "")


def _leaves(table: Table, prefix: str) -> Iterator[tuple[str, inspect.Field]]:
    for field in table.fields:
        key = prefix + field.encode_name
        if isinstance(field.type, Table):
            yield from _leaves(field.type, key + ".")
        else:
            yield key, field


def type_at(model: type[msgspec.Struct], path: str) -> inspect.Type | None:
    """The type of the place ``path`` (``recall.agents[0]``) names; None where there is none."""
    here: inspect.Type = table_of(model)
    for name, index in _STEP.findall(path):
        wanted = _items(here) if index else _member(here, name)
        if wanted is None:
            return None
        here = wanted
    return here


def _items(kind: inspect.Type) -> inspect.Type | None:
    return kind.item_type if isinstance(kind, inspect.VarTupleType) else None


def _member(kind: inspect.Type, name: str) -> inspect.Type | None:
    for table in _tables(kind):
        for field in table.fields:
            if field.encode_name == name:
                return field.type
    return None


def _tables(kind: inspect.Type) -> tuple[Table, ...]:
    if isinstance(kind, inspect.UnionType):
        return tuple(part for part in kind.types if isinstance(part, Table))
    return (kind,) if isinstance(kind, Table) else ()


def value_at(document: object, path: str) -> object:
    """What the document holds at ``path``; None where the path ends early."""
    for name, index in _STEP.findall(path):
        if index and isinstance(document, list) and int(index) < len(document):
            document = document[int(index)]
        elif isinstance(document, Mapping) and name in document:
            document = document[name]
        else:
            return None
    return document


def unknown_keys(model: type[msgspec.Struct], document: Mapping[str, object]) -> Iterator[str]:
    """Dotted keys of ``document`` that no table declares, in the order of the document."""
    yield from _unknown(table_of(model), document, "")


def _unknown(kind: inspect.Type, value: object, path: str) -> Iterator[str]:
    items = _items(kind)
    if items is not None and isinstance(value, list):
        for number, item in enumerate(value):
            yield from _unknown(items, item, f"{path}[{number}]")
    tables = _tables(kind)
    if tables and isinstance(value, Mapping):
        fields = {field.encode_name: field.type for field in tables[0].fields}
        for name, inner in value.items():
            key = f"{path}.{name}" if path else str(name)
            if name not in fields:
                yield key
            else:
                yield from _unknown(fields[name], inner, key)


def suggest(model: type[msgspec.Struct], key: str) -> str | None:
    """The known key most like ``key``: first among its sisters, then anywhere by last name."""
    parent, _, name = key.rpartition(".")
    home = type_at(model, parent) if parent else table_of(model)
    sisters = [f.encode_name for table in _tables(home) for f in table.fields] if home else []
    known = [dotted for dotted, _ in leaves(model)]
    for dotted in known:
        if dotted.replace(".", "_") == key:
            return dotted
    close = difflib.get_close_matches(name, sisters, n=1, cutoff=0.6)
    if close:
        return close[0]
    for dotted in known:
        if dotted.rpartition(".")[2] == name:
            return dotted
    return next(iter(difflib.get_close_matches(key, known, n=1, cutoff=0.75)), None)


def words(kind: inspect.Type) -> str:
    """The type as a person would say it: ``int from 500 to 60000``, ``one of 'a', 'b'``."""
    match kind:
        case inspect.UnionType():
            parts = (part for part in kind.types if not isinstance(part, inspect.NoneType))
            return " or ".join(words(part) for part in parts)
        case inspect.LiteralType():
            return "one of " + ", ".join(repr(value) for value in kind.values)
        case inspect.IntType() | inspect.FloatType():
            name = "int" if isinstance(kind, inspect.IntType) else "number"
            return name + _span(kind.ge, kind.le, "")
        case inspect.StrType():
            length = _span(kind.min_length, kind.max_length, " characters")
            return "text" + (f" matching {kind.pattern}" if kind.pattern else length)
        case inspect.VarTupleType():
            return f"list of {words(kind.item_type)}"
        case _:
            return "true or false" if isinstance(kind, inspect.BoolType) else "table"


def _span(low: float | None, high: float | None, unit: str) -> str:
    if low is None and high is None:
        return ""
    if high is None:
        return f" of at least {low:g}{unit}"
    if low is None:
        return f" of at most {high}{unit}"
    joined = f"{low} to {high}{unit}"
    return f" of {joined}" if unit else f" from {joined}"
