"""Chunks as columns of arrays, in any order. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np
from numpy.typing import NDArray

from recalld.search.model import ChunkRow
from recalld.search.ragged import Ragged
from recalld.text.asking import asking_share

HASH_BYTES = 16
HASH = np.dtype(f"S{HASH_BYTES}")

# Said by everyone everywhere: roles are no names.
ROLES = frozenset({"user", "assistant", "system", "user+assistant"})
ASSISTANT = "assistant"


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """Chunks in any order, before neighbours and window places are known."""

    id: NDArray[np.int64]
    file_id: NDArray[np.int64]
    ordinal: NDArray[np.int64]
    speaker: NDArray[np.object_]
    is_cjk: NDArray[np.bool_]
    assistant: NDArray[np.bool_]
    asking: NDArray[np.float32]
    day: NDArray[np.int32]
    passages: Ragged

    def take(self, order: NDArray[np.int64]) -> "Columns":
        return Columns(
            id=self.id[order],
            file_id=self.file_id[order],
            ordinal=self.ordinal[order],
            speaker=self.speaker[order],
            is_cjk=self.is_cjk[order],
            assistant=self.assistant[order],
            asking=self.asking[order],
            day=self.day[order],
            passages=self.passages.take(order),
        )

    def followed_by(self, other: "Columns") -> "Columns":
        return Columns(
            id=np.concatenate((self.id, other.id)),
            file_id=np.concatenate((self.file_id, other.file_id)),
            ordinal=np.concatenate((self.ordinal, other.ordinal)),
            speaker=np.concatenate((self.speaker, other.speaker)),
            is_cjk=np.concatenate((self.is_cjk, other.is_cjk)),
            assistant=np.concatenate((self.assistant, other.assistant)),
            asking=np.concatenate((self.asking, other.asking)),
            day=np.concatenate((self.day, other.day)),
            passages=self.passages.followed_by(other.passages),
        )


def columns_of(chunks: Sequence[ChunkRow]) -> Columns:
    return Columns(
        id=np.array([chunk.id for chunk in chunks], np.int64),
        file_id=np.array([chunk.file_id for chunk in chunks], np.int64),
        ordinal=np.array([chunk.ordinal for chunk in chunks], np.int64),
        speaker=np.array([_name(chunk.speaker) for chunk in chunks], np.object_),
        is_cjk=np.array([chunk.is_cjk for chunk in chunks], np.bool_),
        assistant=np.array([_is_assistant(chunk.speaker) for chunk in chunks], np.bool_),
        asking=np.array([asking_share(chunk.asking) for chunk in chunks], np.float32),
        day=np.array([_day(chunk.date) for chunk in chunks], np.int32),
        passages=Ragged.of([chunk.passages for chunk in chunks], HASH),
    )


def _name(speaker: str | None) -> str:
    return "" if speaker is None or speaker.lower() in ROLES else speaker


def _is_assistant(speaker: str | None) -> bool:
    return speaker is not None and speaker.lower() == ASSISTANT


def _day(day: str | None) -> int:
    """As an ordinal; 0 where only a month or a year is known, or nothing."""
    try:
        return date.fromisoformat((day or "")[:10]).toordinal()
    except ValueError:
        return 0
