"""What a language model is asked about a tick, and what of its answer counts."""

from dataclasses import replace
from datetime import timedelta

import msgspec
import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recalld.counters import Counters
from recalld.heartbeat.analysis import FORMATS, Provider, _Answer, read, request
from recalld.heartbeat.model import Analysis, Autonomy, Reason, Tier
from recalld.heartbeat.urgency import Urgency
from recalld.llm.client import LlmClient
from recalld.llm.completion import body_of, reply_of
from recalld.llm.limiter import Limiter
from recalld.llm.model import ChatOutcome, ChatReply, ChatShape
from support.llm_server import KEY, KEY_NAME, endpoint, saying
from support.telling_scene import a_signal, a_telling, nasty

PROVIDER = Provider(
    endpoint="https://llm.example/v1", key_name="KEY", model="some-model", max_output_tokens=800
)
RIGHT = {
    "should_act": True,
    "action_brief": "Pay the rent today, it was late in May",
    "recommended_actions": ["Open the bank", "Pay"],
    "urgency": "high",
    "reasoning": "It is due",
    "autonomy": "suggest",
    "user_facing": "Your rent is due.",
}
TEXT = orjson.dumps(RIGHT).decode()
TELLING = a_telling(a_signal("Due in 2 hours: rent", check="deadlines", tier=Tier.ELEVATED))
VIEW = Analysis(
    should_act=True,
    action_brief="Pay the rent today, it was late in May",
    recommended_actions=("Open the bank", "Pay"),
    urgency="high",
    reasoning="It is due",
    autonomy=Autonomy.SUGGEST,
    user_facing="Your rent is due.",
)


def said(content: str, finish_reason: str = "stop") -> ChatReply:
    shape = ChatShape(content_type="string", finish_reason=finish_reason, http_status=200)
    return ChatReply(outcome=ChatOutcome.OK, content=content, shape=shape)


def answered(**changes: object) -> ChatReply:
    return said(orjson.dumps({**RIGHT, **changes}).decode())


def without(name: str) -> str:
    return orjson.dumps({key: value for key, value in RIGHT.items() if key != name}).decode()


LADDER = [
    ("valid", TEXT, "strict"),
    ("fenced", f"```json\n{TEXT}\n```", "fence"),
    ("prose around and stray braces before", f"Not {{}} but {TEXT}, I think.", "balanced"),
    ("trailing comma", TEXT[:-1] + ",}", "repair"),
    ("outer container open", TEXT[:-1], "repair"),
    ("byte order mark", "\ufeff" + TEXT, "strict"),
    ("thoughts in front", '<think>maybe {"should_act": false}</think>\n' + TEXT, "strict"),
    ("thoughts without a beginning", 'hm {"a":1}</think>' + TEXT, "strict"),
    ("more than was asked", TEXT[:-1] + ',"evidence":["x"]}', "strict"),
]


@pytest.mark.parametrize(
    ("content", "method"), [row[1:] for row in LADDER], ids=[row[0] for row in LADDER]
)
def test_d10_the_answer_is_dug_out(content: str, method: str):
    reading = read(said(content), TELLING)
    assert (reading.analysis, reading.method, reading.problem) == (VIEW, method, None)


NOTHING = [
    ("plain text", said("You should act now."), "json_syntax_fail"),
    ("string left open at the limit", said(TEXT[:60], "length"), "truncated"),
    ("string left open", said(TEXT[:60]), "json_syntax_fail"),
    ("cut behind a field", said(TEXT[: TEXT.index(',"urgency"')], "length"), "schema_fail"),
    ("empty", said(" \n"), "empty_content"),
    ("thoughts alone", said("<think>I should act, because"), "empty_content"),
    ("thoughts and nothing behind", said("<think>I should act</think>\n"), "empty_content"),
    ("a list", said(f"[{TEXT}]"), "schema_fail"),
    ("another object", said('{"analysis": ' + TEXT + "}"), "schema_fail"),
    ("empty object", said("{}"), "schema_fail"),
    ("should_act as text", answered(should_act="yes"), "schema_fail"),
    ("should_act as number", answered(should_act=1), "schema_fail"),
    ("should_act null", answered(should_act=None), "schema_fail"),
    ("brief as list", answered(action_brief=["a"]), "schema_fail"),
    ("actions as text", answered(recommended_actions="Pay"), "schema_fail"),
    ("an action that is none", answered(recommended_actions=["Pay", 1]), "schema_fail"),
    ("unknown urgency", answered(urgency="extreme"), "schema_fail"),
    ("urgency null", answered(urgency=None), "schema_fail"),
    ("unknown autonomy", answered(autonomy="obey"), "schema_fail"),
    *((f"without {name}", said(without(name)), "schema_fail") for name in RIGHT),
    ("no reply", None, "no_reply"),
    ("barred", ChatReply(outcome=ChatOutcome.BARRED), "barred"),
    ("request failed", ChatReply(outcome=ChatOutcome.REQUEST_FAIL), "request_fail"),
    ("status 429", ChatReply(outcome=ChatOutcome.HTTP_FAIL), "http_fail"),
    ("no JSON over HTTP", reply_of(b"<html>", http_status=200), "payload_fail"),
]


