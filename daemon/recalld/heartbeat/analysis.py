"""A language model's view of a tick: the one question, and what may be believed of the answer.

The model can keep a tick from speaking and choose the words. It cannot make one speak, nor make
it less urgent than its signals are, nor give itself more freedom than is configured. Pure.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

import msgspec

from recalld.heartbeat.escape import LINE_CHARS, plain
from recalld.heartbeat.model import Analysis, Autonomy
from recalld.heartbeat.prompt import SYSTEM, Spoken, user_text
from recalld.heartbeat.telling import BRIEF_CHARS, MAX_ACTIONS, SPOKEN_CHARS, Telling
from recalld.heartbeat.urgency import Urgency, least, raised
from recalld.llm.model import ChatOutcome, ChatReply, ChatRequest
from recalld.llm.structured import Method, Problem, parse_object

NO_REPLY = "no_reply"
TRUNCATED = "truncated"

# From the least freedom on.
_MODES = tuple(Autonomy)
_THOUGHTS = re.compile(r"</think(?:ing)?>", re.IGNORECASE)
_THINKING = re.compile(r"<think(?:ing)?>", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """Where the model is asked, and how. ``key_name`` is the environment variable of the key."""

    endpoint: str
    key_name: str
    model: str
    max_output_tokens: int
    response_format: Literal["json_object", "json_schema"] = "json_object"
    thinking: Literal["enabled", "disabled"] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What became of the question. Without an ``analysis`` the tick goes ahead without one, and
    ``problem`` says why; ``method`` is the rung that read the answer."""

    analysis: Analysis | None = None
    method: Method | None = None
    problem: str | None = None


class _Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What has to be there. A null says as much as an empty text; nothing else is made up."""

    should_act: bool
    action_brief: str | None
    recommended_actions: list[str] | None
    urgency: str
    reasoning: str | None
    autonomy: str
    user_facing: str | None


def request(
    telling: Telling,
    *,
    provider: Provider,
    agent: str = "main",
    conversation: Sequence[Spoken] = (),
) -> ChatRequest:
    """The one question of a tick. ``conversation`` is what was last said, oldest first."""
    return ChatRequest(
        endpoint=provider.endpoint,
        key_name=provider.key_name,
        model=provider.model,
        system=SYSTEM,
        user=user_text(telling, agent=agent, conversation=conversation),
        max_output_tokens=provider.max_output_tokens,
        response_format=FORMATS[provider.response_format],
        thinking=provider.thinking,
    )


def read(reply: ChatReply | None, telling: Telling) -> Reading:
    """The analysis, or why there is none. ``reply`` None: the time was over, or the call broke.

    Its texts are one line each, bounded, without secrets, and not yet escaped.
    """
    if reply is None:
        return Reading(problem=NO_REPLY)
    if reply.outcome is not ChatOutcome.OK:
        return Reading(problem=reply.outcome)
    parsed = parse_object(_answer_of(reply.content))
    if parsed.value is None:
        cut_off = reply.shape.finish_reason == "length"
        syntax = parsed.problem is Problem.JSON_SYNTAX_FAIL
        return Reading(problem=TRUNCATED if cut_off and syntax else parsed.problem)
    analysis = _analysis(parsed.value, telling)
    if analysis is None:
        return Reading(method=parsed.method, problem=Problem.SCHEMA_FAIL)
    return Reading(analysis=analysis, method=parsed.method)


def _answer_of(content: str) -> str:
    """What stands behind the thoughts that some models put in front; empty where that is all."""
    text = content.strip()
    if text.startswith("{"):
        return text
    end = _THOUGHTS.search(text)
    if end is not None:
        return text[end.end() :]
    return "" if _THINKING.match(text) else text


def _analysis(value: Mapping[str, object], telling: Telling) -> Analysis | None:
    """None where the answer is not what was asked for: half a view is none."""
    try:
        answer = msgspec.convert(value, _Answer, strict=True)
        urgency = Urgency(answer.urgency.strip().lower())
        mode = Autonomy(answer.autonomy.strip().lower())
    except ValueError:
        return None
    actions = (plain(action, LINE_CHARS) for action in answer.recommended_actions or ())
    return Analysis(
        should_act=answer.should_act,
        action_brief=plain(answer.action_brief or "", BRIEF_CHARS),
        recommended_actions=tuple(filter(None, actions))[:MAX_ACTIONS],
        urgency=raised(urgency, least(telling.decision)).value,
        reasoning=plain(answer.reasoning or "", SPOKEN_CHARS),
        autonomy=min(mode, telling.autonomy, key=_MODES.index),
        user_facing=plain(answer.user_facing or "", SPOKEN_CHARS),
    )


def _schema() -> Mapping[str, object]:
    text = {"type": "string"}
    properties: dict[str, object] = {
        "should_act": {"type": "boolean"},
        "action_brief": text,
        "recommended_actions": {"type": "array", "items": text},
        "urgency": {"type": "string", "enum": [one.value for one in Urgency]},
        "reasoning": text,
        "autonomy": {"type": "string", "enum": [one.value for one in Autonomy]},
        "user_facing": text,
    }
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


FORMATS: Mapping[str, Mapping[str, object]] = MappingProxyType(
    {
        "json_object": {"type": "json_object"},
        "json_schema": {
            "type": "json_schema",
            "json_schema": {"name": "analysis", "strict": True, "schema": _schema()},
        },
    }
)
