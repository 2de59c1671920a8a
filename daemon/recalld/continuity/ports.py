"""What continuity asks of the store. Pure."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Protocol

from recalld.continuity.model import ChildResult, KeptVersion, NewVersion, Origin
from recalld.store.model import KeptTurn, TurnPlace


class Versions(Protocol):
    """Every method may raise ``Unavailable``."""

    async def add_version(self, workspace: str, version: NewVersion) -> str | None: ...

    async def drop_version(self, workspace: str, name: str) -> None: ...

    async def origin_of(self, workspace: str, sha: str) -> Origin: ...

    async def versions(self, workspace: str, *, limit: int) -> Sequence[KeptVersion]: ...

    async def version(self, workspace: str, name: str) -> KeptVersion:
        """Raise ``NotFound``."""


class Promises(Protocol):
    """Results of sub-agents and snapshots that are owed. May raise ``Unavailable``."""

    async def add_child(self, workspace: str, parent: str, child: ChildResult) -> bool: ...

    async def pending(self, workspace: str, parent: str) -> Sequence[ChildResult]: ...

    async def surface(
        self, workspace: str, parent: str, children: Iterable[str], *, at: datetime
    ) -> Sequence[str]: ...

    async def parents(self) -> frozenset[tuple[str, str]]: ...

    async def set_pending(self, workspace: str, session_key: str, *, at: datetime) -> None: ...

    async def clear_pending(self, workspace: str, session_key: str) -> None: ...

    async def load_pending(self) -> frozenset[tuple[str, str]]: ...


class TurnStore(Protocol):
    """May raise ``Unavailable``."""

    async def places(self, *, after_seq: int, limit: int) -> Sequence[TurnPlace]: ...

    async def turns(
        self, session_key: str, workspace: str, *, after_seq: int, limit: int
    ) -> Sequence[KeptTurn]: ...

    async def latest(self, workspace: str, *, limit: int) -> Sequence[KeptTurn]: ...

    async def progress(self) -> tuple[int, int]:
        """The turn up to which all are settled, and the last event there is."""

    async def set_done(self, seq: int) -> None: ...
