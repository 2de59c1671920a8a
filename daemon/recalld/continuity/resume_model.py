"""What a rule for resuming is. Pure."""

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One way to say it, as a pattern for a whole clause or the start of one.

    ``among``: it is also heard in a message that says other things beside. ``alone`` False: it
    only explains why somebody asks, and asks for nothing.
    """

    name: str
    pattern: re.Pattern[str]
    among: bool = False
    alone: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """How clauses of one language are read.

    ``before`` and ``after`` are the small words around what is said; ``end`` is where a rule
    may end; ``material`` begins a clause that hands over a text or asks about one.
    """

    rules: tuple[Rule, ...]
    before: re.Pattern[str]
    after: re.Pattern[str]
    end: re.Pattern[str]
    material: re.Pattern[str]
