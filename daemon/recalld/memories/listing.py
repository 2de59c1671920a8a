"""Memories in order, by the page, and those that hold some words. Pure."""

from datetime import datetime
from heapq import nlargest

from recalld.errors import BadRequest
from recalld.memories.library import View, passes
from recalld.memories.model import Memory, Page, Wanted
from recalld.memories.overlap import Overlap
from recalld.memories.owners import may_see
from recalld.text.tokens import fold


def page(view: View, wanted: Wanted, *, limit: int, cursor: str | None) -> Page:
    """What the view's owner may see, newest first by ``created_at``, then by id.

    ``cursor`` is one that a page gave, else ``BadRequest``.
    """
    found = [
        memory
        for memory in tuple(view.memories.values())
        if may_see(view.viewer, memory) and passes(memory, wanted)
    ]
    if cursor is not None:
        place = _parsed(cursor)
        found = [memory for memory in found if _place(memory) < place]
    some = nlargest(limit, found, key=_place)
    more = len(found) > limit
    return Page(memories=tuple(some), cursor=_cursor(some[-1]) if more and some else None)


def matching(every: tuple[Memory, ...], owner: str, query: str) -> tuple[Memory, ...]:
    """The owner's memories that hold the query or all of its words, oldest first."""
    said = " ".join(fold(query).casefold().split())
    words = Overlap(query)
    found = [
        memory
        for memory in every
        if memory.owner == owner and (_holds(memory.content, said) or words.all_in(memory.content))
    ]
    return tuple(sorted(found, key=_place))


def _holds(content: str, said: str) -> bool:
    text = fold(content).casefold()
    return said in text or (" " in said and said in " ".join(text.split()))


def _place(memory: Memory) -> tuple[datetime, str]:
    return memory.created_at, memory.id


def _cursor(memory: Memory) -> str:
    """Holds its place also when that memory is gone."""
    return f"{memory.created_at.isoformat()}~{memory.id}"


def _parsed(cursor: str) -> tuple[datetime, str]:
    at, tilde, memory_id = cursor.partition("~")
    try:
        place = datetime.fromisoformat(at)
    except ValueError as error:
        raise BadRequest("params.cursor", "is none that a list gave") from error
    if not tilde or place.tzinfo is None:
        raise BadRequest("params.cursor", "is none that a list gave")
    return place, memory_id
