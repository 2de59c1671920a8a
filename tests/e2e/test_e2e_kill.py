"""kill -9 of the whole daemon under eight clients: what was acknowledged is kept, once."""

import json
import random
import sqlite3
import threading
import time
from contextlib import closing, suppress
from itertools import count

from support.daemon import request, running
from support.e2e import in_threads, kill_behind

KILLS = 20
WRITERS = 8
# A kill comes behind so many acknowledgements.
ACKNOWLEDGED = (WRITERS + 1, 20 * WRITERS)
# In flight on each connection: acknowledgements, syncs and new events overlap at the kill.
WINDOW = 4


def write_until_cut(daemon, *, name, heard):
    """Ids of turns that were acknowledged on one connection, and of all that were sent."""
    sent, acknowledged = [], []
    with suppress(OSError), daemon.peer() as peer:
        for number in count():
            event_id = f"{name}-{number}"
            sent.append(event_id)
            peer.say(
                request(
                    "session.turn",
                    event_id,
                    session={"key": f"agent:main:{name}"},
                    user=f"question {number} of {name}",
                    assistant="an answer " * 20,
                    event_id=event_id,
                )
            )
            if number >= WINDOW:
                line = peer.line()
                if line is None:
                    break
                reply = json.loads(line)
                assert reply["result"] == {"accepted": True}, reply
                acknowledged.append(reply["id"])
                heard.release()
    return sent, acknowledged


def killed_under_writers(home, *, run, chance):
    """What the writers saw of one life of the daemon."""
    seen, heard = {}, threading.Semaphore(0)
    with running(home) as daemon:

        def work(number):
            if number == WRITERS:
                kill_behind(daemon, heard, count=chance.randint(*ACKNOWLEDGED))
                return
            seen[number] = write_until_cut(daemon, name=f"r{run}w{number}", heard=heard)

        in_threads(work, WRITERS + 1)
        assert daemon.ended() == -9
    return seen.values()


def kept_ids(home):
    """Event ids in the store as SQLite recovers it, which must be sound."""
    with closing(sqlite3.connect(home / "state" / "state.db")) as connection:
        assert connection.execute("PRAGMA quick_check").fetchall() == [("ok",)]
        return [row[0] for row in connection.execute("SELECT event_id FROM event")]


def test_twenty_kills_under_eight_writers_lose_no_acknowledged_turn(tmp_path, capsys):
    home, chance, began = tmp_path / "d", random.Random(20_261_130), time.monotonic()
    acknowledged, sent = set(), set()
    for run in range(KILLS):
        for said, heard in killed_under_writers(home, run=run, chance=chance):
            sent.update(said)
            acknowledged.update(heard)
        kept = kept_ids(home)
        assert len(kept) == len(set(kept))
        assert acknowledged <= set(kept) <= sent
    with capsys.disabled():
        print(
            f"\n{KILLS} kills: {len(sent)} turns sent, {len(acknowledged)} acknowledged,"
            f" {len(kept)} kept, in {time.monotonic() - began:.0f} s"
        )
    assert len(acknowledged) > KILLS * WRITERS


def test_what_was_sent_again_after_a_kill_is_kept_once(tmp_path):
    home, chance = tmp_path / "d", random.Random(7)
    outcomes = killed_under_writers(home, run=0, chance=chance)
    sent = [event_id for said, _ in outcomes for event_id in said]
    before = set(kept_ids(home))
    with running(home) as daemon, daemon.peer() as peer:
        for event_id in sent:
            turn = {"user": "again", "assistant": "again", "event_id": event_id}
            session = {"key": f"agent:main:{event_id.split('-')[0]}"}
            result = peer.result("session.turn", session=session, **turn)
            assert result.get("duplicate", False) == (event_id in before)
        assert daemon.stop() == 0
    assert sorted(kept_ids(home)) == sorted(sent)
