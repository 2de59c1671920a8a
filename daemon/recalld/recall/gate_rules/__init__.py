"""The gate's patterns: families in the gate's order, one table for each way to match.

``LOWER`` rules see lower-cased text, ``CASED`` rules the text as written. Chinese has no case
and is among the first.
"""

from recalld.recall.gate_rules import chinese, chinese_own, english, english_own, names
from recalld.recall.gate_rules.model import Rule

# The order decides: what the message demands of the past, then what it leaves open.
DEMANDS: tuple[Rule, ...] = (*chinese.DEMANDS, *english.DEMANDS)
PAST: tuple[Rule, ...] = (
    *chinese.MEMORIES,
    *english.MEMORIES,
    *chinese.HISTORIES,
    *english.HISTORIES,
    *chinese.AMBIGUOUSES,
    *english.AMBIGUOUSES,
)
EXTENDED: tuple[Rule, ...] = (*chinese_own.EXTENDED, *english_own.EXTENDED)
CASED: tuple[Rule, ...] = names.RULES
ACTIONS: tuple[Rule, ...] = (*chinese.ACTIONS, *english.ACTIONS)
OPENS: tuple[Rule, ...] = (*chinese_own.OPENS, *english_own.OPENS)
ALL: tuple[Rule, ...] = (*DEMANDS, *PAST, *EXTENDED, *CASED, *ACTIONS, *OPENS)
