"""What the user is told: with a language model's words and without them."""

import struct
from io import BytesIO
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings

from recalld.heartbeat.brief import block
from recalld.heartbeat.checks import CHECKS
from recalld.heartbeat.labels import CHECK_NAMES, OTHER, chinese_age
from recalld.heartbeat.message import SUMMARY_CHARS, message
from recalld.heartbeat.model import Autonomy, Enrichment, Period, Reason, Tier
from recalld.heartbeat.telling import Telling
from recalld.memories.model import MemoryState
from support.snapshots import a_memory, a_snapshot
from support.telling_scene import a_related, a_signal, a_telling, an_analysis, hostile_tellings

MOST_CHARS = 5_000


def test_with_an_analysis_it_is_the_models_words():
    told = message(a_telling(a_signal("Pending: ship"), analysis=an_analysis()))
    assert told.split("\n") == [
        "[HIGH] Finish the importer",
        "Actions:",
        "- Open the pull request",
        "Tell the User: The importer is due today.",
        "Urgency: high | Mode: suggest",
    ]


def test_with_an_analysis_in_chinese_so_are_the_labels():
    asked = an_analysis(
        action_brief="今天要完成导入器",
        recommended_actions=("提交合并请求", " "),
        user_facing="导入器今天到期。",
        urgency="critical",
        autonomy=Autonomy.ACT,
    )
    assert message(a_telling(a_signal("待办：导入器"), analysis=asked)).split("\n") == [
        "[紧急] 今天要完成导入器",
        "行动：",
        "- 提交合并请求",
        "告知用户：导入器今天到期。",
        "紧急程度：紧急 | 模式：行动",
    ]


def test_what_the_model_left_out_leaves_no_heading():
    asked = an_analysis(recommended_actions=(), user_facing="")
    assert message(a_telling(a_signal("Pending: ship"), analysis=asked)).split("\n") == [
        "[HIGH] Finish the importer",
        "Urgency: high | Mode: suggest",
    ]


@pytest.mark.parametrize(
    "changes",
    [
        {"analysis": an_analysis(should_act=False)},
        {"analysis": an_analysis(action_brief="")},
        {"analysis": an_analysis(action_brief="\u200b \n\u2028")},
        {"act": False, "reason": Reason.SUPPRESS_STALE},
        {"act": False, "reason": Reason.SIGNALS_ONLY},
    ],
)
def test_it_is_empty_where_nothing_is_to_be_said(changes: dict[str, object]):
    assert message(a_telling(a_signal("Pending: ship"), **changes)) == ""


def test_an_act_about_nothing_says_nothing():
    assert message(a_telling()) == ""
    assert message(a_telling(reason=Reason.NUDGE)) == ""


def test_without_a_model_it_says_what_is_foremost_what_changed_and_what_is_related():
    due = a_signal("Overdue by 2 hours: pay the rent", check="deadlines", tier=Tier.IMMEDIATE)
    new = a_signal("7 new memories since", check="memory_velocity", tier=Tier.ELEVATED)
    better = a_signal("Moving forward: the importer", check="positive_deltas")
    past = Enrichment(related=(a_related("Paid late in May: 20 € fee", signal=due),))
    told = message(a_telling(due, new, better, enrichment=past, escalation=2))
    assert told.split("\n") == [
        "[Priority] Overdue by 2 hours: pay the rent",
        "Urgency: critical",
        "Tone: direct; offer one thing",
        "7 new memories since",
        "[+] Moving forward: the importer",
        "Signals:",
        "DEADLINES (1):",
        "- Overdue by 2 hours: pay the rent",
        "NEW MEMORIES (1):",
        "- 7 new memories since",
        "IMPROVEMENTS (1):",
        "- Moving forward: the importer",
        "Related past context (linked without a model):",
        '- [2 days ago] "Paid late in May: 20 € fee"',
        "Time: 2026-06-10 12:00 (UTC), working hours",
    ]


def test_without_a_model_it_speaks_chinese_of_what_is_chinese():
    due = a_signal("还剩 2 小时：交房租", check="deadlines", tier=Tier.IMMEDIATE)
    other = a_signal("待办：整理发票", check="pending_work")
    past = Enrichment(
        related=(a_related("五月的房租交晚了，罚了二十块", signal=due, age="3 weeks ago"),)
    )
    told = message(a_telling(due, other, enrichment=past, period=Period.MORNING))
    assert told.split("\n") == [
        "[优先] 还剩 2 小时：交房租",
        "紧急程度：紧急",
        "语气：随意；只提议一件事",
        "信号：",
        "截止时间（1）：",
        "- 还剩 2 小时：交房租",
        "待办（1）：",
        "- 待办：整理发票",
        "相关的过往（未经模型关联）：",
        '- [3 周前] "五月的房租交晚了，罚了二十块"',
        "时间：2026-06-10 12:00 (UTC)，早晨",
    ]


