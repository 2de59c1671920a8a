"""Names in another spelling: ``human-gate`` is also ``human gate``. Pure."""

import re

from recalld.recall.model import Depth, Route

_SEPARATORS = re.compile(r"(?<=[^\W_])[-_/]+(?=[^\W_])")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def plan(query: str) -> str | None:
    """The query with ``-``, ``_``, ``/`` and inner capitals of names made blanks.

    >>> plan("human-gate rules"), plan("readWhen"), plan("plain words")
    ('human gate rules', 'read When', None)
    """
    spelled = _CAMEL.sub(" ", _SEPARATORS.sub(" ", query))
    return None if spelled == query else spelled


ROUTE = Route(
    name="det:alias",
    depths=frozenset({Depth.BALANCED, Depth.DEEP}),
    plan=plan,
    weight=lambda _: 1.0,
)
