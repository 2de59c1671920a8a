"""A candidate as the asker gets it. Pure."""

from datetime import UTC, datetime

from recalld.search.examined import Examined
from recalld.search.model import Found, Source
from recalld.search.passage import focus_of, window_cosines
from recalld.search.ranking import Ranked


def shown(examined: Examined, order: Ranked, i: int, *, both_legs: bool) -> Found:
    """Candidate ``i`` of ``examined``, judged and ordered."""
    detail = examined.details[i]
    return Found(
        uid=detail.uid,
        workspace_id=examined.corpus.workspace_id,
        path=detail.path,
        start_line=detail.start_line,
        end_line=detail.end_line,
        source=Source(detail.source),
        heading=detail.heading,
        text=detail.text,
        focus=_focus(examined, i),
        speaker=detail.speaker,
        date=detail.date,
        session=detail.session,
        modified_at=datetime.fromtimestamp(detail.mtime_ns / 1e9, UTC).isoformat(),
        raw_score=float(order.raw[i]),
        order_score=float(order.score[i]),
        both_legs=both_legs,
        replaced_on=order.replaced_on.get(i),
    )


def _focus(examined: Examined, i: int) -> tuple[int, int]:
    dense = examined.fusion.legs.dense
    cosines = None
    if dense is not None:
        at = int(examined.evidence.at[i])
        cosines = window_cosines(examined.corpus, dense.windows, at)
    tokens = examined.question.tokens
    return focus_of(examined.details[i], tokens, examined.evidence.rare, cosines)
