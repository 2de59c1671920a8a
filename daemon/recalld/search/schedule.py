"""Keeps every workspace's corpus current: rows at once, vectors and vocabulary behind them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

import anyio
import anyio.to_thread

from recalld.counters import Counters
from recalld.embed.port import Embedder, EmbedderState
from recalld.errors import Unavailable
from recalld.search.corpus import Corpus, Filling, empty_corpus, refreshed, unread_files
from recalld.search.model import ChunkRow, IndexReads, StoredVectors
from recalld.search.policy import SearchPolicy
from recalld.search.vocabulary import (
    Lexicon,
    Vocabulary,
    choose_words,
    vocabulary_of,
    word_key,
)
from recalld.search.writer import VectorWriter, passages_of, words_of_vocabulary
from recalld.slices import slices

T = TypeVar("T")

FILES_AT_ONCE = 400
HASHES_AT_ONCE = 4_000
# Tokenising these takes a quarter of a second, in which other threads get their turns.
CHUNKS_AT_ONCE = 1_000
# Who waits for the corpus looks up this often.
LOOK_S = 1.0


@dataclass(eq=False)
class Kept:
    """One workspace. ``wanted`` counts its changes; the others say how far we are.

    ``corpus`` None: never read. ``refused``: texts and words that the engine cannot embed.
    """

    workspace_id: int
    corpus: Corpus | None = None
    vocabulary: Vocabulary | None = None
    words: tuple[str, ...] = ()
    lexicon: Lexicon = field(default_factory=lambda: Lexicon.of({}))
    wanted: int = 1
    read: int = 0
    embedded: int = 0
    refused: set[bytes] = field(default_factory=set)
    lock: anyio.Lock = field(default_factory=anyio.Lock)

    @property
    def stale(self) -> bool:
        return self.read < self.wanted

    def pending(self) -> list[bytes]:
        """What is to be embedded, in a fixed order."""
        if self.corpus is None:
            return []
        return [key for key in self.corpus.missing() if key not in self.refused]


class CorpusKeeper:
    """The corpora of all workspaces, and the two loops that keep them.

    Counted: ``search.refreshed``, ``search.swept``, ``search.keeper_retries``.
    """

    def __init__(
        self,
        reads: IndexReads,
        vectors: StoredVectors,
        *,
        embedder: Embedder,
        counters: Counters,
        policy: SearchPolicy,
    ) -> None:
        self._reads = reads
        self._vectors = vectors
        self._embedder = embedder
        self._counters = counters
        self._policy = policy
        self._kept: dict[int, Kept] = {}
        self._limiter = anyio.CapacityLimiter(2)
        self._changed = anyio.Event()
        self._progress = anyio.Event()
        self._swept_at = -policy.sweep_s
        writer = partial(VectorWriter, vectors, embedder=embedder, counters=counters)
        self._passages = writer(kind=passages_of(embedder))
        self._words = writer(kind=words_of_vocabulary(embedder))

    @property
    def identity(self) -> str:
        return str(self._embedder.identity)

    def notify(self, workspace_id: int) -> None:
        """The index of this workspace was written."""
        self.kept(workspace_id).wanted += 1
        self._wake()

    def kept(self, workspace_id: int) -> Kept:
        if workspace_id not in self._kept:
            self._kept[workspace_id] = Kept(workspace_id=workspace_id)
        return self._kept[workspace_id]

    async def run(self) -> None:
        """Until cancelled. Reads the workspaces that are in the index already first."""
        for workspace_id in await self._reads.workspaces():
            self.kept(workspace_id)
        async with anyio.create_task_group() as loops:
            loops.start_soon(self._read_forever)
            loops.start_soon(self._embed_forever)

    async def caught_up(self, workspace_id: int) -> str | None:
        """Return when everything written before the call is read and embedded, or why it is not.

        ``run`` must be running. With no engine reading is enough; one that reports a problem is
        not waited for, nor one that embeds nothing for ``stall_s``.
        """
        kept = self.kept(workspace_id)
        wanted = kept.wanted
        self._wake()
        done, moved_at = -1, anyio.current_time()
        while kept.read < wanted or kept.embedded < wanted:
            reading = kept.read < wanted
            if done != (done := self._counters.get("search.embedded")) or reading:
                moved_at = anyio.current_time()
            why = None if reading else self._hopeless(moved_at)
            if why is not None:
                return why or None
            with anyio.move_on_after(LOOK_S):
                await self._progress.wait()
        return None

    def _hopeless(self, moved_at: float) -> str | None:
        """Why what is read will not be embedded; empty where no engine is wanted at all."""
        embedder = self._embedder
        if embedder.state is EmbedderState.OFF:
            return ""
        engine = embedder.identity.engine
        if embedder.problem:
            return f"{engine}: {embedder.problem}"
        if not self._can_embed():
            return f"{engine} is {embedder.state}"
        stall_s = self._policy.stall_s
        stands = anyio.current_time() - moved_at > stall_s
        return f"{engine} has embedded nothing for {stall_s:.0f} s" if stands else None

    async def refresh(self, kept: Kept) -> None:
        """Bring the rows of one workspace up to date; vectors it has already come with them."""
        async with kept.lock:
            if not kept.stale:
                return
            wanted = kept.wanted
            corpus = kept.corpus or empty_corpus(kept.workspace_id)
            files = await self._reads.files(kept.workspace_id)
            if not files and kept.workspace_id not in await self._reads.workspaces():
                self._forget(kept)
                return
            chunks: list[ChunkRow] = []
            for some in slices(unread_files(corpus, files), FILES_AT_ONCE):
                chunks += await self._reads.chunks(some)
            corpus = await self._in_thread(partial(refreshed, corpus, files, chunks))
            kept.corpus = await self._with_stored(corpus)
            kept.read = wanted
            kept.refused.clear()  # what broke once may be gone, or come back mended
            self._counters.add("search.refreshed")
        self._advance()
        self._wake()

    def _forget(self, kept: Kept) -> None:
        """The workspace is no longer in the index; whoever waits for it has waited enough."""
        self._kept.pop(kept.workspace_id, None)
        kept.corpus = empty_corpus(kept.workspace_id)
        kept.read = kept.embedded = kept.wanted
        self._advance()

    def _can_embed(self) -> bool:
        return self._embedder.state in (EmbedderState.READY, EmbedderState.LOADING)

    def _wake(self) -> None:
        self._changed.set()
        self._changed = anyio.Event()

    def _advance(self) -> None:
        self._progress.set()
        self._progress = anyio.Event()

    async def _read_forever(self) -> None:
        while True:
            changed = self._changed
            try:
                for kept in [one for one in self._kept.values() if one.stale]:
                    await self.refresh(kept)
            except Unavailable:
                self._counters.add("search.keeper_retries")
                await anyio.sleep(self._policy.retry_s)
                continue
            if not any(one.stale for one in self._kept.values()):
                await changed.wait()

    async def _embed_forever(self) -> None:
        """Ends when no engine will ever be ready."""
        try:
            await self._embedder.ready()
        except Unavailable:
            self._advance()
            return
        while True:
            changed = self._changed
            try:
                busy = [await self._embed_some(one) for one in tuple(self._kept.values())]
                if not any(busy):
                    await self._sweep()
            except Unavailable:
                self._counters.add("search.keeper_retries")
                await anyio.sleep(self._policy.retry_s)
                continue
            if not any(busy):
                await changed.wait()

    async def _embed_some(self, kept: Kept) -> bool:
        """Embed one round of what a workspace lacks; whether it did anything."""
        read = kept.read
        if kept.corpus is None or kept.embedded >= read:
            return False
        pending = kept.pending()
        if pending:
            await self._embed_round(kept, pending[: self._policy.embed_round])
            return True
        await self._embed_vocabulary(kept)
        kept.embedded = read
        self._advance()
        return True

    async def _embed_round(self, kept: Kept, hashes: Sequence[bytes]) -> None:
        texts = await self._vectors.texts(hashes)
        kept.refused.update(key for key in hashes if key not in texts)
        await self._passages.put(list(texts.items()), refused=kept.refused)
        async with kept.lock:
            if kept.corpus is not None:
                kept.corpus = await self._with_stored(kept.corpus)

    async def _embed_vocabulary(self, kept: Kept) -> None:
        if kept.corpus is None:
            return
        kept.lexicon = lexicon = await self._lexicon(kept.lexicon, kept.corpus)
        words = await self._in_thread(partial(choose_words, lexicon.words, self._policy))
        if kept.vocabulary is not None and words == kept.words:
            return
        named = {word_key(word): word for word in words}
        found = await self._vectors.find(self._words.identity, list(named))
        missing = [
            (key, word)
            for key, word in named.items()
            if key not in found and key not in kept.refused
        ]
        found |= await self._words.put(missing, refused=kept.refused)
        known = {word: found[key] for key, word in named.items() if key in found}
        kept.vocabulary = await self._in_thread(partial(vocabulary_of, known))
        kept.words = words

    async def _lexicon(self, lexicon: Lexicon, corpus: Corpus) -> Lexicon:
        """The words of the corpus; only chunks that are new to it are read."""
        ids = corpus.columns.id[corpus.findable]
        lexicon = await self._in_thread(partial(lexicon.only, ids))
        for some in slices(lexicon.lacks(ids), CHUNKS_AT_ONCE):
            texts = await self._reads.texts(some)
            more = await self._in_thread(partial(Lexicon.of, texts))
            lexicon = await self._in_thread(partial(lexicon.followed_by, more))
        return lexicon

    async def _with_stored(self, corpus: Corpus) -> Corpus:
        """``corpus`` with every vector that is stored for it."""
        if self._embedder.state is EmbedderState.OFF:
            return corpus
        dimension = self._embedder.identity.dimension
        missing = corpus.missing()
        if not missing and corpus.vectors.dimension == dimension:
            return corpus
        filling = await self._in_thread(partial(Filling, corpus, dimension))
        for some in slices(missing, HASHES_AT_ONCE):
            found = await self._vectors.find(self.identity, some)
            await self._in_thread(partial(filling.add, found))
        return filling.done()

    async def _sweep(self) -> None:
        """Delete what nothing refers to any more, once everything is embedded, then hourly."""
        if anyio.current_time() - self._swept_at < self._policy.sweep_s:
            return
        self._swept_at = anyio.current_time()
        swept = await self._vectors.sweep(self.identity, keep=(self._words.identity,))
        self._counters.add("search.swept", swept)

    async def _in_thread(self, work: Callable[[], T]) -> T:
        return await anyio.to_thread.run_sync(work, abandon_on_cancel=True, limiter=self._limiter)
