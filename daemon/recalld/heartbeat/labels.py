"""What a message calls things, in English and in Chinese. Pure."""

import re
from collections.abc import Mapping
from types import MappingProxyType

from recalld.heartbeat.model import Autonomy, Period
from recalld.heartbeat.urgency import Urgency
from recalld.heartbeat.wording import Phrase

LABELS: Mapping[str, Phrase] = MappingProxyType(
    {
        "nudge": Phrase("Nudge", "轻推"),
        "priority": Phrase("Priority", "优先"),
        "welcome": Phrase(
            "Next to nothing is remembered yet. Say what you are working on and what is due, "
            "and it will be brought up in time.",
            "目前几乎没有记忆。告诉我你正在做什么、什么快到期，到时会提醒你。",
        ),
        "urgency": Phrase("Urgency: {0}", "紧急程度：{0}"),
        "tone": Phrase("Tone: {0}; {1}", "语气：{0}；{1}"),
        "signals": Phrase("Signals:", "信号："),
        "check": Phrase("{0} ({1}):", "{0}（{1}）："),
        "more": Phrase("… and {0} more", "……另有 {0} 项"),
        "related": Phrase("Related past context:", "相关的过往："),
        "linked": Phrase(
            "Related past context (linked without a model):", "相关的过往（未经模型关联）："
        ),
        "time": Phrase("Time: {0}, {1}", "时间：{0}，{1}"),
        "actions": Phrase("Actions:", "行动："),
        "tell": Phrase("Tell the User: {0}", "告知用户：{0}"),
        "last": Phrase("Urgency: {0} | Mode: {1}", "紧急程度：{0} | 模式：{1}"),
    }
)
URGENCIES: Mapping[Urgency, Phrase] = MappingProxyType(
    {
        Urgency.NONE: Phrase("none", "无"),
        Urgency.LOW: Phrase("low", "低"),
        Urgency.MEDIUM: Phrase("medium", "中"),
        Urgency.HIGH: Phrase("high", "高"),
        Urgency.CRITICAL: Phrase("critical", "紧急"),
    }
)
MODES: Mapping[Autonomy, Phrase] = MappingProxyType(
    {
        Autonomy.OBSERVE: Phrase("observe", "观察"),
        Autonomy.SUGGEST: Phrase("suggest", "建议"),
        Autonomy.ACT: Phrase("act", "行动"),
    }
)
VOICES: Mapping[Autonomy, Phrase] = MappingProxyType(
    {
        Autonomy.OBSERVE: Phrase("for your information", "仅供参考"),
        Autonomy.SUGGEST: Phrase("offer one thing", "只提议一件事"),
        Autonomy.ACT: Phrase("say what is being done", "说明正在做什么"),
    }
)
# By how often a topic has been brought up; more often than that is the last one.
TONES = (
    Phrase("casual", "随意"),
    Phrase("direct", "直接"),
    Phrase("offer help", "主动提供帮助"),
    Phrase("another angle", "换个角度"),
)
PERIODS: Mapping[Period, Phrase] = MappingProxyType(
    {
        Period.MORNING: Phrase("morning", "早晨"),
        Period.WORKING: Phrase("working hours", "工作时间"),
        Period.EVENING: Phrase("evening", "傍晚"),
        Period.LATE_NIGHT: Phrase("late night", "深夜"),
        Period.QUIET: Phrase("quiet hours", "安静时段"),
    }
)
CHECK_NAMES: Mapping[str, Phrase] = MappingProxyType(
    {
        "scheduled": Phrase("SCHEDULED", "定时提醒"),
        "deadlines": Phrase("DEADLINES", "截止时间"),
        "conflicts": Phrase("CONFLICTS", "互相矛盾"),
        "continuity": Phrase("INTERRUPTED WORK", "中断的工作"),
        "stale_monitors": Phrase("STALE MONITORS", "久未查看"),
        "memory_velocity": Phrase("NEW MEMORIES", "新增记忆"),
        "failing_tests": Phrase("FAILING TESTS", "失败的测试"),
        "blocker": Phrase("BLOCKERS", "受阻"),
        "pending_work": Phrase("PENDING WORK", "待办"),
        "goal_progress": Phrase("GOAL PROGRESS", "目标进展"),
        "knowledge_gaps": Phrase("OPEN QUESTIONS", "尚无答案"),
        "positive_deltas": Phrase("IMPROVEMENTS", "好转"),
        "git": Phrase("REPOSITORY", "代码仓库"),
        "decaying": Phrase("FADING", "快要淡忘"),
        "sentiment": Phrase("MOOD", "情绪"),
        "relationship": Phrase("SILENT", "久无消息"),
        "patterns": Phrase("USUAL TODAY", "今日常有"),
    }
)
OTHER = Phrase("OTHER", "其他")
RESOLVED = Phrase("resolved", "已解决")
BELONGS = Phrase("for: {0}", "关于：{0}")

_AGE = re.compile(r"(\d{1,9}) (minute|hour|day|week|month|year)s? ago")
_UNITS: Mapping[str, str] = MappingProxyType(
    {
        "minute": "分钟",
        "hour": "小时",
        "day": "天",
        "week": "周",
        "month": "个月",
        "year": "年",
    }
)


def chinese_age(age: str) -> str:
    """An English age in Chinese; what is none stays.

    >>> chinese_age("2 days ago"), chinese_age("just now")
    ('2 天前', '刚刚')
    """
    found = _AGE.fullmatch(age)
    if found is None:
        return "刚刚" if age == "just now" else age
    return f"{found[1]} {_UNITS[found[2]]}前"


def tone(escalation: int) -> Phrase:
    """How a topic is brought up for the so-manieth time."""
    return TONES[min(max(escalation, 1), len(TONES)) - 1]
