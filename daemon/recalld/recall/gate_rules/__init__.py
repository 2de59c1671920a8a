"""The gate's patterns: families in the gate's order, one tier after the other.

Chinese rules read folded sentences, English ones lower-cased sentences, and ``CASED`` rules the
sentence as written.
"""

from dataclasses import dataclass

from recalld.recall.gate_rules import (
    chinese,
    chinese_own,
    chinese_team,
    english,
    english_own,
    english_team,
    names,
)
from recalld.recall.gate_rules.model import Rule


@dataclass(frozen=True, slots=True, kw_only=True)
class Tier:
    """Rules that are tried before those of the next tier."""

    chinese: tuple[Rule, ...]
    english: tuple[Rule, ...]
    cased: tuple[Rule, ...] = ()

    @property
    def rules(self) -> tuple[Rule, ...]:
        return (*self.chinese, *self.english, *self.cased)


# The order decides: what the message demands of the past, then what it leaves open.
DEMANDS = Tier(chinese=chinese.DEMANDS, english=english.DEMANDS)
PAST = Tier(
    chinese=(*chinese.MEMORIES, *chinese.HISTORIES, *chinese.AMBIGUOUSES),
    english=(*english.MEMORIES, *english.HISTORIES, *english.AMBIGUOUSES),
)
EXTENDED = Tier(
    chinese=(*chinese_own.EXTENDED, *chinese_team.EXTENDED),
    english=(*english_own.EXTENDED, *english_team.EXTENDED),
    cased=names.RULES,
)
ACTIONS = Tier(chinese=chinese.ACTIONS, english=english.ACTIONS)
OPENS = Tier(
    chinese=(*chinese_own.OPENS, *chinese_team.PROBES),
    english=(*english_own.OPENS, *english_team.PROBES),
    cased=names.PROBES,
)
TIERS = (DEMANDS, PAST, EXTENDED, ACTIONS, OPENS)
