"""Questions without an answer. Pure."""

from collections.abc import Iterator
from itertools import islice

from recalld.heartbeat import cron
from recalld.heartbeat.finding import is_sure, near
from recalld.heartbeat.model import Snapshot
from recalld.heartbeat.questions import asked_words, is_question
from recalld.heartbeat.roster import LIVE
from recalld.memories.model import Memory
from recalld.text.tokens import lexical_tokens

LIKENESS = 0.6
# An encoder finds an answer less like its question than a report like its plan: from here on half
# of the question's words are enough.
LIKENESS_WITH_WORDS = 0.4
WORDS = 0.5
# Among so many of the newest memories questions are looked for, and for so many of them an
# answer: each costs a search.
RECENT = 100
MAX_LOOKED_AT = 10


def questions(snapshot: Snapshot) -> list[Memory]:
    """The newest questions, newest first; a reminder that asks is none."""
    newest = (one for one in reversed(snapshot.said) if one.state in LIVE)
    asking = (
        one
        for one in islice(newest, RECENT)
        if is_sure(one) and is_question(one.content) and not cron.has_schedule(one)
    )
    return list(islice(asking, MAX_LOOKED_AT))


def open_questions(snapshot: Snapshot) -> list[Memory]:
    """Those that no other memory is like, newest first.

    A question is no answer to another; asked more than once, the newest stands for all.
    """
    found: dict[str, Memory] = {}
    for memory in questions(snapshot):
        alike = list(_alike(snapshot, memory))
        if all(is_question(one.content) for one in alike) and not any(
            one.id in found for one in alike
        ):
            found[memory.id] = memory
    return list(found.values())


def _alike(snapshot: Snapshot, memory: Memory) -> Iterator[Memory]:
    words = asked_words(memory.content)
    for other, likeness in near(snapshot, memory, LIKENESS_WITH_WORDS):
        if likeness >= LIKENESS or _shares(words, other.content):
            yield other


def _shares(words: frozenset[str], text: str) -> bool:
    said = words.intersection(lexical_tokens(text))
    return bool(words) and len(said) >= WORDS * len(words)
