"""What continuity is built from, and the desks of its workspaces."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime

from recalld.continuity.disk import Workbench
from recalld.continuity.policy import ContinuityPolicy
from recalld.continuity.ports import Promises, TurnStore, Versions
from recalld.continuity.shape import Told
from recalld.continuity.writer import Desk
from recalld.counters import Counters


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """``roots`` and ``policy`` are asked anew each time: both may be configured meanwhile.

    ``is_no_user`` says of a session's key and a text whether a host is the author. ``bench``
    makes the disk of a workspace.
    """

    versions: Versions
    promises: Promises
    turns: TurnStore
    policy: Callable[[], ContinuityPolicy]
    roots: Callable[[], Collection[str]]
    is_no_user: Callable[[str, str], bool]
    now: Callable[[], datetime]
    counters: Counters
    tell: Callable[[Told], None] = lambda _: None
    bench: Callable[[str], Workbench] = Workbench


class Desks:
    """One desk a workspace, made when it is asked for."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._known: dict[str, Desk] = {}

    def of(self, root: str) -> Desk:
        if root not in self._known:
            bench, versions = self._world.bench(root), self._world.versions
            self._known[root] = Desk(bench, versions, counters=self._world.counters)
        return self._known[root]

    def problems(self) -> tuple[str, ...]:
        """What the files of configured workspaces last refused or failed to do."""
        roots = self._world.roots()
        return tuple(
            f"{problem} ({root})"
            for root, desk in self._known.items()
            if root in roots
            for problem in dict.fromkeys((desk.read_problem, desk.write_problem))
            if problem is not None
        )
