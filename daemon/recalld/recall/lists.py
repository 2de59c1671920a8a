"""Questions that many notes answer together: what books, which cities, how many, 哪些. Pure.

The evidence of such a question lies in many places and few of them stand first, so that more
and shorter hits are shown: of all evidence .4 is in the first 5 and .53 in the first 10.
"""

import re

import msgspec

from recalld.recall.policy import RecallPolicy

SHOWN = 10
# Ten snippets with their places fit into the usual 800 tokens.
SNIPPET_CHARS = 120

# A plural right before what it is the object of: "what books did", "which of the cities are".
_NO_PLURAL = r"(?:does|is|was|has|this|its|his|us|as|thus|always|perhaps|news)\b"
_LIST = re.compile(
    rf"\b(?:what|which)(?: (?!{_NO_PLURAL})[a-z-]+){{0,3}}? (?!{_NO_PLURAL})[a-z-]+[^su\W]s"
    r"(?= (?:do|does|did|have|has|had|are|were|can|could|will|would|should|we|you|they|he|she)\b"
    r"| I\b|[?.!]?\s*$)"
    r"|\bwhat (?:kinds|types|sorts) of\b|\bhow many\b|\bboth\b|\b(?:list|name) (?:all|every|the)\b"
    r"|\ball (?:of )?(?:the|my|our|his|her|their)\b"
    r"|哪些|哪几|有几|[几多][个次部本种条项]|列出|列一下|所有的?|全部",
)


def asks_for_list(text: str) -> bool:
    """Whether several notes together answer it."""
    return _LIST.search(text[:1].lower() + text[1:]) is not None


def with_room(policy: RecallPolicy) -> RecallPolicy:
    """``policy`` with room for more and shorter hits; never for fewer or longer ones."""
    return msgspec.structs.replace(
        policy,
        top_k=max(policy.top_k, SHOWN),
        snippet_chars=min(policy.snippet_chars, SNIPPET_CHARS),
    )
