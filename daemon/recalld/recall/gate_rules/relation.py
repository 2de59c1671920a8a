"""Questions how two things hang together, told apart by whose things they are.

"human-gate and Codex" are somebody's; France and Germany are everybody's, and so are two
well-known packages, however technical their names look.
"""

import re


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ASKED = re.compile(
    r"(?P<a>[^,。?!\s][^,。?!]{0,40}?) ?(?:和|与|跟|同"
    r"|以及) ?(?P<b>[^,。?!]{1,40}?) ?(?:之间)? ?(?:的|有|是)(?:什么|啥|怎样的?|哪些"
    r"|没有)? ?(?:关系|关联|联系|依赖)"
    r"|(?i:relation(?:ship)?s? between) (?P<c>[^,?!]{1,40}?) (?i:and) (?P<d>[^,?!]{1,40})"
    r"|(?i:how (?:is|are|does|do)) (?P<e>[^,?!]{1,40}?) (?i:related to|connected to|relate to"
    r"|depend on|tied to|linked to) (?P<f>[^,?!]{1,40})"
)
# One of these is in every such question, and in few others.
_STEM = re.compile(r"关系|关联|联系|依赖|(?i:relat|connected to|depend on|tied to|linked to)")
_MINE = re.compile(r"(?i:\b(?:my|our|i|we|me|us)\b)|我|咱")
_IDENTIFIER = re.compile(
    r"[A-Za-z][A-Za-z0-9]*(?:[-_.][A-Za-z0-9]+)+|[A-Za-z]*[a-z][A-Z][A-Za-z0-9]*"
)
_PUBLIC = _words(
    """
    scikit-learn node.js next.js vue.js nuxt.js react.js three.js d3.js express.js asp.net tf-idf
    javascript typescript github gitlab openai chatgpt postgresql mysql mongodb sqlite pytorch
    tensorflow numpy jupyterlab youtube iphone ios macos covid-19 x-ray b-tree t-test k-means
    f-string opencv fastapi graphql websocket oauth deepseek huggingface langchain
    """
)


def asks_own_relation(sentence: str) -> bool:
    """True if a relation is asked for and one side is the speaker's or a private identifier."""
    match = _ASKED.search(sentence) if _STEM.search(sentence) else None
    if match is None:
        return False
    sides = " , ".join(side for side in match.groups() if side)
    if _MINE.search(sides):
        return True
    names = [m.group().lower() for m in _IDENTIFIER.finditer(sides)]
    return any(name not in _PUBLIC for name in names)
