"""Which searches a daemon has, by the engines it has."""

from collections.abc import Mapping
from dataclasses import dataclass

from recalld.coefficients import own_coefficients
from recalld.counters import Counters
from recalld.embed.port import Embedder, SparseEmbedder
from recalld.search.flow import IndexSearcher
from recalld.search.model import Searcher
from recalld.search.preferred.flow import PreferredSearcher, Stores, sides_of
from recalld.store.bridge import Database
from recalld.store.index_read import IndexReader
from recalld.store.sparse import SparseStore
from recalld.store.vectors import VectorStore


@dataclass(frozen=True, slots=True, kw_only=True)
class Searchers:
    """``best`` answers; ``default`` is the search by the default engine, which always can.

    ``sparse`` searches by learned weights; None: no engine gives any.
    """

    best: IndexSearcher | PreferredSearcher
    default: IndexSearcher
    sparse: Searcher | None = None


def searchers_of(
    database: Database,
    *,
    default: Embedder,
    preferred: SparseEmbedder | None,
    environ: Mapping[str, str],
    counters: Counters,
) -> Searchers:
    """Search over an index, judged by the user's own coefficients where they have any."""
    reads, vectors = IndexReader(database), VectorStore(database)
    own = own_coefficients(str(default.identity), environ, counters)
    if preferred is None:
        alone = IndexSearcher(reads, vectors, embedder=default, counters=counters)
        if own is not None:
            alone.use(own)
        return Searchers(best=alone, default=alone)
    stores = Stores(reads=reads, vectors=vectors, weights=SparseStore(database))
    sides = sides_of(stores, default=default, preferred=preferred, counters=counters)
    if own is not None:
        sides.default.use(own)
    other = own_coefficients(str(preferred.identity), environ, counters)
    if other is not None:
        sides.preferred.use(other)
    both = PreferredSearcher(sides, counters=counters)
    return Searchers(best=both, default=sides.default, sparse=both.by_weights)
