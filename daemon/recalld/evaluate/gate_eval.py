"""How good the gate is: labelled messages put to the rules and the embedding stage in use.

``gate/gate.jsonl`` of a data folder: ``id``, ``text``, ``lang``, ``kind``, ``label`` and, where
given, ``tags``, ``session_key``, ``depth`` and ``query``. Other fields are passed over.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
import orjson

from recalld.embed.port import Embedder, EmbedderState
from recalld.errors import BadRequest
from recalld.evaluate.metrics import share
from recalld.recall.gate_extended import extended_stage
from recalld.recall.model import Verdict
from recalld.recall.policy import RecallPolicy
from recalld.recall.rules import rules_of
from recalld.recall.steps import Rules

GATE = Path("gate") / "gate.jsonl"
SKIP = "skip"
NEGATIVE = frozenset({"no", SKIP})
HARD = "hard_negative"
CONTROL = "control"


class Message(msgspec.Struct, frozen=True, kw_only=True):
    """``label``: yes, no, uncertain, or skip for what no user wrote. ``query``: the message
    without its prefix and options, where it has any."""

    id: str
    text: str
    label: str
    kind: str = "user"
    lang: str = ""
    tags: tuple[str, ...] = ()
    session_key: str = ""
    depth: str | None = None
    query: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A message with what the gate said."""

    message: Message
    decision: str
    depth: str | None = None
    query: str = ""

    @property
    def exact(self) -> bool:
        """Decision, depth and query are those of the label; to skip is as good as no."""
        wanted = self.message.query if self.message.query is not None else self.message.text
        if self.decision == SKIP:
            return self.message.label in NEGATIVE
        same = self.depth == self.message.depth and self.query.strip() == wanted.strip()
        return self.decision == self.message.label and same


def load_messages(data: Path) -> tuple[Message, ...]:
    """Empty where the folder has none. Raises ``BadRequest`` with file and line."""
    file = data / GATE
    if not file.is_file():
        return ()
    found = []
    for number, line in enumerate(file.read_bytes().split(b"\n"), start=1):
        if line.strip():
            try:
                found.append(msgspec.json.decode(line, type=Message))
            except msgspec.DecodeError as error:
                raise BadRequest(f"{file}:{number}", str(error)) from error
    return tuple(found)


async def judge(
    messages: Iterable[Message], *, embedder: Embedder, policy: RecallPolicy
) -> tuple[Judged, ...]:
    """Each message as the first of its session, with the embedding stage where there is one."""
    rules = rules_of(extended_stage(embedder.identity))
    return tuple([await _judged(one, rules, embedder, policy) for one in messages])


async def _judged(
    message: Message, rules: Rules, embedder: Embedder, policy: RecallPolicy
) -> Judged:
    if rules.is_internal_session(message.session_key) or rules.is_system_event(message.text):
        return Judged(message=message, decision=SKIP)
    verdict = rules.decide(rules.clean(message.text), policy=policy.trigger, gate=policy.gate)
    wanted = policy.gate.extended and rules.needs_extended(verdict, verdict.query)
    if wanted and embedder.state is EmbedderState.READY:
        vectors = await embedder.embed_queries([verdict.query])
        verdict = rules.extend(verdict, vectors[0], verdict.query)
    depth = None if verdict.depth is None else verdict.depth.value
    return Judged(message=message, decision=verdict.verdict.value, depth=depth, query=verdict.query)


def gate_figures(judged: Sequence[Judged]) -> dict[str, dict[str, float]]:
    """``all``, each language and each kind, without the controls; NaN for an empty share."""
    messages = [one for one in judged if one.message.kind != CONTROL]
    parts = {"all": messages} if messages else {}
    parts |= _parts(messages, lambda one: one.message.lang)
    parts |= _parts(messages, lambda one: f"kind {one.message.kind}")
    return {name: _figures(members) for name, members in parts.items()}


def control_figures(judged: Sequence[Judged]) -> dict[str, float]:
    """How many messages force or suppress recall by a prefix, and the share that is exact."""
    controls = [one.exact for one in judged if one.message.kind == CONTROL]
    return {"n": len(controls), "exact": share(controls)}


def _parts(judged: Sequence[Judged], key: Callable[[Judged], str]) -> dict[str, list[Judged]]:
    names = sorted({key(one) for one in judged} - {""})
    return {name: [one for one in judged if key(one) == name] for name in names}


def _figures(judged: Sequence[Judged]) -> dict[str, float]:
    yes, uncertain = Verdict.YES.value, Verdict.UNCERTAIN.value
    raised = [one for one in judged if one.decision == yes]
    needy = [one for one in judged if one.message.label == yes]
    negative = [one for one in judged if one.message.label in NEGATIVE]
    hard = [one for one in negative if HARD in one.message.tags]
    precision = share([one.message.label == yes for one in raised])
    recall = share([one.decision == yes for one in needy])
    both = precision + recall
    return {
        "n": len(judged),
        "precision": precision,
        "recall": recall,
        "f1": 2 * precision * recall / both if both > 0 else (0.0 if needy else both),
        "recall with probes": share([one.decision in (yes, uncertain) for one in needy]),
        "false triggers": share([one.decision == yes for one in negative]),
        "on hard negatives": share([one.decision == yes for one in hard]),
        "uncertain": share([one.decision == uncertain for one in judged]),
    }


def gate_predictions(judged: Iterable[Judged]) -> bytes:
    """``{"id", "decision", "depth", "query"}``, one JSON object a line."""
    return b"".join(
        orjson.dumps(
            {
                "id": one.message.id,
                "decision": one.decision,
                "depth": one.depth,
                "query": one.query,
            },
            option=orjson.OPT_APPEND_NEWLINE,
        )
        for one in judged
    )
