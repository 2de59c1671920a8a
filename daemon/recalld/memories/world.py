"""What typed memories work with."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from recalld.counters import Counters
from recalld.embed.port import Embedder
from recalld.memories.ports import MemoryStore, OwnWords, TagProblem


def nobody(owner: str, content: str) -> bool:
    """No text is a heartbeat's."""
    del owner, content
    return False


def any_tag(tag: str) -> str | None:
    """Nothing is wrong with it."""
    del tag
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """``new_id`` gives ids that sort by time. ``tag_problem``: what is wrong with a tag.

    Counted: ``memories.added``, ``.duplicate``, ``.repeated_event``, ``.resolved``,
    ``.refused_tag``, ``.own_words``, ``.forgotten``, ``.purged``, ``.became_STATE``,
    ``.embedded_later``, ``.not_embedded`` (texts that break the engine), ``.searched_by_words``,
    ``.not_in_time``.
    """

    store: MemoryStore
    embedder: Embedder
    now: Callable[[], datetime]
    new_id: Callable[[], str]
    counters: Counters
    own_words: OwnWords = nobody
    tag_problem: TagProblem = any_tag
