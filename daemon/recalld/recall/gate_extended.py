"""A second look at a plain ``no``: a logistic regression on the message's own vector.

Hand-written rules miss what nobody thought of. The vector of the message, which a search would
need anyway, tells messages that lean on memory from those that do not; it only ever raises a
verdict: to ``uncertain``, which costs one probe, or, when it is very sure, to ``yes``.
"""

import math
import re
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import resources

import msgspec
import numpy as np
from numpy.typing import NDArray

from recalld.embed.port import Identity
from recalld.recall.deictic import content_words
from recalld.recall.model import GateVerdict, Verdict
from recalld.text.folding import folded
from recalld.text.prose import visible_prose

# The rules' own reasons that mean "nothing was found", not "this was seen to need nothing".
OPEN_REASONS = frozenset({"default", "self_contained"})
# Shorter messages have too little in them for a vector to mean anything.
MIN_WORDS = 4
MIN_CJK_CHARS = 6
MIN_CONTENT_WORDS = 2
# A long message is dominated by what it hands over.
MAX_CHARS = 400

_WORD = re.compile(r"[A-Za-z0-9][\w'./+-]*")
_CJK = re.compile(r"[\u3400-\u9fff]")
_PERSON = re.compile(r"\b(?:i|we|me|us|my|our|mine|ours|i'm|i've|i'd|you)\b|我|咱|俺|你|您")
# What an encyclopaedia, a manual or a calculator answers, asked without a person in it.
_KNOWLEDGE = re.compile(
    r"^(?:please |hi,? |hey,? )*(?:what (?:is|are)\b(?! the (?:status|plan|latest|deadline))"
    r"|explain\b|define\b|describe\b|how (?:do|does|to|did people|are|is)\b"
    r"|why (?:do|does|is|are)\b"
    r"|(?:write|implement|create|generate|translate|summari[sz]e|list|calculate|convert"
    r"|compare)\b)"
    r"|^(?:请|帮我|麻烦|给我)*(?:写|翻译|解释|介绍|讲讲|讲解|计算|列出|列举|描述|生成|实现|比较|对比)"
    r"|什么是|是什么|什么意思|有什么(?:区别|关系|作用|用)|有哪些|怎么|如何|为什么|^根据"
)


class Source(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    licence: str
    rows: int


class Provenance(msgspec.Struct, frozen=True, kw_only=True):
    """What the numbers were fitted on; they hold no text of it."""

    command: str
    sources: tuple[Source, ...]
    note: str


class GateModel(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The data file of one engine. ``low`` and ``high`` are probabilities of ``yes``."""

    engine: str
    model: str
    low: float
    high: float
    bias: float
    weights: tuple[float, ...]
    provenance: Provenance

    def __post_init__(self) -> None:
        if not 0.0 < self.low <= self.high < 1.0:
            raise ValueError(f"{self.engine}: the thresholds of the gate must rise")


# Asked before the message is embedded, and again before its vector may change anything.
@lru_cache(maxsize=16)
def needs_extended(verdict: GateVerdict, text: str) -> bool:
    """True where the vector may raise the verdict: never for empty and small messages, nor for
    a question of public knowledge without a person in it, nor for code."""
    if verdict.verdict is not Verdict.NO or verdict.reason not in OPEN_REASONS:
        return False
    if len(text) > MAX_CHARS:
        return False
    plain = folded(visible_prose(text)).lower()
    if _KNOWLEDGE.search(plain) and not _PERSON.search(plain):
        return False
    long_enough = (
        len(_WORD.findall(plain)) >= MIN_WORDS or len(_CJK.findall(plain)) >= MIN_CJK_CHARS
    )
    return long_enough and content_words(plain) >= MIN_CONTENT_WORDS


def apply(
    verdict: GateVerdict, vector: NDArray[np.float32], text: str, *, model: GateModel
) -> GateVerdict:
    """The verdict, raised where the vector says so. ``vector``: ``text`` embedded as a query,
    centred, of unit length; one of another dimension changes nothing."""
    if vector.shape != (len(model.weights),) or not needs_extended(verdict, text):
        return verdict
    chance = probability(vector, model)
    if chance < model.low:
        return verdict
    return replace(
        verdict,
        verdict=Verdict.YES if chance >= model.high else Verdict.UNCERTAIN,
        reason="embedding",
        rule=f"embedding_{verdict.rule}",
        confidence=round(chance, 3),
    )


def probability(vector: NDArray[np.float32], model: GateModel) -> float:
    """The chance that the message leans on memory, 0 to 1."""
    odds = float(np.dot(vector, _row(model.weights))) + model.bias
    return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, odds))))


@lru_cache(maxsize=2)
def _row(weights: tuple[float, ...]) -> NDArray[np.float32]:
    return np.array(weights, dtype=np.float32)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtendedStage:
    """The stage as one engine can run it. Without a model it never wants a vector."""

    model: GateModel | None

    def needs(self, verdict: GateVerdict, text: str) -> bool:
        return self.model is not None and needs_extended(verdict, text)

    def extend(self, verdict: GateVerdict, vector: NDArray[np.float32], text: str) -> GateVerdict:
        return verdict if self.model is None else apply(verdict, vector, text, model=self.model)


def extended_stage(identity: Identity) -> ExtendedStage:
    """The stage with the coefficients shipped for exactly this engine and model, if any are.

    Reads package data once. Vectors of another model, or centred otherwise, mean nothing to
    the coefficients, so they are not used with them.
    """
    file = resources.files("recalld.recall") / f"gate_extended_{identity.engine}.json"
    if not file.is_file():
        return ExtendedStage(model=None)
    model = msgspec.json.decode(file.read_bytes(), type=GateModel)
    same = model.model == identity.model and len(model.weights) == identity.dimension
    return ExtendedStage(model=model if same else None)
