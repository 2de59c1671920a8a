"""What subscribers are told of the index."""

from datetime import datetime

from recalld.index.model import Workspace
from recalld.server.hub import Event, EventKind


def index_event(workspace_id: int, known: tuple[Workspace, ...], at: datetime) -> Event:
    """What changed is in the index; of a workspace that is gone meanwhile, None."""
    root = next((found.root for found in known if found.id == workspace_id), None)
    return Event(kind=EventKind.INDEX, at=at, data={"workspace": root}, workspace=root)
