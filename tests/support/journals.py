"""A journal in memory, for what records events."""

import anyio

from recalld.errors import Unavailable
from recalld.server.ports import Kept


class FakeJournal:
    """Keeps in memory what the store keeps on disk; ``hangs`` never answers."""

    def __init__(self, *, fails=False, hangs=False):
        self.entries = []
        self.replies = {}
        self.fails = fails
        self.hangs = hangs

    async def append(self, entry):
        if self.hangs:
            await anyio.sleep_forever()
        if self.fails:
            raise Unavailable("store", "the disk is full")
        for seq, known in enumerate(self.entries):
            same = (known.session_key, known.event_id) == (entry.session_key, entry.event_id)
            if entry.event_id is not None and same:
                return Kept(seq=seq, duplicate=True, reply=self.replies.get(seq, known.reply))
        self.entries.append(entry)
        return Kept(seq=len(self.entries) - 1, duplicate=False, reply=None)

    async def record_reply(self, seq, reply):
        self.replies[seq] = reply
