"""Whole sessions of users and coding agents, with the checkpoint a person would want of each."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import orjson

from recalld.continuity.extract import from_turns
from recalld.continuity.making import Heard, Old, ruling_of
from recalld.continuity.model import Checkpoint, Origin, Parsed, Turn
from recalld.continuity.surfacing.results import Lines
from recalld.store.model import KeptTurn

FOLDER = Path(__file__).parent.parent / "continuity" / "sessions"
FIELDS = ("objective", "step", "decisions", "next", "blockers")
AT = datetime(2026, 5, 4, 10, 0, tzinfo=UTC)
_ENDS = " .。!！?？:："


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """``want`` by the names of ``FIELDS``: what a person would want to read on resuming."""

    name: str
    old: Checkpoint | None
    turns: Sequence[Turn]
    want: Mapping[str, Any]


def sessions(name: str) -> list[Session]:
    """Those of one file, in order."""
    rows = tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8"))["session"]
    return [
        Session(
            name=row["name"],
            old=_checkpoint(row["old"]) if "old" in row else None,
            turns=[_turn(turn, place) for place, turn in enumerate(row["turn"])],
            want=row["want"],
        )
        for row in rows
    ]


def at_once(session: Session) -> Checkpoint:
    """What all turns make of the old checkpoint together."""
    made = from_turns(session.old, session.turns)
    return made or session.old or Checkpoint()


def turn_by_turn(session: Session) -> Checkpoint:
    """What stands in the file when every turn was judged behind its answer, as a daemon does."""
    file = session.old
    for place, turn in enumerate(session.turns):
        ruling = ruling_of(
            Old(
                parsed=None if file is None else Parsed(checkpoint=file),
                base=file,
                origin=Origin.MACHINE,
                modified_at=AT,
            ),
            Heard(kept=[_kept(turn, place)], is_no_user=lambda _key, _text: False),
            ignore=(),
            lines=Lines(),
            again=False,
        )
        file = file if ruling.write is None else ruling.write
    return file or Checkpoint()


def wrong(session: Session, made: Checkpoint) -> dict[str, tuple[object, object]]:
    """By field what is wanted and what was made, where they differ.

    Stops at the end count for nothing. A step may say more than is wanted, behind it.
    """
    got: dict[str, object] = {
        "objective": _bare(made.objective),
        "step": _bare(made.current_step),
        "decisions": [_bare(one) for one in made.key_decisions],
        "next": _bare(made.next_action),
        "blockers": _bare(made.blockers),
    }
    want: dict[str, object] = {
        name: [_bare(one) for one in value] if name == "decisions" else _bare(value)
        for name, value in session.want.items()
    }
    step = _bare(session.want["step"])
    if step and _bare(made.current_step).startswith(step):
        got["step"] = step
    return {name: (want[name], got[name]) for name in FIELDS if want[name] != got[name]}


def _bare(text: str) -> str:
    return text.strip().rstrip(_ENDS)


def _checkpoint(old: Mapping[str, Any]) -> Checkpoint:
    return Checkpoint(
        objective=old["objective"],
        current_step=old["step"],
        key_decisions=tuple(old["decisions"]),
        next_action=old["next"],
        blockers=old["blockers"],
        updated_at=AT - timedelta(hours=1),
    )


def _turn(turn: Mapping[str, Any], place: int) -> Turn:
    return Turn(
        user=turn["user"],
        assistant=turn["assistant"],
        at=AT + timedelta(minutes=place),
        success=not turn.get("failed", False),
    )


def _kept(turn: Turn, place: int) -> KeptTurn:
    said = {"user": turn.user, "assistant": turn.assistant, "success": turn.success}
    return KeptTurn(
        seq=place + 1,
        session_key="agent:main:main",
        at=turn.at,
        received_at=turn.at,
        payload=orjson.dumps(said),
    )
