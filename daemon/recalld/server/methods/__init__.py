"""The registry: a method is one file here and one line below."""

from recalld.server.method import AnyMethod
from recalld.server.methods import (
    config_reload,
    events_subscribe,
    events_unsubscribe,
    index_status,
    index_sync,
    ping,
    recall_explain,
    search,
    session_end,
    session_prompt,
    session_start,
    session_turn,
    status,
)

METHODS: tuple[AnyMethod, ...] = (
    ping.METHOD,
    status.METHOD,
    session_start.METHOD,
    session_prompt.METHOD,
    session_turn.METHOD,
    session_end.METHOD,
    search.METHOD,
    index_sync.METHOD,
    index_status.METHOD,
    recall_explain.METHOD,
    events_subscribe.METHOD,
    events_unsubscribe.METHOD,
    config_reload.METHOD,
)
