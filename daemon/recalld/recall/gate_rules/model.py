"""What a rule of the gate is, and what it looks at."""

import re
from dataclasses import dataclass

from recalld.recall.model import RouteKind, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One named pattern. It fires in a sentence that ``when`` finds and ``unless`` does not.

    Patterns see folded text: simplified characters, straight quotes, ASCII ``?!,``.
    """

    name: str
    reason: str
    verdict: Verdict
    confidence: float
    when: re.Pattern[str]
    unless: re.Pattern[str] | None = None
    route: RouteKind | None = None

    def fires(self, sentence: str) -> bool:
        return self.when.search(sentence) is not None and not (
            self.unless is not None and self.unless.search(sentence) is not None
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """Rules with one reason, in one language, tried in order."""

    reason: str
    verdict: Verdict
    confidence: float

    def rule(
        self, name: str, when: str, unless: str | None = None, *, route: RouteKind | None = None
    ) -> Rule:
        return Rule(
            name=name,
            reason=self.reason,
            verdict=self.verdict,
            confidence=self.confidence,
            when=re.compile(when),
            unless=None if unless is None else re.compile(unless),
            route=route,
        )


DEMAND = Family(reason="user_specific_context", verdict=Verdict.YES, confidence=0.9)
MEMORY = Family(reason="memory_intent", verdict=Verdict.YES, confidence=0.98)
HISTORY = Family(reason="historical_reference", verdict=Verdict.YES, confidence=0.95)
AMBIGUOUS = Family(reason="ambiguous_reference", verdict=Verdict.YES, confidence=0.92)
ACTION = Family(reason="user_specific_context", verdict=Verdict.UNCERTAIN, confidence=0.6)
# The gate's own, behind ``gate.extended``.
PAST_ACT = Family(reason="past_act", verdict=Verdict.YES, confidence=0.85)
WHERE_WERE_WE = Family(reason="where_were_we", verdict=Verdict.YES, confidence=0.9)
PREFERENCE = Family(reason="preference", verdict=Verdict.YES, confidence=0.85)
OWN_FACT = Family(reason="own_fact", verdict=Verdict.YES, confidence=0.8)
STATE = Family(reason="named_state", verdict=Verdict.YES, confidence=0.75)
THIRD_PERSON = Family(reason="third_person", verdict=Verdict.YES, confidence=0.75)
OPEN = Family(reason="open_reference", verdict=Verdict.UNCERTAIN, confidence=0.55)
OPERATION = Family(reason="own_operation", verdict=Verdict.UNCERTAIN, confidence=0.5)
