"""The user's own coefficients of the raw score: a file an engine in the configuration's folder."""

from collections.abc import Mapping
from pathlib import Path

import msgspec

from recalld.config import user_file
from recalld.counters import Counters
from recalld.search.relevance import Coefficients


def own_file(identity: str, environ: Mapping[str, str]) -> Path:
    """``recalld/coefficients/IDENTITY.json`` beside the user's ``config.toml``."""
    name = identity.replace("/", "_")
    return user_file(environ).parent / "coefficients" / f"{name}.json"


def own_coefficients(
    identity: str, environ: Mapping[str, str], counters: Counters
) -> Coefficients | None:
    """The user's, where there are any that fit this very engine; else the shipped ones count.

    Counted: ``search.own_coefficients``, and ``search.own_coefficients_refused`` for a file that
    cannot be read, is of other features or of another engine.
    """
    try:
        raw = own_file(identity, environ).read_bytes()
    except FileNotFoundError:
        return None
    except OSError:
        counters.add("search.own_coefficients_refused")
        return None
    try:
        found = msgspec.json.decode(raw, type=Coefficients)
    except msgspec.MsgspecError:
        counters.add("search.own_coefficients_refused")
        return None
    if found.identity != identity:
        counters.add("search.own_coefficients_refused")
        return None
    counters.add("search.own_coefficients")
    return found


def encoded(coefficients: Coefficients) -> bytes:
    """The file's content: JSON that people can read."""
    return msgspec.json.format(msgspec.json.encode(coefficients), indent=1) + b"\n"