def test_a_lone_signal_is_not_told_twice():
    told = message(a_telling(a_signal("Pending: ship")))
    assert told.count("Pending: ship") == 1
    assert "Signals:" not in told


def test_local_linking_can_be_turned_off():
    due = a_signal("Pending: ship")
    past = Enrichment(related=(a_related("Shipped late in May", signal=due),))
    assert "Shipped late" in message(a_telling(due, enrichment=past))
    assert "Shipped late" not in message(a_telling(due, enrichment=past, link="off"))


def test_with_an_analysis_the_past_is_left_to_the_models_words():
    due = a_signal("Pending: ship")
    past = Enrichment(related=(a_related("Shipped late in May", signal=due),))
    assert "Shipped" not in message(a_telling(due, enrichment=past, analysis=an_analysis()))


def test_a_nudge_quotes_what_it_is_about():
    told = message(a_telling(reason=Reason.NUDGE, nudge=a_memory("n", "Learn\nto juggle")))
    assert told.startswith("[Nudge] Learn to juggle\nUrgency: low\nTone: casual; ")
    assert message(a_telling(reason=Reason.NUDGE, nudge=a_memory("n", "学会抛接球"))).startswith(
        "[轻推] 学会抛接球\n紧急程度：低\n"
    )


def test_a_first_contact_speaks_the_users_language():
    english = message(a_telling(reason=Reason.FIRST_CONTACT))
    assert english.startswith("[Priority] Next to nothing is remembered yet.")
    seen = a_snapshot(a_memory("m", "我在写导入器"))
    assert message(a_telling(reason=Reason.FIRST_CONTACT, snapshot=seen)).startswith("[优先] 目前")


@pytest.mark.parametrize(
    ("escalation", "tone"),
    [(0, "casual"), (1, "casual"), (2, "direct"), (3, "offer help"), (4, "another angle"),
     (9, "another angle")],
)  # fmt: skip
def test_the_tone_follows_how_often_it_was_said(escalation: int, tone: str):
    told = message(a_telling(a_signal("Pending: ship"), escalation=escalation))
    assert f"Tone: {tone}; " in told


@pytest.mark.parametrize(
    ("autonomy", "voice"),
    [
        (Autonomy.OBSERVE, "for your information"),
        (Autonomy.SUGGEST, "offer one thing"),
        (Autonomy.ACT, "say what is being done"),
    ],
)
def test_the_voice_follows_the_autonomy(autonomy: Autonomy, voice: str):
    assert f"; {voice}\n" in message(a_telling(a_signal("Pending: ship"), autonomy=autonomy))


@pytest.mark.parametrize(
    ("tier", "reason", "urgency"),
    [
        (Tier.IMMEDIATE, Reason.ACT_DEADLINE_CRITICAL, "critical"),
        (Tier.ELEVATED, Reason.ACT, "high"),
        (Tier.NORMAL, Reason.ACT, "medium"),
        (Tier.LOW, Reason.ACT_STALE_ESCALATED, "low"),
        (Tier.LOW, Reason.ACT_CONFLUENCE, "medium"),
        (Tier.NORMAL, Reason.ACT_CONFLUENCE, "medium"),
    ],
)
def test_b9_5_a_tier_becomes_an_urgency_once(tier: Tier, reason: Reason, urgency: str):
    told = message(a_telling(a_signal("Pending: ship", tier=tier), reason=reason))
    assert f"\nUrgency: {urgency}\n" in told


def test_a_change_for_the_better_is_foremost_only_where_it_is_all():
    better = a_signal("Moving forward: x", check="positive_deltas", tier=Tier.NORMAL)
    gap = a_signal("Unanswered: y?", check="knowledge_gaps", tier=Tier.NORMAL)
    assert message(a_telling(better, gap)).startswith("[Priority] Unanswered: y?\n")
    told = message(a_telling(better))
    assert told.startswith("[Priority] Moving forward: x\n")
    assert "[+]" not in told


def summary_of(told: str) -> list[str]:
    lines = told.split("\n")
    start = lines.index("Signals:") + 1
    end = next(at for at, each in enumerate(lines) if each.startswith("Time: "))
    return lines[start:end]


def test_the_summary_is_cut_at_a_line_and_says_how_much_is_missing():
    many = [a_signal(f"Pending: number {n} " + "long " * 12) for n in range(20)]
    summary = summary_of(message(a_telling(*many)))
    assert summary[0] == "PENDING WORK (20):"
    shown = len(summary) - 2
    assert summary[-1] == f"… and {20 - shown} more"
    assert 3 <= shown < 20
    assert len("\n".join(summary)) <= SUMMARY_CHARS


