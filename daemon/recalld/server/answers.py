"""First answers that the journal could not keep, remembered while the daemon lives."""

from collections import OrderedDict

import anyio

from recalld.server.ports import Entry

# As long as the journal knows an event id.
KEEP_S = 24 * 3_600.0
# A store in trouble for an hour of one busy user; an answer is a few kilobytes.
MOST = 512

Name = tuple[str, str, str]


def name_of(entry: Entry) -> Name | None:
    """What makes two entries the same event; None where the event has no id."""
    if entry.event_id is None:
        return None
    return entry.session_key, entry.kind, entry.event_id


class Answers:
    """The ``MOST`` latest answers, each for ``KEEP_S``; the oldest goes first."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Name, tuple[float, bytes]] = OrderedDict()

    def keep(self, entry: Entry, reply: bytes) -> None:
        """Nothing where the event has no id: nobody can ask for it again."""
        name = name_of(entry)
        if name is None:
            return
        self._kept[name] = (anyio.current_time(), reply)
        self._kept.move_to_end(name)
        while len(self._kept) > MOST:
            self._kept.popitem(last=False)

    def of(self, entry: Entry) -> bytes | None:
        """The first answer to this event; None where it is not remembered."""
        name = name_of(entry)
        if name is None or name not in self._kept:
            return None
        at_s, reply = self._kept[name]
        if anyio.current_time() - at_s > KEEP_S:
            del self._kept[name]
            return None
        return reply
