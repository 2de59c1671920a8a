"""Turns to what the index writes about them. Pure."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from recalld.index.chunking import split_text
from recalld.index.lexical import NEIGHBOUR_TOKENS
from recalld.index.model import Chunk, ChunkRecord, Lexical, Passage
from recalld.index.prepare import text_hash
from recalld.index.transcripts.model import Turn
from recalld.text.dates import date_tokens
from recalld.text.language import is_cjk
from recalld.text.passages import passages
from recalld.text.tokens import lexical_tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class Records:
    """``chunks`` in order; ``firsts`` counts, for each turn, the chunks before it.

    ``first_own`` are the tokens that follow whatever stands before them.
    """

    chunks: tuple[ChunkRecord, ...]
    firsts: tuple[int, ...]
    first_own: str | None


def records_of(
    turns: Sequence[Turn], *, session: str, prev_own: str, max_chunk_chars: int
) -> Records:
    """A chunk a turn, a longer turn in pieces; its neighbours count a little.

    ``prev_own`` are the tokens of the chunk before the first.
    """
    chunks: list[tuple[Chunk, str]] = []
    firsts: list[int] = []
    for turn in turns:
        firsts.append(len(chunks))
        for at, piece in enumerate(split_text(turn.speech.text, max_chunk_chars)):
            uid = hashlib.blake2b(b"%b%d" % (turn.identity, at), digest_size=12).hexdigest()
            chunks.append((_chunk(turn, piece, session=session, continues=at > 0), uid))
    own = [lexical_tokens(chunk.text) for chunk, _ in chunks]
    before = [prev_own.split(), *own]
    rows = tuple(
        _record(chunk, uid, own=own[at], prev=before[at], following=own[at + 1 : at + 2])
        for at, (chunk, uid) in enumerate(chunks)
    )
    return Records(
        chunks=rows,
        firsts=tuple(firsts),
        first_own=" ".join(own[0][:NEIGHBOUR_TOKENS]) if own else None,
    )


def _chunk(turn: Turn, text: str, *, session: str, continues: bool) -> Chunk:
    speech = turn.speech
    when = "" if speech.at is None else f" · {speech.at[:16].replace('T', ' ')}"
    return Chunk(
        heading=f"{session} · {speech.role}{when}",
        text=text,
        start_line=turn.start_line,
        end_line=turn.end_line,
        speaker=speech.role,
        date=speech.at,
        continues=continues,
    )


def _record(
    chunk: Chunk, uid: str, *, own: list[str], prev: list[str], following: list[list[str]]
) -> ChunkRecord:
    after = following[0] if following else []
    return ChunkRecord(
        uid=uid,
        chunk=chunk,
        is_cjk=is_cjk(chunk.text),
        lexical=Lexical(
            own=" ".join(own),
            prev=" ".join(prev[-NEIGHBOUR_TOKENS:]),
            next=" ".join(after[:NEIGHBOUR_TOKENS]),
            head=" ".join([] if chunk.date is None else date_tokens(chunk.date[:10])),
        ),
        passages=tuple(
            Passage(start_char=start, end_char=end, text_hash=text_hash(chunk.text[start:end]))
            for start, end in passages(chunk.text)
        ),
    )
