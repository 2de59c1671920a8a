"""Does this message need memory? Rules alone: no model, no search, well under a millisecond.

The order is fixed: empty, suppressed, forced, mode, keyword, then what the words say: a demand
on one's own things, memory intent, historical and ambiguous references, then (behind
``gate.extended``) families of the gate's own, and last work on something only the running
conversation can name. A word of time alone is never enough: it needs us beside it.
"""

import re
from dataclasses import dataclass

from recalld.recall.deictic import MAX_WORDS, content_words, is_deictic
from recalld.recall.gate_control import read_control
from recalld.recall.gate_rules import ACTIONS, DEMANDS, EXTENDED, OPENS, PAST, Tier
from recalld.recall.gate_rules.model import OPEN, Rule
from recalld.recall.gate_rules.names import may_name_somebody
from recalld.recall.gate_rules.relation import asks_own_relation
from recalld.recall.model import GateVerdict, RouteKind, Verdict
from recalld.recall.policy import GatePolicy, TriggerPolicy
from recalld.text.folding import folded
from recalld.text.prose import visible_prose


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


# The ask stands at one end of a long message; what lies between is material.
END_SENTENCES = 6
MAX_SENTENCE_CHARS = 320
MAX_SMALL_TALK_WORDS = 6

_SENTENCE = re.compile(r"[^。！？!?\n;；]{1,2000}[。！？!?;；]*")
_FULL_STOP = re.compile(r"(?<=[a-z\d)][.])\s+(?=[A-Z])")
_WORDS = re.compile(r"[a-z0-9']+")
_SMALL_WORDS = _set(
    """
    ok okay k kk thanks thank thx ty tks cheers you u so very much a lot great cool nice perfect
    awesome excellent good well done work job hi hello hey yo there bye goodbye goodnight morning
    afternoon evening night ping pong yes yeah yep no nope sure got it noted understood right fine
    lol haha please sorry np welcome that's thats all is everything for now appreciated alright
    wow amazing brilliant sounds see later fantastic super
    """
)
_SMALL_CJK = re.compile(
    r"(?:好的?|好吧|好啊|好嘞|好滴|嗯|哦|噢|喔|行|可以|是的?|对的?|没事|谢谢|谢了|谢|多谢|感谢|你"
    r"|您|啦|大家|辛苦|了|收到"
    r"|明白|知道|了解|懂|你好|您好|嗨|哈喽|呀|啊|早上好|早安|早|晚上好|晚安|下午好|中午好|再见"
    r"|拜拜|哈|呵|在吗|在|棒|厉害"
    r"|赞|不客气|没问题|完美|太|真|不错|很|非常|没|吧|的|就这样|先这样|回头见|测试)+"
)
# Asks for public knowledge or for work on what the message itself brings along.
_SELF_CONTAINED = re.compile(
    r"^(?:please |can you |could you |hey,? |hi,? )*(?:what(?:'s| is| are| does| do| role"
    r"| causes?)\b"
    r"|explain|define|describe|how (?:do|does|to|did|is|are|can|many)\b|why (?:do|does|is|are"
    r"|did)\b"
    r"|who (?:is|was|invented|wrote)\b|when (?:did|was|is)\b|write|implement|create|generate|make"
    r"|translate|summari[sz]e|list|give me|tell me about|calculate|convert|compare|rename|sort"
    r"|does\b"
    r"|is there|are there)|^(?:请|帮我|麻烦|给我|能不能|可以)*(?:写|翻译|解释|介绍|讲讲|讲解|说说"
    r"|计算|算|列出|列举|描述"
    r"|生成|创建|实现|比较|对比|推荐|总结)|什么是|是什么|什么意思|有什么区别|有哪些|怎么|如何"
    r"|为什么|为啥|多少|什么关系|哪里|哪个"
)
_PERSON = re.compile(r"\b(?:i|we|me|us|my|our|mine|ours|i'm|i've|i'd)\b|我|咱|俺")


_CJK = re.compile(r"[\u3400-\u9fff]")
# One word is a name in a Chinese sentence; a message of one word has no grammar to match.
_ENGLISH = re.compile(r"[a-z']{1,30}[ ,]+[a-z']|^\W*[a-z' ]+\W*$")

_POINTS_ONLY = OPEN.rule("deictic", "")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Said:
    """The sentences of a message: as written, lower-cased, of these each language's, and of
    the written ones those that may name a person."""

    cased: tuple[str, ...]
    lower: tuple[str, ...]
    chinese: tuple[str, ...]
    english: tuple[str, ...]
    named: tuple[str, ...]


