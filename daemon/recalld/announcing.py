"""What subscribers are told of recalls and of the index."""

from datetime import datetime

import msgspec

from recalld.conversations import Conversations
from recalld.index.model import Workspace
from recalld.recall.flow import Recalled
from recalld.server.hub import Event, EventKind, Hub


def announce_recall(said: Conversations, hub: Hub, recalled: Recalled) -> None:
    """Also noted as what was put into a prompt."""
    said.heard.note(recalled.result)
    if not hub.subscribers:
        return
    data = {
        "session": recalled.session_key,
        "result": msgspec.to_builtins(recalled.result),
    }
    root = recalled.workspace_root
    hub.publish(Event(kind=EventKind.RECALL, at=recalled.at, data=data, workspace=root))
    if recalled.trace is not None:
        trace = recalled.trace()
        hub.publish(Event(kind=EventKind.TRACE, at=recalled.at, data=trace, workspace=root))


def index_event(workspace_id: int, known: tuple[Workspace, ...], at: datetime) -> Event:
    """What changed is in the index; of a workspace that is gone meanwhile, None."""
    root = next((found.root for found in known if found.id == workspace_id), None)
    return Event(kind=EventKind.INDEX, at=at, data={"workspace": root}, workspace=root)