@pytest.mark.parametrize(
    ("reply", "problem"), [row[1:] for row in NOTHING], ids=[row[0] for row in NOTHING]
)
def test_d10_an_answer_that_is_none_leaves_the_tick_as_it_is(reply: ChatReply, problem: str):
    reading = read(reply, TELLING)
    assert (reading.analysis, reading.problem) == (None, problem)
    assert TELLING.speaks


def test_d10_reasoning_without_content_is_no_answer():
    message = {"role": "assistant", "content": None, "reasoning_content": TEXT}
    body = orjson.dumps({"choices": [{"finish_reason": "stop", "message": message}]})
    reply = reply_of(body, http_status=200)
    assert read(reply, TELLING).problem == "payload_fail"
    assert reply.shape.has_reasoning_content
    message["content"] = ""
    body = orjson.dumps({"choices": [{"finish_reason": "length", "message": message}]})
    assert read(reply_of(body, http_status=200), TELLING).problem == "empty_content"


def test_d10_parts_of_text_are_one_text():
    parts = [{"type": "text", "text": TEXT[:50]}, {"type": "text", "text": TEXT[50:]}]
    body = orjson.dumps({"choices": [{"message": {"content": parts}}]})
    assert read(reply_of(body, http_status=200), TELLING).analysis == VIEW


def test_null_texts_are_empty_ones_and_case_does_not_matter():
    nulls = {"action_brief": None, "recommended_actions": None, "user_facing": None}
    view = read(answered(**nulls, reasoning=None, urgency=" HIGH", autonomy="Observe"), TELLING)
    assert view.analysis == Analysis(
        should_act=True,
        action_brief="",
        recommended_actions=(),
        urgency="high",
        reasoning="",
        autonomy=Autonomy.OBSERVE,
        user_facing="",
    )


ORDER = ["none", "low", "medium", "high", "critical"]
FLOORS = [
    (Tier.IMMEDIATE, Reason.ACT, "critical"),
    (Tier.ELEVATED, Reason.ACT, "high"),
    (Tier.NORMAL, Reason.ACT, "medium"),
    (Tier.LOW, Reason.ACT_STALE_ESCALATED, "low"),
    (Tier.NORMAL, Reason.ACT_CONFLUENCE, "medium"),
    (Tier.LOW, Reason.ACT_CONFLUENCE, "medium"),
]


@pytest.mark.parametrize(("tier", "reason", "floor"), FLOORS)
@pytest.mark.parametrize("urgency", ORDER)
def test_b9_5_the_signals_are_the_least_urgency_and_mapped_once(
    tier: Tier, reason: Reason, floor: str, urgency: str
):
    telling = a_telling(a_signal("Pending: ship", tier=tier), reason=reason)
    view = read(answered(urgency=urgency), telling).analysis
    assert view is not None
    assert view.urgency == max(floor, urgency, key=ORDER.index)
    again = read(answered(urgency=view.urgency), telling).analysis
    assert again == view


@pytest.mark.parametrize("mode", Autonomy)
@pytest.mark.parametrize("configured", Autonomy)
def test_a_model_never_takes_more_freedom_than_is_configured(mode: Autonomy, configured: Autonomy):
    modes = list(Autonomy)
    view = read(answered(autonomy=mode.value), replace(TELLING, autonomy=configured)).analysis
    assert view is not None
    assert view.autonomy is min(mode, configured, key=modes.index)


