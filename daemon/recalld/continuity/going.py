"""Whether a user lets a step be done, and whether an answer says it is at its end: the words."""

import re
from dataclasses import dataclass, fields
from types import ModuleType

from recalld.continuity import going_en, going_zh
from recalld.text.language import has_cjk


@dataclass(frozen=True, slots=True, kw_only=True)
class Going:
    """The patterns of a language, for text as ``wording.plain`` makes it."""

    holds: re.Pattern[str]
    unfinished: re.Pattern[str]
    asks_state: re.Pattern[str]

    @classmethod
    def of(cls, module: ModuleType) -> "Going":
        patterns = {one.name: getattr(module, one.name.upper()) for one in fields(cls)}
        return cls(**{name: re.compile(way, re.IGNORECASE) for name, way in patterns.items()})


_ENGLISH = Going.of(going_en)
_CHINESE = Going.of(going_zh)


def going_of(text: str) -> Going:
    """By script alone, as ``told.words_of``."""
    return _CHINESE if has_cjk(text) else _ENGLISH
