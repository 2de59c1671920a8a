"""What one sentence tells of the work, and what a few say together."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from recalld.continuity.extract import from_turns
from recalld.continuity.model import Checkpoint, Turn
from recalld.continuity.statements import statements
from recalld.continuity.told import tell, weigh

AT = datetime(2026, 5, 4, 10, 0, tzinfo=UTC)
ASK = "Please migrate the invoice export to the new schema before the audit."
OLD = Checkpoint(
    objective=ASK,
    current_step="Schema copied",
    key_decisions=("Keep the old table",),
    next_action="Run the row count check",
    updated_at=AT - timedelta(hours=1),
)
# By what a sentence is, and how much a report weighs at least.
DONE = """
Attachments are streamed now; 3 GB export took 41 s.|I rewrote the parser.|Fixed the flaky test.
All 214 tests pass.|Split the page into five components.|The collector has been deployed.
We've wired the button.|The root cause is a race in the cache.|Created a plan for the split.
The job is written and tested.|接口写好了|已把 9 个爬虫迁到新框架|根因是连接池没有关闭
单元测试全部通过|Added a fallback if the API is down.|加上了超时重试，如果失败会报警
登錄接口已經完成|测试都补上了
I successfully created a new Next.js project.|Removed the TODO app
"""
UNDERWAY = """
3 of 8 filters are ported.|The export fails on two rows.|Mail works again.|It runs in 94 s now.
The build compiles.|So far 40% of the rows are moved.|正在迁移第三批数据|目前卡片能正常显示
"""
NO_REPORTS = """
I would cache the rates.|You could set the flag.|Let me know if you need more.|Run the script.
If the test fails, try again.|What do you think?|Sure!|It might be faster.|Glad you like it!
Next: wire the button|You wrote a test last week.|If the flag is set, the table is created.
If you agree, the plan is written.|Here's a summary of the plan|如果报错可以重试
建议先备份|需要我继续吗？|You have not yet tested it.|I'll add the test.|接下来更新文档
"""
PLANS = {
    "Next: wire the button": "wire the button",
    "Next I will wire the button.": "wire the button",
    "Next up is the booking form.": "the booking form",
    "The next step is to wire the button": "wire the button",
    "I'll wire the button next.": "wire the button",
    "Tests pass, next I'll wire the button.": "wire the button",
    "I still need to convert webhook.py": "convert webhook.py",
    "What's left is the audit page": "the audit page",
    "Next steps: 1) push the branch, 2) tag it": "push the branch",
    "Next steps for you: run the migration": "run the migration",
    "- [ ] wire the button": "wire the button",
    "Now update the docs:": "update the docs",
    "接下来是 /auth/refresh": "/auth/refresh",
    "接下来要做的是批量开票。": "批量开票",
    "接口好了，接下来补文档": "补文档",
    "下一步我会写汇总脚本": "写汇总脚本",
    "还需要补文档": "补文档",
    "剩下的工作是支持 HEIC": "支持 HEIC",
    "⬜ 补文档和测试": "",
    "让我先看一下日志": "看一下日志",
}
NO_PLANS = """
The button is next to the field.|See you next week.|The next release is in May.
If we choose Kafka, next we need a cluster.|If it fails again, I'll look at the logs.
I'll be happy to help.|如果还不行，我会再看|I have wired the button.|Let me explain the flow.
"""
DECISIONS = """
We decided to keep the old table.|Decided not to add a cache.|Agreed: three batches only
I went with the csv module.|We'll use the Slack webhook.|Decision on storage: SQLite
The tests pass, so we decided to keep the old table|我们决定分三批做|最终敲定用 Redis 存会话
決定：計數器放在 Redis|约定每周五自动收集
"""
NO_DECISIONS = """
We could decide to cache the rates.|If we decide to use SQL, the view goes.|Decision: still open
We haven't decided on the index yet.|They may have agreed on it.|I'll use the editor to open it.
Let's use grep to find it.|"We decided to keep it" says the log.|还没决定用哪个库|决定权在你
决定：待定|如果决定用 WebP 就省一半|Decided: none|We need to decide on the index
"""
BLOCKERS = {
    "Blocked by: the design is missing": "the design is missing",
    "I'm blocked: the token has expired.": "the token has expired.",
    "Still blocked on the account for staging.": "Still blocked on the account for staging.",
    "It renders, but I can't go further without the keys": "I can't go further without the keys",
    "I have no access to the bucket.": "I have no access to the bucket.",
    "I need your approval for that": "I need your approval for that",
    "卡在防火墙规则上，等网络组开通": "防火墙规则上，等网络组开通",
    "目前的阻塞点：商户号还没有": "商户号还没有",
    "目前在等 DBA 开通账号。": "目前在等 DBA 开通账号。",
    "目前被证书挡住了": "目前被证书挡住了",
}
NO_BLOCKERS = """
The request is blocked by CORS.|It could be blocked by the rules.|We are no longer blocked.
The worker threads were stuck on a lock.|Fixed the job that was stuck on the lock.
第三方脚本阻塞渲染|非阻塞 IO 已经接好|请求会被网关挡住|The call blocks the main thread.
"""


def _rows(table: str) -> list[str]:
    return [row for row in table.replace("\n", "|").split("|") if row]


def _weight(text: str, *, asked: bool = False) -> int:
    return max((weigh(tell(one), asked=asked) for one in statements(text)), default=0)


def _made(*pairs: tuple[str, str], old: Checkpoint | None = OLD) -> Checkpoint | None:
    turns = [
        Turn(user=user, assistant=told, at=AT + timedelta(minutes=n))
        for n, (user, told) in enumerate(pairs)
    ]
    return from_turns(old, turns)


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [(row, 3, 4) for row in _rows(DONE)]
    + [(row, 2, 3) for row in _rows(UNDERWAY)]
    + [(row, 0, 1) for row in _rows(NO_REPORTS)],
)
def test_reports_weigh_what_they_tell(text: str, least: int, most: int):
    assert least <= _weight(text) <= most


@pytest.mark.parametrize(("text", "planned"), PLANS.items())
def test_a_plan_is_told_without_its_lead(text: str, planned: str):
    assert [one.planned for one in map(tell, statements(text)) if one.planned] == [planned] * bool(
        planned
    )


@pytest.mark.parametrize("text", _rows(NO_PLANS))
def test_what_is_no_plan_is_not_taken_for_one(text: str):
    assert not any(one.planned for one in map(tell, statements(text)))


@pytest.mark.parametrize("text", _rows(DECISIONS))
def test_a_decision_is_heard(text: str):
    old = replace(OLD, key_decisions=("Rooms are numbered",))
    made = _made(("go on", text), old=old)
    assert made is not None
    assert len(made.key_decisions) == 2
    assert made.key_decisions[-1] in text


def test_decisions_of_the_file_stay_as_they_stand():
    long = f"Keep the old table\nand its {'very ' * 60}long name"
    made = _made(("go on", "We decided to ship in May."), old=replace(OLD, key_decisions=(long,)))
    assert made is not None
    assert made.key_decisions == (long, "We decided to ship in May.")


@pytest.mark.parametrize(
    ("text", "chosen"),
    [
        ("use COPY instead of INSERT", True), ("exclude trial accounts", True),
        ("option 2 please", True), ("never touch the ledger tests", True),
        ("no toggle, follow the system setting", True), ("那就分三批做完再说", True),
        ("图片统一走 CDN", True), ("take a look at the logs please", False),
        ("don't worry about that part", False), ("no problem, go ahead with it", False),
        ("drop the old index, rebuild the table and then compare every row of it", False),
        ("should we use COPY?", False), ("别忘了更新文档", False), ("maybe use COPY", False),
    ],
)  # fmt: skip
def test_a_user_decides_by_choosing(text: str, *, chosen: bool):
    made = _made((text, "I copied the schema."))
    assert made is not None
    assert (text in made.key_decisions) is chosen


@pytest.mark.parametrize("text", _rows(NO_DECISIONS))
def test_what_is_not_decided_is_no_decision(text: str):
    made = _made(("go on", f"The schema is copied. {text}"))
    assert made is not None
    assert made.key_decisions == OLD.key_decisions


@pytest.mark.parametrize(("text", "blocked"), BLOCKERS.items())
def test_what_is_in_the_way_is_told_without_its_label(text: str, blocked: str):
    assert [one.blocked for one in map(tell, statements(text)) if one.blocked] == [blocked]


@pytest.mark.parametrize("text", _rows(NO_BLOCKERS))
def test_what_is_in_nobodys_way_is_no_blocker(text: str):
    assert not any(one.blocked for one in map(tell, statements(text)))


@pytest.mark.parametrize(
    ("question", "answer", "moves"),
    [
        ("did the tests pass?", "Yes, all 640 tests pass.", True),
        ("can you add a test for the header?", "Added one; it fails without the fix.", True),
        ("能不能把标题也改了？", "标题改好了。", True),
        ("why is it slow?", "Every row is read twice by the planner.", False),
        ("can you explain the planner?", "The planner is called for every row.", False),
        ("准确率是怎么算的？", "准确率是回答正确的问题数除以总问题数。", False),
        ("messages() should return AppMessage, no?", "Fixed. It returns `AppMessage` now.", True),
    ],
)
def test_an_answer_to_a_question_is_a_report_only_of_acts(
    question: str, answer: str, *, moves: bool
):
    made = _made((question, answer))
    assert (made is not None and made.current_step != "") is moves


@pytest.mark.parametrize(
    ("answer", "step"),
    [
        ("Sure! I looked at it.\n\nThe cause is old.\n\nNext: fix it.", "The cause is old."),
        ("## All done\n\n- ✅ table copied\n- ✅ rows compared, all equal", "table copied"),
        ("Let me run the tests.\nAll 9 fail.\nNow let me fix it.\nAll 9 pass.", "All 9 pass."),
        ("| a | done |\n|---|---|\n\nIt is on the new schema.", "It is on the new schema."),
        ("Great, the export works.", "the export works."),
        ("Done:\n- export moved\n- index dropped", "export moved"),
        ("好的，表结构已经复制，接下来跑校验", "表结构已经复制"),
        ("Copied the table, but I'm waiting for the account.", "Copied the table"),
        ("Written to `a.md` with:\n- goals\n- risks", "Written to `a.md`"),
        ("The export is on the new schema.", "The export is on the new schema."),
    ],
)  # fmt: skip
def test_the_newest_answer_moves_the_step_on(answer: str, step: str):
    made = _made(("go on", answer))
    assert made is not None
    assert made.current_step == step


@pytest.mark.parametrize(
    ("user", "answer"),
    [
        ("skip the row count check", "OK."),
        ("ok", "The row count check is no longer needed."),
        ("行数 row count check 不用做了", "好的。"),
    ],
)
def test_a_step_that_is_called_off_is_not_next(user: str, answer: str):
    first = (ASK, "Copied the schema. Next: run the row count check.")
    made = _made(first, (user, answer), old=None)
    assert made is not None
    assert made.next_action == ""


def test_thanks_are_no_answer_to_an_offer():
    offer = (ASK, "Copied the schema. Shall I run the row count check?")
    for word, kept in (("thanks, that's all for today", True), ("yes", False)):
        made = _made(offer, (word, "OK!"), old=None)
        assert made is not None
        assert (made.next_action == "Shall I run the row count check?") is kept
