"""The question with the key terms of what it asks about. Pure."""

import re

from recalld.recall.model import Depth, Route

# The first axis whose words the question holds. The terms are English for every language: the
# words under which decisions and dates stand in technical notes.
AXES: tuple[tuple[str, re.Pattern[str], str], ...] = (
    (
        "temporal",
        re.compile(
            r"\b(?:when|since|until|timeline|date|deadline|latest|recent(?:ly)?|now|currently|"
            r"status|progress|changed?)\b|什么时候|何时|几号|哪天|最近|现在|目前|进展|进度|推进|"
            r"到哪|状态|变化|改成|以前",
            re.IGNORECASE,
        ),
        "timeline status update",
    ),
    (
        "relation",
        re.compile(
            r"\b(?:relat(?:ed|ion|ionship)|depends?|dependency|between|connect(?:ed|ion)?|"
            r"linked|uses?)\b|关系|依赖|关联|相关|联系|之间",
            re.IGNORECASE,
        ),
        "relationship dependency",
    ),
    (
        "preference",
        re.compile(
            r"\b(?:prefer(?:ence|red|s)?|favou?rite|like[ds]?|usual(?:ly)?|habit|style|choice|"
            r"cho(?:ose|se|sen))\b|偏好|喜欢|习惯|风格|爱用|常用|选择|选了",
            re.IGNORECASE,
        ),
        "preference choice",
    ),
    (
        "project",
        re.compile(
            r"\b(?:project|plugin|repo(?:sitory)?|service|module|feature|release|deploy(?:ment)?|"
            r"plan|task)\b|项目|插件|仓库|服务|模块|功能|发布|部署|方案|计划|任务",
            re.IGNORECASE,
        ),
        "project decision plan",
    ),
)
DEFAULT_TERMS = "decision context"


def axis_of(query: str) -> tuple[str, str]:
    """The name of the question's axis and its terms; ``default`` where none fits."""
    for name, pattern, terms in AXES:
        if pattern.search(query):
            return name, terms
    return "default", DEFAULT_TERMS


def plan(query: str) -> str | None:
    return f"{query} {axis_of(query)[1]}"


ROUTE = Route(
    name="det:axis",
    depths=frozenset({Depth.BALANCED, Depth.DEEP}),
    plan=plan,
    weight=lambda _: 1.0,
)
