"""The sparse route: one question against the learned weights of a workspace."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import TypeVar

import anyio
import anyio.to_thread

from recalld.counters import Counters
from recalld.embed.port import EmbedderState, Purpose, SparseEmbedder, SparseVector
from recalld.errors import Unavailable
from recalld.search.columns import HASH_BYTES
from recalld.search.corpus import Corpus
from recalld.search.matrix import Singles
from recalld.search.model import ChunkDetail, Found, IndexReads, Scope, Source
from recalld.search.preferred.engine import StoredWeights
from recalld.search.preferred.sparse import SparseCorpus, raw_scores
from recalld.search.score import best

T = TypeVar("T")

# Weights come in a few at a time while a workspace is embedded for the first time.
REBUILD_S = 30.0
SETTLE_S = 0.5


@dataclass(eq=False)
class _Kept:
    corpus: SparseCorpus
    blobs: dict[bytes, bytes]


class SparseSearch:
    """The inverted lists of all workspaces, built behind the vectors they came with.

    ``corpus_of`` gives the preferred engine's corpus of a workspace as it is now.

    Counted: ``search.sparse_built``, ``search.sparse_retries``, ``search.sparse_swept``.
    """

    def __init__(
        self,
        reads: IndexReads,
        weights: StoredWeights,
        *,
        engine: SparseEmbedder,
        corpus_of: Callable[[int], Corpus | None],
        counters: Counters,
    ) -> None:
        self._reads, self._weights, self._engine = reads, weights, engine
        self._corpus_of = corpus_of
        self._counters = counters
        self._kept: dict[int, _Kept] = {}
        self._limiter = anyio.CapacityLimiter(1)
        self._stale = anyio.Event()

    def touch(self) -> None:
        """Something was written: look soon."""
        self._stale.set()

    async def run(self) -> None:
        """Until cancelled: rebuild what has changed, soon after it has."""
        if self._engine.state is not EmbedderState.FAILED:  # else its identity is not known
            swept = await self._weights.sweep(str(self._engine.identity))
            self._counters.add("search.sparse_swept", swept)
        while True:
            with anyio.move_on_after(REBUILD_S):
                await self._stale.wait()
            self._stale = anyio.Event()
            await anyio.sleep(SETTLE_S)
            try:
                await self.rebuild()
            except Unavailable:
                self._counters.add("search.sparse_retries")

    def lists_of(self, corpus: Corpus) -> SparseCorpus | None:
        """Those of the workspace of ``corpus``, which may be newer; None: not built yet."""
        kept = self._kept.get(corpus.workspace_id)
        if kept is None or kept.corpus.corpus is not corpus:
            self.touch()
        return None if kept is None else kept.corpus

    def covered(self, corpus: Corpus) -> float:
        """The share of its windows whose weights are in the lists, as far as counts tell."""
        lists, windows = self.lists_of(corpus), len(corpus.filled)
        known = 0 if lists is None else lists.known
        return min(1.0, known / windows) if windows else 1.0

    async def rebuild(self) -> None:
        """Bring the lists of every workspace up to what is embedded now."""
        for key in await self._reads.workspaces():
            corpus = self._corpus_of(key)
            kept = self._kept.get(key)
            if corpus is None or (kept is not None and kept.corpus.corpus is corpus):
                continue
            blobs = await self._blobs(corpus, {} if kept is None else kept.blobs)
            lists = await self._in_thread(partial(SparseCorpus.of, corpus, blobs))
            self._kept[key] = _Kept(lists, blobs)
            self._counters.add("search.sparse_built")

    async def find(self, text: str, *, scope: Scope, limit: int) -> tuple[Found, ...]:
        """Best first, by the lists as they are. ``Unavailable`` as the engine raises it."""
        both = await self._engine.embed_both((text,), Purpose.QUERY)
        (question,) = both.sparse
        found: list[Found] = []
        for key in scope.workspace_ids:
            kept = self._kept.get(key)
            if kept is None or kept.corpus.corpus is not self._corpus_of(key):
                self.touch()
            if kept is not None:
                found += await self._in_place(kept.corpus, question, scope, limit)
        found.sort(key=lambda one: (-one.order_score, one.path, one.start_line))
        return tuple(found[:limit])

    async def _in_place(
        self, place: SparseCorpus, question: SparseVector, scope: Scope, limit: int
    ) -> list[Found]:
        corpus = place.corpus
        windows = await self._in_thread(partial(place.windows, question))
        chunks = place.chunks(windows)
        chunks[~corpus.allowed(scope.sources) | (chunks <= 0)] = float("-inf")
        at = best(chunks, limit).tolist()
        ids = corpus.columns.id[at].tolist() if at else []
        details = await self._reads.details(ids)
        raw = raw_scores(chunks[at], question).tolist() if at else []
        return [
            _found(
                details[key],
                corpus,
                windows[_windows_of(corpus, position)],
                score=(raw_score, order),
            )
            for key, position, raw_score, order in zip(
                ids, at, raw, chunks[at].tolist() if at else [], strict=True
            )
            if key in details
        ]

    async def _blobs(self, corpus: Corpus, known: dict[bytes, bytes]) -> dict[bytes, bytes]:
        # numpy drops the trailing zero bytes of what it hands out.
        hashes = {
            bytes(one).ljust(HASH_BYTES, b"\0")
            for one in set(corpus.passages.values[corpus.filled].tolist())
        }
        blobs = {key: blob for key, blob in known.items() if key in hashes}
        lacking = sorted(hashes - blobs.keys())
        return blobs | await self._weights.find(str(self._engine.identity), lacking)

    async def _in_thread(self, work: Callable[[], T]) -> T:
        return await anyio.to_thread.run_sync(work, abandon_on_cancel=True, limiter=self._limiter)


def _windows_of(corpus: Corpus, position: int) -> slice:
    start = corpus.passages.start
    return slice(int(start[position]), int(start[position + 1]))


def _found(
    detail: ChunkDetail, corpus: Corpus, windows: Singles, *, score: tuple[float, float]
) -> Found:
    """``windows`` are the scores of the chunk's windows; ``score``: raw and order."""
    whole = (0, len(detail.text))
    same = len(windows) == len(detail.windows) > 0
    return Found(
        uid=detail.uid,
        workspace_id=corpus.workspace_id,
        path=detail.path,
        start_line=detail.start_line,
        end_line=detail.end_line,
        source=Source(detail.source),
        heading=detail.heading,
        text=detail.text,
        focus=detail.windows[int(windows.argmax())] if same else whole,
        speaker=detail.speaker,
        date=detail.date,
        session=detail.session,
        modified_at=datetime.fromtimestamp(detail.mtime_ns / 1e9, UTC).isoformat(),
        raw_score=score[0],
        order_score=score[1],
        both_legs=False,
    )
