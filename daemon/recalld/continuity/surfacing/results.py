"""Results of sub-agents as lines of a checkpoint's last section. Pure.

A result that waits for its user stands in the file too, so that it is seen where no daemon
runs. One line a sub-agent; every other line of the section is somebody's own and stays.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

from recalld.continuity.model import Checkpoint, ChildResult
from recalld.text.clean import strip_own_blocks
from recalld.text.quote import shortened
from recalld.text.redact import redact

# The snapshot shows no more of it; the whole text is kept with the event.
MAX_RESULT_CHARS = 2_000
MAX_LINE_CHARS = 300
MAX_NAME_CHARS = 80
# The file is to be read in a quarter of a minute.
MAX_LINES = 8
NO_WORDS = "left no words"


@dataclass(frozen=True, slots=True, kw_only=True)
class Lines:
    """The sub-agents whose results wait, and those ``known``: their lines go unless they wait.

    A line of any other stays: nobody knows that it was told.
    """

    waiting: Sequence[ChildResult] = ()
    known: Collection[str] = ()

    def put(self, checkpoint: Checkpoint) -> Checkpoint:
        """With a line for each that waits, the first few, behind what else stands there."""
        own = self.without(checkpoint.unsurfaced_results)
        lines = [line_of(child) for child in self.waiting[:MAX_LINES]]
        more = len(self.waiting) - len(lines)
        lines += [f"- sub-agents: {more} more wait"] if more else []
        text = "\n".join([*([own] if own else []), *lines])
        return replace(checkpoint, unsurfaced_results=text)

    def without(self, text: str) -> str:
        """The section without the lines of sub-agents that are known."""
        ours = {*self.known, *(label(child.child) for child in self.waiting)}
        kept = (line for line in text.split("\n") if not _MORE.fullmatch(line))
        return "\n".join(line for line in kept if _name(line) not in ours).strip()

    def told_by_hand(self, text: str, written: Collection[str]) -> tuple[ChildResult, ...]:
        """Those whose line was ``written`` and stands there no more: somebody has told them."""
        there = labels_in(text)
        return tuple(
            child
            for child in self.waiting
            if label(child.child) in written and label(child.child) not in there
        )


_MORE = re.compile(r"- sub-agents: \d+ more wait")
_LINE = re.compile(r"- sub-agent (?P<name>\S+) \([a-z]+\): ")


def cleaned(result: str) -> str:
    """The words a sub-agent left, without blocks of ours and secrets, cut to what is shown."""
    return shortened(redact(strip_own_blocks(result)).text.strip(), MAX_RESULT_CHARS)


def label(child: str) -> str:
    """How a sub-agent's key stands in its line: without blanks, long ones cut and told apart."""
    name = "_".join(child.split())
    if name == child and len(name) <= MAX_NAME_CHARS:
        return name
    return f"{name[:MAX_NAME_CHARS]}~{sha256(child.encode('utf-8', 'replace')).hexdigest()[:8]}"


def line_of(child: ChildResult) -> str:
    said = " ".join(child.result.split()) or NO_WORDS
    return f"- sub-agent {label(child.child)} ({child.outcome}): {shortened(said, MAX_LINE_CHARS)}"


def labels_in(text: str) -> frozenset[str]:
    """The sub-agents that have a line in the section."""
    return frozenset(filter(None, map(_name, text.split("\n"))))


def _name(line: str) -> str | None:
    found = _LINE.match(line)
    return None if found is None else found["name"]
