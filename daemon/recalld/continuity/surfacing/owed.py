"""What sessions are still to be told, in memory: a prompt must not ask the store. Pure.

Everything is known by workspace and session; nothing of one workspace is told in another.
"""

from collections import OrderedDict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import accumulate, takewhile

from recalld.continuity.model import ChildResult
from recalld.continuity.surfacing.results import label, line_of
from recalld.text.estimate import estimate_tokens

# Sessions of which it is remembered that they ended, or were told after a compaction.
REMEMBERED = 4_096
# A parent that did not come for its results this long does not come any more.
FORSAKEN_AFTER = timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class Who:
    """One session in one workspace."""

    root: str
    key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """What one answer tells. ``children`` with the session that each was left to."""

    who: Who
    snapshot: bool = False
    children: tuple[tuple[Who, ChildResult], ...] = ()

    @property
    def results(self) -> tuple[ChildResult, ...]:
        return tuple(child for _, child in self.children)


class _Few:
    """The last so many of something."""

    def __init__(self) -> None:
        self._known: OrderedDict[Who, None] = OrderedDict()

    def add(self, who: Who) -> None:
        self._known[who] = None
        self._known.move_to_end(who)
        if len(self._known) > REMEMBERED:
            self._known.popitem(last=False)

    def discard(self, who: Who) -> None:
        self._known.pop(who, None)

    def __contains__(self, who: Who) -> bool:
        return who in self._known


class Owed:
    """Snapshots owed after a compaction, and results of sub-agents that nobody was told yet."""

    def __init__(self) -> None:
        self._snapshots = _Few()
        self._children: dict[Who, dict[str, ChildResult]] = {}
        self._labels: dict[str, set[str]] = {}
        self._ended = _Few()
        self._told = _Few()
        # Until the store has been read: what is known better than it says. None for a snapshot.
        self._newer: set[tuple[Who, str | None]] | None = set()

    def owes(self, who: Who) -> bool:
        """Whether the session's next prompt is to be told something it did not ask for."""
        return who in self._snapshots or bool(self._children.get(who))

    def snapshot(self, who: Who) -> None:
        self._know(who, None)
        self._snapshots.add(who)

    def no_snapshot(self, who: Who) -> bool:
        """Owe none any more; whether one was owed."""
        self._know(who, None)
        owed = who in self._snapshots
        self._snapshots.discard(who)
        return owed

    def compaction_told(self, who: Who) -> None:
        """The session was told when it began anew after a compaction."""
        self._told.add(who)

    def goes_on(self, who: Who) -> None:
        """The session speaks: it has not ended, and the next compaction is another one."""
        self._told.discard(who)
        self._ended.discard(who)

    def was_told(self, who: Who) -> bool:
        return who in self._told

    def ended(self, who: Who) -> None:
        self._ended.add(who)

    def child(self, parent: Who, child: ChildResult) -> bool:
        """The latest result of a child counts. False where an older one is forgotten for it."""
        self._know(parent, child.child)
        self._children.setdefault(parent, {})[child.child] = child
        self._labels.setdefault(parent.root, set()).add(label(child.child))
        if self.total <= REMEMBERED:
            return True
        waiting = (
            (each.at, who, name)
            for who, left in self._children.items()
            for name, each in left.items()
        )
        _, who, name = min(waiting, key=lambda each: each[0])
        self.surfaced(who, name)
        return False

    def labels(self, root: str) -> frozenset[str]:
        """Sub-agents of which it is known here whether their results wait."""
        return frozenset(self._labels.get(root, ()))

    def keep_labels(self, root: str, labels: Collection[str]) -> None:
        """Forget the others: nothing of theirs stands in the file, and nothing waits."""
        waiting = {label(child.child) for _, child in self.waiting(root)}
        self._labels[root] = self._labels.get(root, set()) & {*labels, *waiting}

    @property
    def total(self) -> int:
        """How many results wait, for anybody."""
        return sum(map(len, self._children.values()))

    def count(self, parent: Who) -> int:
        return len(self._children.get(parent, {}))

    def own(self, parent: Who) -> tuple[ChildResult, ...]:
        """What waits for this parent, as it came."""
        return tuple(self._children.get(parent, {}).values())

    def waits(self, parent: Who, child: str) -> bool:
        return child in self._children.get(parent, {})

    def surfaced(self, parent: Who, child: str) -> None:
        waiting = self._children.get(parent, {})
        waiting.pop(child, None)
        if not waiting:
            self._children.pop(parent, None)

    def waiting(self, root: str) -> tuple[tuple[Who, ChildResult], ...]:
        """Everything that waits in the workspace, oldest first, then by child."""
        found = [
            (parent, child)
            for parent, children in self._children.items()
            if parent.root == root
            for child in children.values()
        ]
        return tuple(sorted(found, key=lambda each: (each[1].at, each[1].child)))

    def claim(self, who: Who, *, now: datetime, room_tokens: int) -> Claim:
        """Take what is to be told to the session; nobody else gets it until it is given back.

        Beside its own results those whose parent has ended, or did not come for a day. The
        oldest first, as many as there is room for and one at least; the others wait on.
        """
        waiting = [
            (parent, child)
            for parent, child in self.waiting(who.root)
            if parent == who or parent in self._ended or now - child.at >= FORSAKEN_AFTER
        ]
        costs = accumulate(estimate_tokens(line_of(child)) for _, child in waiting)
        fitting = sum(1 for _ in takewhile(lambda cost: cost <= room_tokens, costs))
        children = tuple(waiting[: max(1, fitting)])
        for parent, child in children:
            self.surfaced(parent, child.child)
        return Claim(who=who, snapshot=self.no_snapshot(who), children=children)

    def give_back(self, claim: Claim) -> None:
        """It was not told after all. What came meanwhile is newer and stays."""
        if claim.snapshot:
            self._snapshots.add(claim.who)
        for parent, child in claim.children:
            self._children.setdefault(parent, {}).setdefault(child.child, child)

    def load(self, snapshots: Iterable[Who], children: Iterable[tuple[Who, ChildResult]]) -> None:
        """What the store kept; what was noted or told since the start is newer. Once."""
        newer, self._newer = self._newer or set(), None
        for who in snapshots:
            if (who, None) not in newer:
                self._snapshots.add(who)
        for parent, child in children:
            if (parent, child.child) not in newer:
                self.child(parent, child)

    def _know(self, who: Who, child: str | None) -> None:
        if self._newer is not None:
            self._newer.add((who, child))
