"""The values that continuity is about: a checkpoint, a turn, what a guard rules. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class Origin(StrEnum):
    """Who wrote a checkpoint. ``HAND``: an agent or a person, in the file itself or by a call."""

    HAND = "hand"
    MACHINE = "machine"


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """The six fields of ``CURRENT_STATE.md``. Empty means ``None`` in the file.

    Text fields may hold several lines; ``key_decisions`` holds one bullet an item, without the
    dash. ``updated_at`` is None where the file does not say, or says no time. ``extra`` is what
    else the file holds, as it stands there: sections beyond the six, and words in front of them.
    It is kept through every rewrite and shown to nobody.
    """

    objective: str = ""
    current_step: str = ""
    key_decisions: tuple[str, ...] = ()
    next_action: str = ""
    blockers: str = ""
    unsurfaced_results: str = ""
    updated_at: datetime | None = None
    extra: str = ""

    @property
    def active(self) -> bool:
        """Whether there is work to go on with: the objective says something."""
        return bool(self.objective)


@dataclass(frozen=True, slots=True, kw_only=True)
class Parsed:
    """A file as it was read. ``missing`` and ``placeholders`` name sections as the file does.

    ``placeholders`` holds those whose text was scaffolding; ``template`` is whether the file is
    an unfilled template as a whole: at least one section is scaffolding and none says anything.
    """

    checkpoint: Checkpoint
    missing: tuple[str, ...] = ()
    placeholders: tuple[str, ...] = ()
    template: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One finished exchange, as ingested. ``success`` False: the run failed."""

    user: str
    assistant: str
    at: datetime
    success: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """Later lines report the work, or its next step, as done: at ``at``, in words ``said``."""

    at: datetime
    said: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """What the guard says of a new checkpoint: ``write`` it, or None and ``why`` not."""

    write: Checkpoint | None
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Recovered:
    """What a resuming agent is told, and the fields it was made of.

    ``checkpoint`` None: there is no file, or it holds no active work and nothing is told."""

    recovery: str | None
    checkpoint: Mapping[str, object] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChildResult:
    """What a sub-agent left behind, keyed by ``child``; kept until it is surfaced."""

    child: str
    outcome: str
    result: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """One kept checkpoint: ``name`` is what ``checkpoint.restore`` takes."""

    name: str
    at: datetime
    origin: Origin
    cold: bool
    checkpoint: Checkpoint


@dataclass(frozen=True, slots=True, kw_only=True)
class NewVersion:
    """A checkpoint to keep: the file's ``text`` and the ``sha`` of its bytes."""

    text: str
    sha: str
    origin: Origin
    at: datetime
    session_key: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptVersion(NewVersion):
    """A kept checkpoint; ``text`` without its secrets, so it may not have that ``sha``."""

    name: str


Turns = Sequence[Turn]
