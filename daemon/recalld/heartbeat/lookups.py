"""The searches that checks will ask for, so that they can be done together. Pure."""

from recalld.heartbeat.gaps import questions
from recalld.heartbeat.goals import plans
from recalld.heartbeat.model import Nearest, Snapshot
from recalld.heartbeat.silence import looked_at
from recalld.memories.model import Memory, Similar


def asked(snapshot: Snapshot) -> tuple[Memory, ...]:
    """The memories whose nearest the checks look at, each once: 40 at most."""
    lasts = [memory for _, memory in looked_at(snapshot)]
    every = [*plans(snapshot), *questions(snapshot), *lasts]
    return tuple({memory.id: memory for memory in every}.values())


def once(nearest: Nearest) -> Nearest:
    """The same search, done once for each memory: several checks ask for the same ones."""
    answers: dict[str, tuple[Similar, ...]] = {}

    def remembered(memory: Memory) -> tuple[Similar, ...]:
        if memory.id not in answers:
            answers[memory.id] = nearest(memory)
        return answers[memory.id]

    return remembered
