"""Whole sessions of users and coding agents, with the checkpoint a person would want of each."""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
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
    """``want`` by the names of ``FIELDS``: what a person would want to read on resuming.

    ``after``: the same behind each turn, where the session says so; else empty.
    """

    name: str
    old: Checkpoint | None
    turns: Sequence[Turn]
    want: Mapping[str, Any]
    after: Sequence[Mapping[str, Any]] = ()


def sessions(name: str) -> list[Session]:
    """Those of one file, in order."""
    rows = tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8"))["session"]
    return [_session(row) for row in rows]


def at_once(session: Session) -> Checkpoint:
    """What all turns make of the old checkpoint together."""
    made = from_turns(session.old, session.turns)
    return made or session.old or Checkpoint()


def turn_by_turn(session: Session) -> Checkpoint:
    """What stands in the file when every turn was judged behind its answer, as a daemon does."""
    *_, last = stands(session)
    return last


def stands(session: Session) -> Iterator[Checkpoint]:
    """What stands in the file behind each turn, as ``turn_by_turn``."""
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
        yield file or Checkpoint()


def wrong(want: Mapping[str, Any], made: Checkpoint) -> dict[str, tuple[object, object]]:
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
    wanted: dict[str, object] = {
        name: [_bare(one) for one in value] if name == "decisions" else _bare(value)
        for name, value in want.items()
    }
    step = _bare(want["step"])
    if step and _bare(made.current_step).startswith(step):
        got["step"] = step
    return {name: (wanted[name], got[name]) for name in FIELDS if wanted[name] != got[name]}


def _session(row: Mapping[str, Any]) -> Session:
    """``want`` of a turn names what is to read from then on."""
    after: list[Mapping[str, Any]] = []
    for turn in row["turn"]:
        before = after[-1] if after else dict.fromkeys(FIELDS, "") | {"decisions": []}
        after.append({**before, **turn.get("want", {})})
    by_turn = any("want" in turn for turn in row["turn"])
    return Session(
        name=row["name"],
        old=_checkpoint(row["old"]) if "old" in row else None,
        turns=[_turn(turn, place) for place, turn in enumerate(row["turn"])],
        want=after[-1] if by_turn else row["want"],
        after=after if by_turn else (),
    )


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
