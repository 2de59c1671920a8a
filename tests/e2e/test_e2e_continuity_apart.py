"""Two workspaces never mix, whatever comes in whatever order from sessions of one name."""

import json
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support.continuing import many_workspaces
from support.daemon import request
from support.e2e import until

EXAMPLES = 20
# One key for two hosts that do not know of each other, and one of each's own.
KEYS = ("agent:main:main", "agent:main:second")
KINDS = ("turn", "prompt", "question", "before", "after", "reset", "end", "child", "start", "write")

events = st.lists(
    st.tuples(st.sampled_from((0, 1)), st.sampled_from(KEYS), st.sampled_from(KINDS)),
    min_size=6,
    max_size=30,
)


@pytest.fixture(scope="module")
def fresh(tmp_path_factory):
    # Those of examples that fail are tried again while they are made smaller.
    with many_workspaces(tmp_path_factory.mktemp("apart"), count=4 * EXAMPLES) as talks:
        yield talks


def line_of(number, kind, folder, key, word):
    """The event as a request; everything it says holds ``word``."""
    session = {"key": key, "workspace": str(folder)}
    ordinary = f"please rename variable {number} in the footer of {word}"
    method, params = {
        "turn": (
            "session.turn",
            {
                "user": f"Please build importer {number} of the {word} project with its own tests.",
                "assistant": f"Completed step {number} of {word}.\n\nNext: verify {word} again.",
            },
        ),
        "prompt": ("session.prompt", {"text": ordinary}),
        "question": ("session.prompt", {"text": "what were we doing?"}),
        "before": ("session.compact", {"phase": "before"}),
        "after": ("session.compact", {"phase": "after"}),
        "reset": ("session.reset", {"reason": "new"}),
        "end": ("session.end", {"reason": "logout"}),
        "child": (
            "subagent.end",
            {"child": f"child-{number % 3}", "outcome": "ok", "result": f"{word} found {number}"},
        ),
        "start": ("session.start", {"source": "startup"}),
        "write": ("checkpoint.write", {"blockers": f"{word} waits for a review"}),
    }[kind]
    if kind == "write":
        return request(method, number, workspace=str(folder), **params)
    return request(method, number, session=session, **params)


def settled(daemon):
    part = daemon.call("status")["parts"]["continuity"]
    return part["up_to_date"] and part["sessions_behind"] == 0


def everything_of(daemon, folder):
    files = {path: path.read_text("utf-8") for path in folder.rglob("*") if path.is_file()}
    rows = daemon.call("checkpoint.history", workspace=str(folder), limit=100)["versions"]
    return json.dumps([sorted(files.values()), rows])


@settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=True,
)
@given(events)
def test_whatever_interleaves_nothing_of_one_workspace_is_ever_in_the_other(fresh, told):
    here, there = next(fresh), next(fresh)
    daemon, folders = here.daemon, (here.root, there.root)
    words = [f"alpha{uuid4().hex[:8]}", f"beta{uuid4().hex[:8]}"]
    with daemon.peer() as peer:
        lines = [
            line_of(number, kind, folders[place], key, words[place])
            for number, (place, key, kind) in enumerate(told)
        ]
        peer.say(b"".join(lines))
        for _ in lines:
            reply = peer.hear()
            assert "result" in reply, reply
            place = told[reply["id"]][0]
            assert words[1 - place] not in json.dumps(reply["result"])
        until(lambda: settled(daemon), what="everything in the files")
        # Once more for every session: what is owed now is its own, too.
        for place, folder in enumerate(folders):
            for key in KEYS:
                session = {"key": key, "workspace": str(folder)}
                for text in ("thanks", "continue"):
                    result = peer.result("session.prompt", session=session, text=text)
                    assert words[1 - place] not in json.dumps(result)
    for place, folder in enumerate(folders):
        kept = everything_of(daemon, folder)
        assert words[1 - place] not in kept
        if any(kind == "turn" for where, _, kind in told if where == place):
            assert words[place] in kept
