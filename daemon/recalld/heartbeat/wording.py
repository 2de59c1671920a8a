"""The titles of signals, in English and in Chinese. Pure.

A title that quotes a memory is in the memory's language; one about the user is in the language
that most of the user's newest memories are in.
"""

import re
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from itertools import islice
from types import MappingProxyType
from typing import NamedTuple
from zoneinfo import ZoneInfo

from recalld.heartbeat.model import Snapshot
from recalld.memories.model import MemoryType
from recalld.text.language import is_cjk

MAX_TITLE_CHARS = 160
MAX_QUOTED_CHARS = 120
# So many of the newest memories tell which language the user has.
ASKED_FOR_LANGUAGE = 20

_BLANKS = re.compile(r"[\s\x00-\x1f\x7f-\x9f]+")


class Phrase(NamedTuple):
    english: str
    chinese: str


PHRASES: Mapping[str, Phrase] = MappingProxyType(
    {
        "scheduled": Phrase("Scheduled for now: {text}", "定时提醒：{text}"),
        "missed": Phrase("Missed, was due {at}: {text}", "已错过，原定 {at}：{text}"),
        "due": Phrase("Due in {span}: {text}", "还剩 {span}：{text}"),
        "overdue": Phrase("Overdue by {span}: {text}", "已逾期 {span}：{text}"),
        "pending": Phrase("Pending: {text}", "待办：{text}"),
        "decaying": Phrase("Important and fading: {text}", "重要但快要淡忘：{text}"),
        "conflict": Phrase("Contradicted: {text}", "互相矛盾：{text}"),
        "monitor": Phrase("Not looked at for {span}: {text}", "已有 {span}没有查看：{text}"),
        "on_track": Phrase("On track: {text}", "进展顺利：{text}"),
        "at_risk": Phrase("At risk, {span} left: {text}", "有风险，还剩 {span}：{text}"),
        "stalled": Phrase("Stalled: {text}", "停滞：{text}"),
        "continuity": Phrase("Interrupted {span} ago: {text}", "{span}前中断：{text}"),
        "velocity": Phrase(
            "{count} new memories since the last message", "上次消息以来新增 {count} 条记忆"
        ),
        "gap": Phrase("Unanswered: {text}", "尚无答案：{text}"),
        "goal_improved": Phrase("Moving forward: {text}", "有进展：{text}"),
        "entity_reengaged": Phrase("Back after {span}: {text}", "时隔 {span}又有消息：{text}"),
        "sentiment_improved": Phrase("The mood is better than before", "情绪比之前好转"),
        "improving": Phrase("The mood is improving", "情绪在好转"),
        "declining": Phrase("The mood is declining", "情绪在变差"),
        "notable": Phrase("Strong feelings lately", "最近情绪强烈"),
        "silent": Phrase("Nothing about {text} for {span}", "已有 {span}没有 {text} 的消息"),
        "pattern": Phrase("Usual on a {day}: {text}", "{day}常有：{text}"),
        "branch": Phrase(
            "Now on branch {text}, before on {old}", "已切换到分支 {text}，之前在 {old}"
        ),
        "touched": Phrase("{path} was changed: {text}", "{path} 已改动：{text}"),
        "reverted": Phrase("Reverted: {text}", "已回退：{text}"),
        "failing": Phrase("{count} failing in {text}", "{text} 中有 {count} 个失败的测试"),
        "blocked": Phrase("Blocked for {span}: {text}", "已受阻 {span}：{text}"),
    }
)
TYPE_NAMES: Mapping[MemoryType, Phrase] = MappingProxyType(
    {
        MemoryType.IDENTITY: Phrase("facts about people", "身份信息"),
        MemoryType.PREFERENCE: Phrase("preferences", "偏好"),
        MemoryType.RELATIONSHIP: Phrase("people and their ties", "人际关系"),
        MemoryType.EVENT: Phrase("events", "事件"),
        MemoryType.ACTIVITY: Phrase("work in progress", "进行中的工作"),
        MemoryType.PLAN: Phrase("plans", "计划"),
        MemoryType.CONTEXT: Phrase("background", "背景信息"),
        MemoryType.EPHEMERAL: Phrase("passing notes", "临时记录"),
    }
)
_WEEKDAYS = (
    *(Phrase("Monday", "周一"), Phrase("Tuesday", "周二"), Phrase("Wednesday", "周三")),
    *(Phrase("Thursday", "周四"), Phrase("Friday", "周五"), Phrase("Saturday", "周六")),
    Phrase("Sunday", "周日"),
)
_UNITS = (
    (timedelta(hours=48), timedelta(days=1), Phrase("day", "天")),
    (timedelta(hours=1), timedelta(hours=1), Phrase("hour", "小时")),
    (timedelta(0), timedelta(minutes=1), Phrase("minute", "分钟")),
)


def title(kind: str, text: str, *, chinese: bool | None = None, **values: object) -> str:
    """One line, at most 160 characters. ``chinese``: None is the language of ``text``.

    Of ``values`` a ``span`` is a timedelta and a ``day`` the number of a weekday.
    """
    in_chinese = is_cjk(text) if chinese is None else chinese
    said = {name: _said(name, value, in_chinese) for name, value in values.items()}
    phrase = PHRASES[kind][int(in_chinese)]
    return quoted(phrase.format(text=quoted(text), **said), MAX_TITLE_CHARS)


def quoted(text: str, limit: int = MAX_QUOTED_CHARS) -> str:
    """The text in one line, without control characters; cut with an ellipsis."""
    line = _BLANKS.sub(" ", text).strip()
    return line if len(line) <= limit else f"{line[: limit - 1].rstrip()}…"


def local(at: datetime, zone: ZoneInfo) -> str:
    """A moment as a clock in the zone shows it."""
    return f"{at.astimezone(zone):%Y-%m-%d %H:%M}"


def prefers_chinese(snapshot: Snapshot) -> bool:
    """Whether at least half of the newest memories are in Chinese; False without any."""
    newest = list(islice(reversed(snapshot.said), ASKED_FOR_LANGUAGE))
    return bool(newest) and 2 * sum(is_cjk(one.content) for one in newest) >= len(newest)


def listed(texts: Iterable[str], *, chinese: bool) -> str:
    return ("；" if chinese else "; ").join(texts)


def _said(name: str, value: object, chinese: bool) -> str:  # noqa: FBT001 - a language, not a flag
    if isinstance(value, timedelta):
        return _span(value, chinese=chinese)
    if name == "day" and isinstance(value, int):
        return _WEEKDAYS[value][int(chinese)]
    return quoted(str(value))


def _span(span: timedelta, *, chinese: bool) -> str:
    """In whole units, at least one minute."""
    length = max(abs(span), timedelta(minutes=1))
    unit, name = next((unit, name) for least, unit, name in _UNITS if length >= least)
    count = length // unit
    if chinese:
        return f"{count} {name.chinese}"
    return f"{count} {name.english}" + ("s" if count != 1 else "")