def test_a_model_may_keep_a_tick_from_speaking_and_never_make_one_speak():
    no = read(answered(should_act=False, urgency="none"), TELLING).analysis
    assert not replace(TELLING, analysis=no).speaks
    held = a_telling(a_signal("Pending: ship"), act=False, reason=Reason.SUPPRESS_COOLDOWN)
    yes = read(answered(urgency="critical"), held).analysis
    assert not replace(held, analysis=yes).speaks


def test_what_a_model_writes_is_bounded_and_has_no_secrets():
    key = "sk-" + "abcdefghijklmnopqrst1234567890ABCD"
    long = f"a\n\nSystem: {key}\u202e " + "很长的话 " * 500
    view = read(
        answered(
            action_brief=long,
            recommended_actions=["", " \u200b", *[long] * 9],
            reasoning=long,
            user_facing=long,
        ),
        TELLING,
    ).analysis
    assert view is not None
    texts = [view.action_brief, *view.recommended_actions, view.reasoning, view.user_facing]
    bounds = (300, *[200] * 5, 600, 600)
    assert all(len(text) <= most for text, most in zip(texts, bounds, strict=True))
    assert all("[redacted:" in text and key not in text for text in texts)
    assert not set("\n\u202e") & set("".join(texts))


@settings(max_examples=150)
@given(st.dictionaries(st.sampled_from(sorted(RIGHT)), nasty | st.none() | st.booleans()), nasty)
def test_no_answer_breaks_the_reading(changes: dict[str, object], around: str):
    body = orjson.dumps({**RIGHT, **changes}, default=str) if _is_utf8(changes) else b"{"
    for content in (around, body.decode(), around + body.decode() + around):
        reading = read(said(content), TELLING)
        assert (reading.analysis is None) == (reading.problem is not None)
        if reading.analysis is not None:
            assert reading.analysis.urgency in ("high", "critical")


def _is_utf8(value: object) -> bool:
    return "\\ud800" not in repr(value)


def test_the_request_is_one_completion_of_the_given_place():
    asked = request(TELLING, provider=PROVIDER, agent="main")
    body = body_of(asked)
    assert (asked.endpoint, asked.key_name) == ("https://llm.example/v1", "KEY")
    assert (body["model"], body["max_tokens"]) == ("some-model", 800)
    assert body["response_format"] == {"type": "json_object"}
    assert "thinking" not in body
    assert "JSON" in asked.system
    thinking = replace(PROVIDER, thinking="disabled")
    assert body_of(request(TELLING, provider=thinking))["thinking"] == {"type": "disabled"}


async def test_one_question_over_a_real_connection():
    async with endpoint(saying(f"```json\n{TEXT}\n```")) as served:
        client = LlmClient(
            environ={KEY_NAME: KEY},
            limiter=Limiter(jitter=lambda: 0.0),
            counters=Counters(),
        )
        place = replace(PROVIDER, endpoint=served.url, key_name=KEY_NAME)
        reply = await client.complete(request(TELLING, provider=place))
    assert read(reply, TELLING).analysis == VIEW
    (seen,) = served.requests
    system, user = seen.json["messages"]
    assert (system["role"], user["role"]) == ("system", "user")
    assert "- [elevated] Due in 2 hours: rent" in user["content"]


def test_the_schema_asks_for_what_is_read():
    schema = FORMATS["json_schema"]["json_schema"]
    asked = request(TELLING, provider=replace(PROVIDER, response_format="json_schema"))
    assert asked.response_format["json_schema"] == schema
    assert orjson.loads(orjson.dumps(body_of(asked)))["response_format"]["type"] == "json_schema"
    inner = msgspec.convert(schema, dict)["schema"]
    names = [field.name for field in msgspec.structs.fields(_Answer)]
    assert inner["required"] == list(inner["properties"]) == names == list(RIGHT)
    assert inner["properties"]["urgency"]["enum"] == [one.value for one in Urgency]
    assert inner["properties"]["autonomy"]["enum"] == [one.value for one in Autonomy]
    assert inner["additionalProperties"] is False


def test_an_answer_is_read_in_milliseconds_whatever_is_in_it():
    import time  # noqa: PLC0415 - measured here alone

    began = time.thread_time()
    for hostile in ("{" * 32_000, '{"a":' * 6_000, "<think>" * 4_000, "</think>" * 4_000):
        read(said(hostile), TELLING)
    assert timedelta(seconds=time.thread_time() - began) < timedelta(seconds=2)
