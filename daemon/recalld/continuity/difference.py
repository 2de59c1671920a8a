"""What changed between two checkpoints, in lines a person reads. Pure."""

from recalld.continuity.checkpoint import FIELDS
from recalld.continuity.model import Checkpoint
from recalld.text.quote import shortened

MAX_SIDE_CHARS = 120


def difference(old: Checkpoint, new: Checkpoint) -> list[str]:
    """One line a change in the order of the file, each opened by its section's name and a colon.

    ``Objective: A → B`` for texts, with None for an empty side, each side on one line and cut
    to 120 characters; ``Key Decisions: + C`` and ``Key Decisions: - D`` for what came and went,
    and ``Key Decisions: order`` where only their order differs. The time is no change, nor is
    what stands outside the six sections. Empty: the same.
    """
    lines: list[str] = []
    for name, key in FIELDS.items():
        before, after = getattr(old, key), getattr(new, key)
        if before == after:
            continue
        if isinstance(before, tuple):
            lines += [f"{name}: {change}" for change in _items(before, after)]
        else:
            lines.append(f"{name}: {_side(before)} → {_side(after)}")
    return lines


def _items(old: tuple[str, ...], new: tuple[str, ...]) -> list[str]:
    came = [f"+ {_side(one)}" for one in new if one not in old]
    went = [f"- {_side(one)}" for one in old if one not in new]
    return came + went or ["order"]


def _side(text: str) -> str:
    return shortened(" ".join(text.split()), MAX_SIDE_CHARS) or "None"
