"""Which searches a daemon has, by the engines it has."""

from collections.abc import Mapping
from dataclasses import dataclass

from recalld.coefficients import own_coefficients
from recalld.counters import Counters
from recalld.embed.port import Embedder, SparseEmbedder
from recalld.search.flow import IndexSearcher
from recalld.search.model import Searcher
from recalld.search.policy import SearchPolicy
from recalld.search.preferred.flow import PreferredSearcher, Stores, sides_of
from recalld.store.bridge import Database
from recalld.store.index_read import IndexReader
from recalld.store.sparse import SparseStore
from recalld.store.vectors import VectorStore


@dataclass(frozen=True, slots=True, kw_only=True)
class Searchers:
    """``default`` is the search by the default engine, which always can answer.

    ``preferred`` answers by the better engine whenever that can; None: there is none.
    """

    default: IndexSearcher
    preferred: PreferredSearcher | None = None

    @property
    def best(self) -> IndexSearcher | PreferredSearcher:
        """The one that answers."""
        return self.preferred or self.default

    @property
    def best_side(self) -> IndexSearcher:
        """The search by the best engine alone, which nobody stands in for."""
        return self.default if self.preferred is None else self.preferred.sides.preferred

    @property
    def sparse(self) -> Searcher | None:
        """Searches by learned weights; None: no engine gives any."""
        return None if self.preferred is None else self.preferred.by_weights

    def use_own(self, environ: Mapping[str, str], counters: Counters) -> None:
        """Judge by the user's own coefficients where there are any; see ``own_coefficients``."""
        for side in dict.fromkeys((self.default, self.best_side)):
            own = own_coefficients(side.identity, environ, counters)
            if own is not None:
                side.use(own)


def searchers_of(
    database: Database,
    *,
    default: Embedder,
    preferred: SparseEmbedder | None,
    environ: Mapping[str, str],
    counters: Counters,
) -> Searchers:
    """Search over an index, judged by the user's own coefficients where they have any."""
    found = shipped_searchers(database, default=default, preferred=preferred, counters=counters)
    found.use_own(environ, counters)
    return found


def shipped_searchers(
    database: Database,
    *,
    default: Embedder,
    preferred: SparseEmbedder | None,
    counters: Counters,
    policy: SearchPolicy | None = None,
) -> Searchers:
    """The same, judged as it is shipped."""
    reads, vectors = IndexReader(database), VectorStore(database)
    if preferred is None:
        return Searchers(
            default=IndexSearcher(
                reads, vectors, embedder=default, counters=counters, policy=policy
            )
        )
    sides = sides_of(
        Stores(reads=reads, vectors=vectors, weights=SparseStore(database)),
        default=default,
        preferred=preferred,
        counters=counters,
        policy=policy,
    )
    both = PreferredSearcher(sides, counters=counters, policy=policy)
    return Searchers(default=sides.default, preferred=both)
