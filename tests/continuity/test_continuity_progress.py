"""What counts as a report that the work is done, and all that does not."""

from datetime import UTC, datetime, timedelta
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recalld.continuity.model import Checkpoint, Done, Turn
from recalld.continuity.progress import reported_done

AT = datetime(2026, 5, 1, 9, 0, tzinfo=UTC)
CATALOGUE = Checkpoint(
    objective="Publish the spring catalogue", next_action="send the print order", updated_at=AT
)
EXPORT = Checkpoint(objective="迁移发票导出", next_action="运行行数校验", updated_at=AT)

REPORTS = """
print order sent, catalogue published, all steps done|I've sent the print order.
The print order has been sent.|Print order is sent!|The print order went out this morning.
✅ Print order sent|- Sent the print order to Ann|The spring catalogue is published.
I have published the spring catalogue on the website.|All done.|All steps are done.
Everything is done now.|The task is complete.|Task complete!
That print order is done; proofs came back clean.|We sent the order to print and it was approved.
Work finished.|We're done.
"""
REPORTS_ZH = """
行数校验已经跑完了|行数校验已完成。|已运行行数校验，结果一致|行数校验通过了|发票导出已迁移完成
发票导出迁移完了|全部完成。|所有步骤都已完成|任务完成了|都做完了|行数校验跑完了，两边一致
✅ 发票导出迁移完成|已经把发票导出迁移好了|行數校驗已完成|大功告成|搞定了
"""
NO_REPORTS = """
I will send the print order tomorrow.|I'll send the print order now.
The print order is not sent yet.|I haven't sent the print order.|Has the print order been sent?
Is the print order done?|Send the print order.|Please send the print order
Let me send the print order|The print order should be sent by Ann.
The print order will be done soon.|Once the print order is sent, we can rest.
If the print order is sent, call me.|When the print order is done I will tell you.
The print order could not be sent.|The print order failed.
I tried to send the print order and it failed.|I'm about to send the print order
Half of the print order is sent.|The print order is almost done.|3 of 5 print orders sent
Next: send the print order|The print order is in progress.|The order of the photos is done.
The tests pass.|I fixed the typo on page two.|Nothing is done.|Not all done.|Are we all done?
The spring photos are sorted.|Print order drafted, not sent
After the print order is sent the catalogue is published|> print order sent|`print order sent`
Waiting for the print order to be sent|The print order must be completed today
some of the print order is done|To send the print order, use send_order().
The plan: print order sent by Friday|We can call the print order done later
all steps will be done tomorrow
"""
NO_REPORTS_ZH = """
接下来运行行数校验|我会运行行数校验|行数校验还没跑|行数校验尚未完成|行数校验跑完了吗？
行数校验完成了吗|请运行行数校验|准备运行行数校验|行数校验失败了|等行数校验跑完再说
如果行数校验通过了就上线|行数校验完成后再迁移发票|正在运行行数校验|行数校验快跑完了
行数校验跑了一半|大部分发票导出已迁移|应该已经完成行数校验|测试都通过了|已修复首页的错别字
明天完成发票导出迁移|还需要完成行数校验|发票导出没有迁移完|不是全部完成|部分完成
"""


def _rows(table: str) -> list[str]:
    return [row for row in table.replace("\n", "|").split("|") if row]


def _turn(assistant: str, user: str = "ok", minutes: int = 40, *, success: bool = True) -> Turn:
    at = AT + timedelta(minutes=minutes)
    return Turn(user=user, assistant=assistant, at=at, success=success)


@pytest.mark.parametrize(
    ("checkpoint", "text"),
    [(CATALOGUE, row) for row in _rows(REPORTS)] + [(EXPORT, row) for row in _rows(REPORTS_ZH)],
)
def test_a_report_is_heard_bc_17(checkpoint: Checkpoint, text: str):
    done = reported_done(checkpoint, [_turn(text)])
    assert done is not None
    assert done.at == AT + timedelta(minutes=40)
    assert done.said in text


@pytest.mark.parametrize(
    ("checkpoint", "text"),
    [(CATALOGUE, row) for row in _rows(NO_REPORTS)]
    + [(EXPORT, row) for row in _rows(NO_REPORTS_ZH)],
)
def test_what_is_no_report_is_not_taken_for_one(checkpoint: Checkpoint, text: str):
    assert reported_done(checkpoint, [_turn(text)]) is None


