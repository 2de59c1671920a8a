"""Whether a chunk still stands in its file, and where. Pure: the file comes in as an argument.

The index is behind the disk by the watcher's quiet time. What would be injected is compared with
the file as it is now: a note that moved gets its new lines, one that is gone is not quoted.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from recalld.recall.model import Condition, FileNow
from recalld.search.model import Found, Source
from recalld.text.shingles import share_in, shingles

# So much text inside a line is a piece of one that was too long for a chunk; less is another note
# that happens to hold the words, "never use five" for "use five".
PIECE_CHARS = 1_000
# A transcript's line holds the turn among other things, with secrets and echoes still in it.
TURN_SHARE = 0.6


# The workspace's root and a hit to the hit's file now. Blocking.
Reread = Callable[[str, Found], FileNow]
# By a chunk's id, the chunk where it stands now; None: it stands nowhere any more.
Checked = Mapping[str, Found | None]


def check(found: Iterable[Found], *, root: str, reread: Reread) -> Checked:
    """Every chunk against its file."""
    return {chunk.uid: settled(chunk, reread(root, chunk)) for chunk in found}


def settled(chunk: Found, now: FileNow) -> Found | None:
    """The chunk with the lines where it stands now; None where its text is no longer there."""
    if now.condition is Condition.GONE:
        return None
    if now.condition is not Condition.CHANGED:
        return chunk
    if chunk.source is Source.SESSIONS:
        kept = share_in(shingles(chunk.text), shingles(now.text)) >= TURN_SHARE
        return chunk if kept else None
    return _resliced(chunk, now.text)


def _resliced(chunk: Found, text: str) -> Found | None:
    """At its old place if it is still there, else at the nearest one."""
    needle = chunk.text.strip("\n")
    if not needle:
        return None
    # A speaker's heading is in the range and not in the text.
    lead = chunk.end_line - chunk.start_line - needle.count("\n")
    best: Found | None = None
    for at in _occurrences(text, needle):
        start = text.count("\n", 0, at) + 1
        end = start + needle.count("\n")
        moved = replace(chunk, start_line=max(1, start - max(0, lead)), end_line=end)
        if best is None or _distance(moved, chunk) < _distance(best, chunk):
            best = moved
    return best


def _occurrences(text: str, needle: str) -> Iterable[int]:
    """Where ``needle`` stands as whole lines, or as a piece of one long line."""
    piece = "\n" not in needle and len(needle) >= PIECE_CHARS
    at = text.find(needle)
    while at >= 0:
        end = at + len(needle)
        bounded = (at == 0 or text[at - 1] == "\n") and (end == len(text) or text[end] == "\n")
        if bounded or piece:
            yield at
        at = text.find(needle, max(end, at + 1))


def _distance(one: Found, other: Found) -> int:
    return abs(one.end_line - other.end_line)