def test_what_is_overdue_is_not_also_told_as_pending():
    rent, report = a_memory("p1", "pay the rent"), a_memory("p2", "write the report")
    told = message(
        a_telling(
            a_signal("Overdue: rent", check="deadlines", tier=Tier.IMMEDIATE, memories=(rent,)),
            a_signal("Pending: rent", memories=(rent,)),
            a_signal("Pending: report", memories=(report,)),
            a_signal("At risk: report", check="goal_progress", memories=(report,)),
        )
    )
    assert "Pending" not in told
    assert "- At risk: report\n" in told
    alone = message(a_telling(a_signal("Pending: rent", memories=(rent,))))
    assert alone.startswith("[Priority] Pending: rent\n")


def test_what_a_check_left_out_is_counted():
    few = a_signal("Pending: ship", detail={"left_out": 12})
    assert summary_of(message(a_telling(few))) == [
        "PENDING WORK (13):",
        "- Pending: ship",
        "… and 12 more",
    ]
    chinese = message(a_telling(a_signal("待办：发布", detail={"left_out": 12})))
    assert "待办（13）：\n- 待办：发布\n……另有 12 项\n" in chinese


def test_the_past_that_says_the_same_is_told_once():
    due = a_signal("Due in 50 minutes: the rent")
    past = tuple(a_related(text, signal=due) for text in ("Paid late", "paid  late", "Paid soon"))
    telling = a_telling(due, enrichment=Enrichment(related=past))
    told = message(telling)
    assert (told.casefold().count("paid"), told.count("Paid late")) == (2, 1)
    assert block(telling).count("Paid") == 2


def test_of_two_languages_the_foremost_has_the_labels():
    english, chinese = a_signal("Scheduled for now: Check the backup"), a_signal("周一常有：事件")
    assert message(a_telling(english, chinese)).startswith("[Priority]")
    assert message(a_telling(chinese, english)).startswith("[优先]")


def test_what_was_resolved_is_called_so_in_chinese():
    due, other = a_signal("待办：发布"), a_signal("待办：备份")
    past = (
        a_related("五月发布失败，已回滚", signal=due, state=MemoryState.RESOLVED),
        a_related("备份放在二号机", signal=other),
    )
    told = message(a_telling(due, other, enrichment=Enrichment(related=past)))
    assert '- [2 天前] "五月发布失败，已回滚" (已解决; 关于：待办：发布)' in told
    assert '- [2 天前] "备份放在二号机" (关于：待办：备份)' in told


# A zone's file as /etc/localtime is one: a head, one offset and what it is called.
NINE_HOURS_AHEAD = b"TZif" + bytes(16) + struct.pack(">6l", 0, 0, 0, 0, 1, 4)
NINE_HOURS_AHEAD += struct.pack(">lbb", 9 * 3_600, 0, 0) + b"JST\0"


def test_a_clock_without_a_name_is_told_by_its_zone():
    nameless = ZoneInfo.from_file(BytesIO(NINE_HOURS_AHEAD))
    told = message(a_telling(a_signal("Pending: ship"), snapshot=a_snapshot(zone=nameless)))
    assert "\nTime: 2026-06-10 21:00 (JST), working hours" in told


def test_angle_brackets_are_escaped_and_an_address_stays_one():
    told = message(a_telling(a_signal("Pending: <b>see</b> https://example.org/?a=1&b=2")))
    assert "&lt;b&gt;see&lt;/b&gt; https://example.org/?a=1&b=2" in told


def test_every_check_has_a_name_in_both_languages():
    assert {check.name for check in CHECKS} == set(CHECK_NAMES)
    assert all(name.english and name.chinese for name in CHECK_NAMES.values())


@pytest.mark.parametrize(
    ("age", "chinese"),
    [
        ("just now", "刚刚"),
        ("1 minute ago", "1 分钟前"),
        ("5 months ago", "5 个月前"),
        ("1 year ago", "1 年前"),
        ("some time", "some time"),
    ],
)
def test_ages_in_chinese(age: str, chinese: str):
    assert chinese_age(age) == chinese


STARTS = (
    *("[", "- ", "Actions:", "Tell the User: ", "Urgency: ", "Tone: ", "Signals:", "Time: "),
    *("行动：", "告知用户：", "紧急程度：", "语气：", "信号：", "时间：", "Related past context"),
    *("相关的过往", "… and ", "……另有 "),
)


@settings(max_examples=100)
@given(hostile_tellings())
def test_no_text_forges_a_line_and_all_bounds_hold(telling: Telling):
    told = message(telling)
    if not told:
        assert not telling.speaks
        return
    told.encode("utf-8")
    lines = told.split("\n")
    assert told.splitlines() == lines
    assert told.startswith("[")
    assert not set("<>") & set(told)
    assert len(told) <= MOST_CHARS
    headings = tuple(name for both in (*CHECK_NAMES.values(), OTHER) for name in both)
    free = [each for each in lines[1:] if not each.startswith((*STARTS, *headings))]
    # What is new has a line of its own, without a label.
    news = [signal for signal in telling.decision.signals if signal.check == "memory_velocity"]
    assert len(free) <= len(news)
    assert sum(each.startswith(("Time: ", "时间：")) for each in lines) <= 1
