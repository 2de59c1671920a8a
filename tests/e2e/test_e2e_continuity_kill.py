"""kill -9 of the daemon at any moment: the file is whole, and no acknowledged turn is missed."""

import random
import re
import threading
from contextlib import suppress
from itertools import count

from recalld.continuity.checkpoint import SECTIONS
from support.continuing import LEXICAL, TASK, Talk
from support.daemon import running
from support.e2e import LATEST_KILL_S, in_threads, until

KILLS = 8


def talked_until_cut(talk, *, first, heard):
    """Numbers of turns that were acknowledged, each with a result of a sub-agent."""
    acknowledged = []
    with suppress(OSError, AssertionError), talk.daemon.peer() as peer:
        for number in count(first):
            step = f"Completed step {number} of the module.\n\nNext: write step {number + 1}."
            said = {"user": TASK[0][0], "assistant": step}
            peer.result("session.turn", session=talk.session, **said)
            acknowledged.append(number)
            heard.release()
            left = {"child": f"c{number % 3}", "outcome": "ok", "result": f"found {number}"}
            peer.result("subagent.end", session=talk.session, **left)
            if number % 7 == 0:
                peer.result("session.reset", session=talk.session, reason="new")
    return acknowledged


def numbers_in(text):
    return [int(found) for found in re.findall(r"step (\d+)", text)]


def test_kills_at_any_moment_tear_no_file_and_lose_no_turn(tmp_path):
    folder, chance = tmp_path / "w", random.Random(20_261_201)
    folder.mkdir()
    key, last = "agent:main:main", -1
    for _ in range(KILLS):
        with running(tmp_path / "d", workspaces=[folder], config=LEXICAL) as daemon:
            talk = Talk(daemon=daemon, root=folder, key=key)
            seen: list[int] = []
            heard = threading.Semaphore(0)

            def work(number, talk=talk, daemon=daemon, seen=seen, last=last, heard=heard):
                if number == 0:
                    seen.extend(talked_until_cut(talk, first=last + 1, heard=heard))
                else:
                    # Not before something was acknowledged, however slow the disk is.
                    heard.acquire(timeout=LATEST_KILL_S)
                    heard.acquire(timeout=LATEST_KILL_S)
                    threading.Event().wait(chance.uniform(0.0, 1.2))
                    daemon.child.kill()

            in_threads(work, 2)
            assert daemon.ended() == -9
        last = max([last, *seen])
        for file in [talk.file, *talk.archived()]:
            if file.exists():
                text = file.read_text("utf-8")
                assert [line[3:] for line in text.split("\n") if line.startswith("## ")] == list(
                    SECTIONS
                ), file
    with running(tmp_path / "d", workspaces=[folder], config=LEXICAL) as daemon:
        talk = Talk(daemon=daemon, root=folder, key=key)
        # One more may have been kept without its acknowledgement.
        until(lambda: max(numbers_in(talk.read().next_action), default=-1) > last, what="the last")
        assert f"step {last + 1}" in talk.recovery("continue")
        assert daemon.stop() == 0
    assert last > KILLS
    leftovers = [path.name for path in talk.file.parent.iterdir() if path.name.startswith(".")]
    assert leftovers == []
