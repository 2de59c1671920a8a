"""Each of the eight checks: what makes it speak, what does not, and where the line runs."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from recalld.continuity.checkpoint import parse, render
from recalld.continuity.doctor import CHECKS, GRACE, OLD, SAME_TIME, VERY_OLD, diagnose
from recalld.continuity.findings import (
    Activity,
    Copy,
    Examined,
    Exchange,
    Finding,
    Plan,
    Severity,
    worst,
)
from recalld.continuity.model import Checkpoint

NOW = datetime(2026, 8, 1, 12, 0, tzinfo=UTC)
OK, INFO, WARNING, CRITICAL = Severity.OK, Severity.INFO, Severity.WARNING, Severity.CRITICAL
SECOND = timedelta(seconds=1)
WORK = Checkpoint(
    objective="Migrate the invoice export to the new schema",
    current_step="Tables copied",
    key_decisions=("Keep the old table: audits read it",),
    next_action="Run the row count check",
    updated_at=NOW,
)
WORK_ZH = Checkpoint(
    objective="把发票导出迁移到新的数据库",
    current_step="表已经复制",
    next_action="核对行数",
    updated_at=NOW,
)
TEMPLATE = """# Current State
> Last updated: YYYY-MM-DDTHH:MM:SSZ

```markdown
## Objective
[what we are doing]

## Current Step
TBD

## Key Decisions
-

## Next Action
<!-- fill in -->

---

## Blockers
None

## Unsurfaced Results
N/A
```
"""


def seen(checkpoint: Checkpoint = WORK, **more) -> Examined:
    """A workspace with everything in order, but for ``more``."""
    archive = (Copy(name="2026-08-01_11-00-00.md", at=NOW, checkpoint=checkpoint),)
    given = {"modified_at": NOW, "parsed": parse(render(checkpoint)), "archive": archive, **more}
    return Examined(now=NOW, **given)


def of_text(text: str, **more) -> Examined:
    return seen(parsed=parse(text), **more)


def said(examined: Examined, check: str) -> list[tuple[Severity, str]]:
    return [(one.severity, one.message) for one in diagnose(examined) if one.check == check]


def judged(examined: Examined, check: str) -> Severity:
    return worst([one for one in diagnose(examined) if one.check == check])


@pytest.mark.parametrize("checkpoint", [WORK, WORK_ZH], ids=["en", "zh"])
def test_a_workspace_in_order_passes_each_of_the_eight_checks(checkpoint: Checkpoint):
    found = diagnose(seen(checkpoint))
    assert [one.check for one in found] == [name for name, _ in CHECKS]
    assert len(CHECKS) == 8
    assert {one.severity for one in found} == {OK}


def test_c3_1_without_a_file_there_is_one_critical_finding_and_no_other_check():
    (only,) = diagnose(Examined(now=NOW, fault="memory/CURRENT_STATE.md is not there"))
    assert (only.check, only.severity) == ("file", CRITICAL)
    assert only.message == "memory/CURRENT_STATE.md is not there"


@pytest.mark.parametrize(
    ("behind", "severity"),
    [
        (timedelta(0), OK),
        (-timedelta(days=30), OK),
        (GRACE, OK),
        (GRACE + SECOND, WARNING),
        (timedelta(days=2), WARNING),
    ],
)
def test_c3_2_a_checkpoint_is_stale_when_a_session_did_more_since(behind, severity):
    activity = Activity(at=NOW + behind, seen_in="a codex transcript")
    found = said(seen(activity=activity), "staleness")
    assert [one for one, _ in found] == [severity]
    assert ("a codex transcript" in found[0][1]) == (severity is WARNING)


def test_c3_2_known_activity_counts_more_than_age():
    old = NOW - timedelta(days=9)
    activity = Activity(at=old, seen_in="kept by the daemon")
    quiet = seen(replace(WORK, updated_at=old), modified_at=old, activity=activity)
    assert judged(quiet, "staleness") is OK


@pytest.mark.parametrize(
    ("age", "severity"),
    [
        (timedelta(0), OK),
        (OLD, OK),
        (OLD + SECOND, INFO),
        (VERY_OLD, INFO),
        (VERY_OLD + SECOND, WARNING),
    ],
)
def test_c3_2_without_known_activity_age_decides(age, severity):
    at = NOW - age
    found = said(seen(replace(WORK, updated_at=at), modified_at=at), "staleness")
    assert [one for one, _ in found] == [severity]


def test_c3_2_what_is_idle_cannot_be_behind():
    at = NOW - timedelta(days=9)
    idle = Checkpoint(updated_at=at)
    activity = Activity(at=NOW, seen_in="kept by the daemon")
    assert judged(seen(idle, modified_at=at), "staleness") is INFO
    assert judged(seen(idle, modified_at=at, activity=activity), "staleness") is INFO


@pytest.mark.parametrize(
    ("said_at", "modified_at", "severity", "word"),
    [
        (NOW, NOW - SAME_TIME, OK, "0 min"),
        (NOW - SAME_TIME - SECOND, NOW, INFO, "disagree"),
        (NOW, NOW - SAME_TIME - SECOND, INFO, "disagree"),
        (NOW - VERY_OLD - SECOND, NOW, WARNING, "24 h old"),
        (NOW, NOW - VERY_OLD - SECOND, INFO, "0 min old"),
        (NOW + SAME_TIME, NOW, OK, "0 min"),
        (NOW + SAME_TIME + SECOND, NOW, INFO, "future"),
        (None, NOW, INFO, "does not say"),
        (None, None, INFO, "nothing says"),
    ],
)
def test_c3_2_both_times_are_used_and_told_apart(said_at, modified_at, severity, word):
    found = said(seen(replace(WORK, updated_at=said_at), modified_at=modified_at), "staleness")
    assert max(one for one, _ in found) is severity
    assert any(word in message for _, message in found)


def test_c3_2_a_claimed_future_does_not_hide_that_the_file_is_old():
    at = NOW - timedelta(days=2)
    future = replace(WORK, updated_at=NOW + timedelta(days=400))
    assert judged(seen(future, modified_at=at), "staleness") is WARNING


def test_c3_3_each_missing_section_is_a_warning_of_its_own():
    found = said(
        of_text("# Current State\n\n## Objective\nShip it\n\n## Blockers\nNone\n"), "sections"
    )
    assert {one for one, _ in found} == {WARNING}
    names = ("Current Step", "Key Decisions", "Next Action", "Unsurfaced Results")
    assert [message for _, message in found] == [f"the section {n} is missing" for n in names]


@pytest.mark.parametrize(
    ("changes", "severity"),
    [
        ({"Objective": "[what we are doing]"}, WARNING),
        ({"Next Action": "TBD"}, WARNING),
        ({"Next Action": "待填写"}, WARNING),
        ({"Current Step": "TODO"}, INFO),
        ({"Blockers": "[anything that stops us]"}, INFO),
        ({"Blockers": "None"}, OK),
        ({"Blockers": "无"}, OK),
        ({"Objective": "[goal]", "Next Action": "None"}, INFO),
    ],
)
def test_c3_3_placeholder_text_is_worse_where_recovery_needs_the_other_half(changes, severity):
    sections = {
        "Objective": "Ship it",
        "Current Step": "Testing",
        "Key Decisions": "- None",
        "Next Action": "Tag the release",
        "Blockers": "None",
        "Unsurfaced Results": "None",
        **changes,
    }
    text = "# Current State\n" + "".join(f"\n## {n}\n{body}\n" for n, body in sections.items())
    assert judged(of_text(text), "sections") is severity


def test_bc_15_the_unfilled_template_is_called_that():
    template = of_text(TEMPLATE)
    ((severity, message),) = said(template, "sections")
    assert severity is WARNING
    assert "unfilled template" in message
    assert "Objective" in message
    assert "Blockers" not in message
    assert judged(template, "usability") is WARNING
    assert judged(template, "unsurfaced") is OK


@pytest.mark.parametrize(
    ("checkpoint", "severity", "word"),
    [
        (WORK, OK, "Migrate the invoice"),
        (WORK_ZH, OK, "发票导出"),
        (replace(WORK, next_action=""), WARNING, "Next Action says nothing"),
        (replace(WORK, next_action="continue"), WARNING, "names nothing to do"),
        (replace(WORK_ZH, next_action="继续"), WARNING, "names nothing to do"),
        (replace(WORK, objective="continue"), WARNING, "names no work"),
        (replace(WORK, objective="Not logged in · Please run /login"), WARNING, "error message"),
        (replace(WORK, objective=""), WARNING, "without an Objective"),
        (Checkpoint(updated_at=NOW), INFO, "no active work"),
        (replace(WORK, next_action="Continue the copy of the audit rows"), OK, "Migrate"),
    ],
)
def test_c3_4_work_is_usable_with_an_objective_and_something_to_do_next(checkpoint, severity, word):
    found = said(seen(checkpoint), "usability")
    assert max(one for one, _ in found) is severity
    assert any(word in message for _, message in found)


@pytest.mark.parametrize(
    ("results", "severity"),
    [
        ("", OK),
        ("None", OK),
        ("- None", OK),
        ("N/A", OK),
        ("暂无", OK),
        ("[results not shown yet]", OK),
        ("Sub-agent: 12 of 14 files pass", WARNING),
        ("子代理：14 个文件里有 12 个通过", WARNING),
    ],
)
def test_c3_5_results_wait_unless_the_section_says_that_none_do(results, severity):
    text = render(WORK).replace("## Unsurfaced Results\nNone", f"## Unsurfaced Results\n{results}")
    assert judged(of_text(text), "unsurfaced") is severity


def test_c3_6_the_newest_copy_should_exist_and_be_of_the_same_work():
    def copy(objective: str, name: str = "2026-08-01_10-00-00.md") -> Copy:
        return Copy(name=name, at=NOW, checkpoint=replace(WORK, objective=objective))

    assert judged(seen(archive=()), "archive") is INFO
    assert judged(seen(archive=(copy(WORK.objective),)), "archive") is OK
    assert judged(seen(archive=(copy(f" {WORK.objective}\n"),)), "archive") is OK
    other = seen(archive=(copy("Something else"), copy(WORK.objective)))
    ((severity, message),) = said(other, "archive")
    assert severity is INFO
    assert "Something else" in message
    assert judged(seen(unreadable=("2026-08-01_11-30-00.md",)), "archive") is INFO


GREETINGS = {
    "en": Exchange(at=NOW, user="continue", assistant="Hello! How can I help you today?"),
    "zh": Exchange(at=NOW, user="刚才我们说到哪了", assistant="你好！有什么可以帮您的吗？"),
    "mixed": Exchange(at=NOW, user="what were we doing", assistant="您好，很高兴见到你。"),
}


@pytest.mark.parametrize("one", GREETINGS.values(), ids=GREETINGS)
def test_c3_7_a_recovery_question_that_is_met_by_a_greeting_is_a_warning(one: Exchange):
    checkpoint = WORK if one is GREETINGS["en"] else WORK_ZH
    ((severity, message),) = said(seen(checkpoint, exchanges=(one,)), "greeting")
    assert severity is WARNING
    assert one.user in message


@pytest.mark.parametrize(
    "one",
    [
        Exchange(at=NOW, user="continue", assistant="Hi! We are migrating the invoice export."),
        Exchange(at=NOW, user="continue", assistant="Next is the row count check."),
        Exchange(at=NOW, user="continue", assistant="History says the copy is done."),
        Exchange(at=NOW, user="hello", assistant="Hello! How can I help you today?"),
        Exchange(at=NOW - SECOND, user="continue", assistant="Hello there!"),
    ],
    ids=["greets and resumes", "resumes", "hi inside a word", "asked nothing", "before the work"],
)
def test_c3_7_is_silent_where_the_work_is_named_or_nothing_was_to_be_resumed(one: Exchange):
    assert judged(seen(archive=(), exchanges=(one,)), "greeting") is OK


def test_c3_7_judges_by_the_checkpoint_that_was_in_force():
    then = NOW - timedelta(days=1)
    asked = Exchange(at=then + SECOND, user="continue", assistant="Hello! What can I do for you?")
    before = Copy(name="a.md", at=then, checkpoint=replace(WORK, updated_at=then))
    assert judged(seen(archive=(before,), exchanges=(asked,)), "greeting") is WARNING
    idle = replace(before, checkpoint=Checkpoint(updated_at=then))
    assert judged(seen(archive=(idle,), exchanges=(asked,)), "greeting") is OK


@pytest.mark.parametrize(
    ("checkpoint", "text", "severity"),
    [
        (WORK, "- [ ] invoices: move the export", OK),
        (WORK, "- [ ] MIGRATE everything", OK),
        (WORK, "- [ ] water the plants, the new way", INFO),
        (WORK, "", INFO),
        (WORK_ZH, "- [ ] 发票的导出", OK),
        (WORK_ZH, "- [ ] 写周报", INFO),
        (replace(WORK, objective="Plan a trip"), "- [ ] trip", OK),
        (replace(WORK, objective="Plan a trip"), "- [ ] stripes", INFO),
        (replace(WORK, objective="Plan a route"), "- [ ] a plan", INFO),
        (replace(WORK, objective="Plan a route"), "- [ ] routes", OK),
        (replace(WORK, objective="修复 CI"), "- [ ] 修复流水线", OK),
        (Checkpoint(updated_at=NOW), "- [ ] anything", OK),
    ],
)
def test_c3_8_the_objective_should_be_named_in_the_plans(checkpoint, text, severity):
    plans = (Plan(path="tasks.md", text=text),)
    found = said(seen(checkpoint, plans=plans), "plans")
    assert [one for one, _ in found] == [severity]
    assert ("tasks.md" in found[0][1]) == (severity is INFO)


def test_c3_8_one_plan_of_several_is_enough_and_no_plan_is_no_fault():
    plans = (
        Plan(path="tasks.md", text="- [ ] other things"),
        Plan(path="openspec/changes/export/proposal.md", text="Why: the invoice export is old"),
    )
    assert judged(seen(plans=plans), "plans") is OK
    assert judged(seen(plans=plans[:1]), "plans") is INFO
    assert judged(seen(plans=()), "plans") is OK


def test_the_worst_of_several_counts_and_nothing_is_fine():
    assert worst([]) is OK
    found = [Finding(check="a", severity=one, message="") for one in (INFO, CRITICAL, WARNING)]
    assert worst(found) is CRITICAL
    assert OK < INFO < WARNING < CRITICAL


def test_secrets_in_what_is_quoted_are_not_printed():
    secret = "ghp_" + "a1B2" * 9
    told = diagnose(seen(replace(WORK, unsurfaced_results=f"the token is {secret}")))
    assert not any(secret in one.message for one in told)