def decide(text: str, *, policy: TriggerPolicy, gate: GatePolicy) -> GateVerdict:
    """The verdict on a cleaned message; ``query`` never holds a prefix or an option."""
    control = read_control(text, policy)
    query = control.rest
    if not text.strip():
        return _no("empty", "empty", "")
    if control.suppressed:
        return _no("suppressed", control.prefix, query)
    if control.forced and not query:
        return _no("empty", control.prefix, "")
    if control.forced:
        return GateVerdict(
            verdict=Verdict.YES,
            reason="explicit_prefix",
            rule=control.prefix,
            confidence=1.0,
            query=query,
            depth=control.depth,
            route=control.route,
        )
    return _by_mode(query, policy) or _by_words(query, gate)


def _by_mode(query: str, policy: TriggerPolicy) -> GateVerdict | None:
    if policy.mode == "always":
        return _yes("mode_always", "always", query)
    plain = query.casefold()
    keyword = next((k for k in policy.additional_keywords if k.casefold() in plain), None)
    if keyword is not None:
        return _yes("custom_keyword", keyword, query)
    if policy.mode == "explicit":
        return _no("mode_explicit", "explicit", query)
    return None


def _by_words(query: str, gate: GatePolicy) -> GateVerdict:
    if is_small_talk(query):
        return _no("small_talk", "small_talk", query)
    said = _said(query)
    found = _first(DEMANDS, said)
    if found is None and any(asks_own_relation(sentence) for sentence in said.cased):
        return _yes("user_specific_context", "own_relation", query, RouteKind.GRAPH)
    for tier in (PAST, EXTENDED, ACTIONS, OPENS) if gate.extended else (PAST, ACTIONS):
        found = found or _first(tier, said)
    if found is not None:
        return _verdict_of(found, query)
    if gate.extended and _points_only(query):
        return _verdict_of(_POINTS_ONLY, query)
    public = any(_SELF_CONTAINED.search(s) and not _PERSON.search(s) for s in said.lower)
    reason = "self_contained" if public else "default"
    return _no(reason, reason, query)


def is_small_talk(text: str) -> bool:
    """True for greetings, thanks, acknowledgements, and messages without a letter or digit."""
    plain = folded(text).lower()
    words = _WORDS.findall(plain)
    rest = "".join(c for c in _WORDS.sub("", plain) if c.isalpha())
    if len(words) > MAX_SMALL_TALK_WORDS or not all(word in _SMALL_WORDS for word in words):
        return False
    return not rest or (len(rest) <= 16 and _SMALL_CJK.fullmatch(rest) is not None)


def _points_only(query: str) -> bool:
    return len(query.split()) <= MAX_WORDS and is_deictic(query) and content_words(query) == 0


def _sentences(prose: str) -> tuple[str, ...]:
    """The first and last sentences, folded, each cut to its first characters."""
    found = [
        part.strip()[:MAX_SENTENCE_CHARS]
        for sentence in _SENTENCE.findall(prose)
        for part in _FULL_STOP.split(sentence)
        if part.strip()
    ]
    if len(found) > 2 * END_SENTENCES:
        found = [*found[:END_SENTENCES], *found[-END_SENTENCES:]]
    return tuple(folded(sentence) for sentence in found)


def _said(query: str) -> _Said:
    cased = _sentences(visible_prose(query))
    lower = tuple(sentence.lower() for sentence in cased)
    return _Said(
        cased=cased,
        lower=lower,
        chinese=tuple(s for s in lower if _CJK.search(s)),
        english=tuple(s for s in lower if _ENGLISH.search(s)),
        named=tuple(s for s in cased if may_name_somebody(s)),
    )


def _first(tier: Tier, said: _Said) -> Rule | None:
    """The first rule that fires in any sentence; Chinese rules come before English ones."""
    for rules, sentences in (
        (tier.chinese, said.chinese),
        (tier.english, said.english),
        (tier.cased, said.named),
    ):
        for rule in rules if sentences else ():
            if any(map(rule.fires, sentences)):
                return rule
    return None


def _verdict_of(rule: Rule, query: str) -> GateVerdict:
    return GateVerdict(
        verdict=rule.verdict,
        reason=rule.reason,
        rule=rule.name,
        confidence=rule.confidence,
        query=query,
        route=rule.route,
    )


def _yes(reason: str, rule: str, query: str, route: RouteKind | None = None) -> GateVerdict:
    return GateVerdict(
        verdict=Verdict.YES, reason=reason, rule=rule, confidence=0.9, query=query, route=route
    )


def _no(reason: str, rule: str, query: str) -> GateVerdict:
    return GateVerdict(verdict=Verdict.NO, reason=reason, rule=rule, confidence=0.9, query=query)
