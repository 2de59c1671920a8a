"""What a memory is about, as words, and how much each of them says. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import log

from recalld.heartbeat.everyday import is_everyday
from recalld.text.stopwords import is_stopword
from recalld.text.tokens import stem, surface_tokens

# Memories are short; what comes later in a long one would share a word with anything.
MAX_CHARS = 600
MAX_WORDS = 32

# A store is taken as if it held so many memories more, with every word in so large a share of
# them: in a small store, the word that a matter is named by is in a third of all memories.
SUPPOSED_MEMORIES = 100
SUPPOSED_SHARE = 0.01


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """``tokens``: stems that two texts may share, identifiers whole and in parts. ``words``: the
    same as written, in their order, without numbers and whole identifiers; 32 at most."""

    tokens: frozenset[str]
    words: tuple[str, ...]


@lru_cache(maxsize=1 << 12)
def subject(text: str) -> Subject:
    """Without everyday words; of a text that has no others, with them. Empty for no words."""
    found = [token for token in surface_tokens(text[:MAX_CHARS]) if not is_stopword(token)]
    telling = [token for token in found if not is_everyday(token)] or found
    words = (token for token in telling if "_" not in token and not token.isdecimal())
    return Subject(
        tokens=frozenset(stem(token) for token in telling if _may_be_shared(token)),
        words=tuple(dict.fromkeys(words))[:MAX_WORDS],
    )


def _may_be_shared(token: str) -> bool:
    # A whole identifier counts beside its parts only where those are numbers: a version.
    return "_" not in token or any(character.isdecimal() for character in token)


@dataclass(frozen=True, slots=True, kw_only=True)
class Frequencies:
    """In how many of ``count`` memories of the owner a token stands."""

    count: int
    memories: Mapping[str, int]

    @classmethod
    def of(cls, contents: Iterable[str]) -> "Frequencies":
        """Of the texts of a store, or of some thousand of them: more say nothing new."""
        count, found = 0, dict[str, int]()
        for content in contents:
            count += 1
            for token in subject(content).tokens:
                found[token] = found.get(token, 0) + 1
        return cls(count=count, memories=found)

    def rarity(self, token: str) -> float:
        """How much a token says: from 0 for one that is in every memory to 1."""
        held = self.memories.get(token, 0) + SUPPOSED_MEMORIES * SUPPOSED_SHARE
        share = min(1.0, held / (self.count + SUPPOSED_MEMORIES))
        return min(1.0, log(share) / log(SUPPOSED_SHARE))
