"""Text that only repeats what was injected, so that memory does not feed itself. Pure.

Every injected snippet leaves the hashes of its short runs of words. A sentence that is made of
nothing else says what memory said first. One changed word makes it a statement of its own: to
lose a correction would be worse than to keep an echo.
"""

import re
from collections import Counter, deque
from collections.abc import Iterable, Iterator

from recalld.text.shingles import shingles, words

# Snippets remembered; the oldest are forgotten. About 40 runs each.
MAX_SNIPPETS = 4_096
# A shorter clause ("on Monday") is said by anybody at any time.
MIN_RUNS = 2
# What may stand around an echo in its sentence: "as noted", "yes".
MAX_WORDS_AROUND = 3

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？；])|\n+")
_CLAUSE_END = re.compile(r"[,:;()—–]\s+|[，：、（）]")

Fingerprint = tuple[int, ...]


class Echoes:
    """What was injected lately, as fingerprints that do not tell the text.

    Written by the loop and read by a worker's thread: single look-ups, so no lock.
    """

    def __init__(self) -> None:
        self._kept: deque[Fingerprint] = deque()
        self._counts: Counter[int] = Counter()

    def note(self, snippets: Iterable[str]) -> tuple[Fingerprint, ...]:
        """Remember what was injected; the fingerprints of what was not known yet."""
        fresh = []
        for snippet in snippets:
            runs = tuple(sorted(shingles(snippet)))
            if not all(run in self._counts for run in runs):
                fresh.append(runs)
                self.remember(runs)
        return tuple(fresh)

    def remember(self, runs: Fingerprint) -> None:
        self._kept.append(runs)
        self._counts.update(runs)
        while len(self._kept) > MAX_SNIPPETS:
            for run in self._kept.popleft():
                self._counts[run] -= 1
                if not self._counts[run]:
                    del self._counts[run]

    def without(self, text: str) -> str:
        """The text without sentences that are echoes; '' where nothing else was said."""
        if not self._counts:
            return text
        sentences = list(_pieces(text, _SENTENCE_END))
        kept = [sentence for sentence in sentences if not self._is_echo(sentence)]
        if len(kept) == len(sentences):
            return text
        rest = "".join(kept).strip()
        return rest if len(words(rest)) > MAX_WORDS_AROUND else ""

    def _is_echo(self, sentence: str) -> bool:
        around = echoes = 0
        for clause in _pieces(sentence, _CLAUSE_END):
            runs = shingles(clause)
            if len(runs) >= MIN_RUNS and all(run in self._counts for run in runs):
                echoes += 1
            else:
                around += len(words(clause))
        return echoes > 0 and around <= MAX_WORDS_AROUND


def _pieces(text: str, end: re.Pattern[str]) -> Iterator[str]:
    at = 0
    for match in end.finditer(text):
        yield text[at : match.end()]
        at = match.end()
    yield text[at:]
