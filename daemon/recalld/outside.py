"""What the daemon may ask beyond its own index: a language model, and a command of the user's."""

from collections.abc import Callable, Sequence
from random import Random

from recalld.config import Settings
from recalld.counters import Counters
from recalld.fallback.answers import Context
from recalld.fallback.flow import FallbackSearcher, Surroundings
from recalld.index.model import Workspace
from recalld.index.source import sources_of
from recalld.llm.client import LlmClient
from recalld.llm.limiter import Limiter
from recalld.search.model import Searcher


def language_model(settings: Settings, counters: Counters) -> LlmClient:
    """The one client of every feature: what one is told to wait for, all wait for."""
    jitter = Random().random  # noqa: S311  (spreads retries; secret from nobody)
    return LlmClient(environ=settings.environ, limiter=Limiter(jitter=jitter), counters=counters)


def with_fallback(
    index: Searcher,
    settings: Settings,
    counters: Counters,
    *,
    workspaces: Callable[[], Sequence[Workspace]],
) -> FallbackSearcher:
    """The index with ``search.fallback_command`` behind it, which never sees the model's key."""

    def context_of(workspace_id: int) -> Context | None:
        known = next((found for found in workspaces() if found.id == workspace_id), None)
        if known is None:
            return None
        sources = sources_of(known)
        return Context(workspace_id=known.id, root=known.root, source_of=sources.of)

    return FallbackSearcher(
        index,
        policy=lambda: settings.current.search,
        surroundings=Surroundings(
            environ=settings.environ,
            withheld=lambda: (settings.current.recall.expansion.api_key_env,),
            context_of=context_of,
        ),
        counters=counters,
    )
