"""Whatever a host says and a daemon answers: a call, nothing, or a refusal in our words."""

import json
import time
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recalld.client.hooks import HOSTS, module_of
from recalld.client.hooks._call import BadEvent, Call, Host, together
from recalld.client.hooks._light import encoded
from recalld.client.hooks.exec import METHODS

SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner),
    max_leaves=8,
)
NAMES = [
    "SessionStart", "UserPromptSubmit", "PreCompact", "PostCompact", "Stop", "StopFailure",
    "SubagentStop", "SessionEnd", "PreToolUse", "before_prompt_build", "agent_end",
    "before_compaction", "after_compaction", "before_reset", "session_start", "session_end",
    "subagent_ended", *sorted(METHODS),
]  # fmt: skip
FIELDS = [
    "session_id", "cwd", "prompt", "user_prompt", "source", "trigger", "transcript_path",
    "agent_transcript_path", "last_assistant_message", "agent_id", "agent_type", "turn_id",
    "prompt_id", "reason", "summary", "stop_hook_active", "params", "messages", "success", "runId",
    "sessionKey", "sessionId", "workspaceDir", "agentId", "requesterSessionKey",
    "targetSessionKey", "outcome", "error", "resumedFrom",
]  # fmt: skip
# Half of the fields are what a host would say, so that many events get past the first look.
INNER = st.dictionaries(st.sampled_from(FIELDS), st.text(max_size=8) | VALUES, max_size=12)
EVENTS = st.builds(
    lambda name, fields, event, context: {
        "hook_event_name": name,
        "hook": name,
        "method": name,
        "event": event,
        "context": context,
        **fields,
    },
    st.sampled_from(NAMES) | VALUES,
    INNER,
    INNER | VALUES,
    INNER | VALUES,
)
RESULTS = st.dictionaries(st.sampled_from(["recovery", "context", "status"]), VALUES)


def planned(host: Host, event: Mapping[str, object]) -> tuple[Call | None, str]:
    """The call, and the words of a refusal."""
    try:
        return host.plan(event, time.monotonic() + 1), ""
    except BadEvent as refusal:
        return None, str(refusal)


def host_of(name: str) -> Host:
    host: Host = __import__(f"recalld.client.hooks.{module_of(name)}", fromlist=["HOST"]).HOST
    return host


@pytest.mark.parametrize("name", HOSTS)
@given(event=EVENTS, result=RESULTS)
def test_any_event_becomes_a_call_or_nothing_or_a_refusal(name: str, event, result):
    host = host_of(name)
    call, refusal = planned(host, event)
    assert len(refusal) < 100
    if call is None:
        return
    assert call.method in METHODS
    output = host.answer(call, result).output
    assert output is None or isinstance(output, dict)
    if output is not None and name != "exec":
        assert json.loads(encoded(output))


@given(st.text(max_size=30) | st.none(), st.text(max_size=30) | st.none(), st.integers(0, 40))
def test_no_block_is_ever_cut(recovery, context, most: int):
    text, left_out = together({"recovery": recovery, "context": context}, size=len, most=most)
    snapshot, recalled = (part if part and part.strip() else "" for part in (recovery, context))
    whole = "\n\n".join(part for part in (snapshot, recalled) if part)
    assert text in (whole, snapshot, "")
    assert len(text) <= most
    assert bool(left_out) == (text != whole)


@pytest.mark.parametrize("name", HOSTS)
@pytest.mark.parametrize("field", ["method", "hook", "hook_event_name", "event", "prompt"])
def test_a_refusal_never_repeats_what_was_said(name: str, field: str):
    said = {"hook": "agent_end", "hook_event_name": "UserPromptSubmit", "session_id": "s"}
    assert "hunter2" not in planned(host_of(name), said | {field: "hunter2-hunter2"})[1]


@pytest.mark.parametrize("odd", [[], {}, 7, None, True])
@pytest.mark.parametrize("field", ["trigger", "sessionKey", "agentId", "workspaceDir"])
def test_a_field_of_another_kind_is_as_good_as_none(field: str, odd: object):
    context = {"sessionId": "s", field: odd}
    event = {"hook": "before_prompt_build", "event": {"prompt": "x"}, "context": context}
    call, refusal = planned(host_of("openclaw"), event)
    assert (call is not None, refusal) == (True, "")
