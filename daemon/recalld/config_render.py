"""A configuration, or part of one, as TOML. Pure."""

from collections.abc import Mapping

import msgspec
import tomlkit
from tomlkit.items import Table

from recalld.config_schema import leaves, value_at


def render(document: Mapping[str, object], model: type[msgspec.Struct], *, comment: str) -> str:
    """The keys that ``document`` sets, in the order ``model`` declares them."""
    out = tomlkit.document()
    out.add(tomlkit.comment(comment))
    for key, _ in leaves(model):
        value = _plain(value_at(document, key))
        if value is None:
            continue
        *parents, last = key.split(".")
        here: tomlkit.TOMLDocument | Table = out
        for name in parents:
            if name not in here:
                here.add(name, tomlkit.table())
            inner = here[name]
            if not isinstance(inner, Table):
                raise TypeError(f"{name} is a table by construction")
            here = inner
        here.add(last, tomlkit.item(value))
    return tomlkit.dumps(out)


def _plain(value: object) -> object:
    """Tuples as lists, tables without their unset keys: what TOML can say."""
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, Mapping):
        return {name: _plain(inner) for name, inner in value.items() if inner is not None}
    return value