# Of other work: objective, next action, and below what reports one of them and what does not.
WORKS = {
    ("Migrate the billing API to Postgres 16", "run pg_upgrade on staging"): (
        """
pg_upgrade ran cleanly on staging, no errors.|I ran pg_upgrade on staging and it is green.
The billing API is now migrated to Postgres 16.
        """,
        """
pg_upgrade on staging exited with code 1.|We still have to run pg_upgrade on staging.
I've prepared the pg_upgrade command for staging.|Staging was backed up before running pg_upgrade.
pg_upgrade docs reviewed, staging untouched|Done reading the pg_upgrade manual.
        """,
    ),
    ("Release version 2.4 of the mobile app", "write the release notes"): (
        """
Release notes are written.|I wrote the release notes and pushed them.|Release notes: done.
The release notes were finished earlier today.|Version 2.4 of the mobile app has been released. 🎉
        """,
        """
I've started on the release notes.|Version 2.3 was released in March.|Release notes template added.
I read the old release notes and checked their format.|writing release notes now
        """,
    ),
    ("Plan the team offsite in Porto", "book the hotel for June"): (
        """
Hotel booked for June in Porto.|I've booked the hotel; confirmation number is 8812.
        """,
        """
I compared hotels for June; the cheapest is Vila Gale.|Flights to Porto are booked.
Hotel prices for June were checked.|The offsite plan is shared with the team.
        """,
    ),
    ("接入微信支付", "联调退款接口"): (
        "退款接口联调完成。|退款接口已经联调好了，全部用例通过。|微信支付接入完成，已上线。",
        "退款接口联调时报错，已提交工单|已和同事约好明天联调退款接口|支付宝支付已经接入完成|退款接口的文档已读完，可以开始联调",
    ),
    ("把服务器从阿里云迁到自建机房", "切换 DNS 解析"): (
        "DNS 解析已切换，流量正常。|服务器已经全部从阿里云迁到自建机房了。|DNS 切换完成。",
        "DNS 解析记录已导出备份|自建机房的服务器已上架|阿里云的账单已支付|第一台服务器的系统装好了",
    ),
}


@pytest.mark.parametrize(
    ("work", "text", "wanted"),
    [
        (work, row.strip(), heard)
        for work, tables in WORKS.items()
        for heard, table in zip((True, False), tables, strict=True)
        for row in _rows(table)
        if row.strip()
    ],
)
def test_a_report_is_of_the_act_and_the_thing(work: tuple[str, str], text: str, *, wanted: bool):
    checkpoint = Checkpoint(objective=work[0], next_action=work[1], updated_at=AT)
    assert (reported_done(checkpoint, [_turn(text)]) is not None) is wanted


def test_a_user_may_report_too():
    assert reported_done(CATALOGUE, [_turn("Good.", "I sent the print order myself.")]) is not None
    assert reported_done(EXPORT, [_turn("好的。", "行数校验我已经跑完了")]) is not None


def test_only_later_turns_count_bc_17():
    said = "The print order is sent."
    assert reported_done(CATALOGUE, [_turn(said, minutes=0), _turn(said, minutes=-5)]) is None
    timeless = Checkpoint(next_action="send the print order")
    assert reported_done(timeless, [_turn(said, minutes=-5)]) is not None


def test_a_failed_run_reports_nothing():
    assert reported_done(CATALOGUE, [_turn("The print order is sent.", success=False)]) is None


def test_all_done_about_other_work_is_not_about_this():
    other = "Sort the holiday photos by month and rename the folders"
    assert reported_done(CATALOGUE, [_turn("All done.", other)]) is None
    assert reported_done(CATALOGUE, [_turn("All done.", "continue")]) is not None
    assert reported_done(CATALOGUE, [_turn("All done.", "finish the catalogue for me")]) is not None


def test_the_last_report_is_told_and_may_be_taken_back():
    first, second = _turn("Print order sent."), _turn("The catalogue is published.", minutes=50)
    assert reported_done(CATALOGUE, [second, first]) == Done(
        at=second.at, said="The catalogue is published."
    )
    bounced = _turn("The print order bounced, I have to resend it.", minutes=60)
    assert reported_done(CATALOGUE, [first, bounced]) is None
    assert (
        reported_done(EXPORT, [_turn("行数校验已完成"), _turn("行数校验要重做", minutes=60)])
        is None
    )
    other = _turn("The photo upload failed.", minutes=60)
    assert reported_done(CATALOGUE, [first, other]) is not None


def test_without_work_nothing_can_be_done():
    assert reported_done(Checkpoint(updated_at=AT), [_turn("All done.")]) is None


def test_the_report_is_told_short():
    done = reported_done(CATALOGUE, [_turn(f"Print order sent to {'the printer and ' * 40}Ann.")])
    assert done is not None
    assert len(done.said) <= 170


@given(st.lists(st.sampled_from([*_rows(NO_REPORTS), *_rows(NO_REPORTS_ZH)]), max_size=4))
def test_no_reports_together_are_no_report(texts: list[str]):
    turns = [_turn(text, minutes=10 + n) for n, text in enumerate(texts)]
    assert reported_done(CATALOGUE, turns) is None
    assert reported_done(EXPORT, turns) is None


def test_a_very_long_answer_is_read_fast():
    started = process_time()
    for piece in ("print order, ", "已完成", "all ", "done but ", "\n- "):
        reported_done(CATALOGUE, [_turn(piece * 40_000)])
    assert process_time() - started < 3
