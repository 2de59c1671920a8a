"""In which order a tick decides, looks back, asks and tells."""

from datetime import timedelta
from pathlib import Path

from recalld.memories.model import MemoryType
from support.heartbeat_house import NOON, open_room

DECISION = "decided to pin the upload client because the upload test was flaky"
SIGNAL = "the flaky upload test of the upload client is back"


async def test_s1_6_and_s1_20_the_past_is_known_before_the_one_call_and_the_call_before_the_words(
    tmp_path: Path,
):
    async with open_room(tmp_path) as room:
        await room.fill()
        past = await room.remember(DECISION, MemoryType.EVENT, days_ago=7, session="s0")
        due = NOON + timedelta(minutes=30)
        await room.remember(SIGNAL, days_ago=2, session="s1", expires_at=due)
        ticked = await room.tick(analyze=True)
        (asked,) = room.chat.asked
        # Decided first: what is asked names the signals of the decision, and what belongs to them.
        assert SIGNAL in asked.user
        assert past.content in asked.user
        assert asked.user.index(SIGNAL) < asked.user.index("Related past context:")
        # Told last: the words are those of the answer.
        assert ticked.analysis is not None
        assert ticked.analysis.action_brief in ticked.message
