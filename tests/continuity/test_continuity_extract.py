"""What a checkpoint made of turns says: what was said, and nothing else."""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from time import process_time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from recalld.continuity.checkpoint import canonical
from recalld.continuity.extract import from_turns, settled
from recalld.continuity.guard import is_poison
from recalld.continuity.model import Checkpoint, Turn

AT = datetime(2026, 5, 4, 10, 0, tzinfo=UTC)
OLD = Checkpoint(
    objective="Migrate the invoice export to the new schema",
    current_step="Schema copied",
    key_decisions=("Keep the old table",),
    next_action="Run the row count check",
    unsurfaced_results="12 of 14 pass",
    updated_at=AT - timedelta(hours=1),
    extra="## Risks\n- two",
)
ASK = "Please migrate the invoice export to the new schema before the audit."
ASK_ZH = "帮我把发票导出迁移到新的表结构，先不要动旧表"


def _turns(*pairs: tuple[str, str], success: bool = True) -> list[Turn]:
    return [
        Turn(user=user, assistant=told, at=AT + timedelta(minutes=n), success=success)
        for n, (user, told) in enumerate(pairs)
    ]


def _made(*pairs: tuple[str, str], old: Checkpoint | None = None) -> Checkpoint:
    made = from_turns(old, _turns(*pairs))
    assert made is not None
    return made


def test_a_conversation_becomes_a_checkpoint_s2_16():
    made = _made(
        (
            ASK,
            "Sure! I copied the schema and checked the columns. Row counts differ by two."
            " Next I'll run the row count check on staging.",
        ),
        (
            "ok, use COPY instead of INSERT",
            "Got it, we'll use COPY. Still blocked on the database account for staging.",
        ),
    )
    assert made == Checkpoint(
        objective=ASK,
        current_step="I copied the schema and checked the columns. Row counts differ by two.",
        key_decisions=("ok, use COPY instead of INSERT",),
        next_action="run the row count check on staging",
        blockers="Still blocked on the database account for staging.",
        updated_at=AT + timedelta(minutes=1),
    )


def test_a_chinese_conversation_becomes_one_too_s2_16():
    made = _made(
        (ASK_ZH, "好的。我已经复制了表结构，列名都检查过了。接下来我会运行行数校验。"),
        ("就用 COPY 吧", "好的。目前在等 DBA 开通账号。"),
    )
    assert made == Checkpoint(
        objective=ASK_ZH,
        current_step="我已经复制了表结构，列名都检查过了。",
        key_decisions=("就用 COPY 吧",),
        next_action="运行行数校验",
        blockers="目前在等 DBA 开通账号。",
        updated_at=AT + timedelta(minutes=1),
    )


TASKS = """
Fix the login page for Safari users|Please add rate limiting to the public API
Can you write a script that renames the photos?|could you look into the failing nightly build
We need to plan the offsite in Porto|I want a dashboard for the weekly sales
I'd like to set up backups for the server|Let's refactor the payment module
Task: translate the user manual|help me draft a letter to the landlord
I'm working on the thesis chapter about graph coloring
hey, update all dependencies of the web client|Why does my docker build fail with code 137?
The export page crashes when I open a large file|fix the session expired error on the login page
修复登录页在 Safari 上的问题|请帮我写一个批量改照片名的脚本|能不能给公开接口加上限流？
我们要做一个记账小程序|我想把博客迁移到新服务器|帮我翻译用户手册第二章
导出大文件的时候程序老是崩溃|排查一下夜间构建失败的原因|把首页的图片换成新的|任务：整理季度报表
為公開接口加上限流|优化报表页面的查询速度
"""
NO_TASKS = """
continue|继续|hi|hello there|thanks, that's all|ok|yes please|fix it|do it again|try again
try that again please|what's next?|go on|good morning|what's the capital of France?
what did we decide about caching?|how are you today?|that looks good to me
I like the second one better|Not logged in · Please run /login
Session expired, please log in again|API Error: 529 {"type":"error"}|Request timed out.|/login
Unknown skill: mc|where did we stop?|刚才我们说到哪了|接着来|你好|谢谢，辛苦了|好的|可以|改一下
再试一次|法国的首都是哪里？|我们之前决定用什么数据库？|登录已过期，请重新登录|请求超时，请稍后再试
下一步做什么|看起来不错|我更喜欢第二个|run it|delete that|add this to the list too|make it shorter
把它删了|这个也改一下
"""


def _rows(table: str) -> list[str]:
    return [row for row in table.replace("\n", "|").split("|") if row]


@pytest.mark.parametrize("text", _rows(TASKS))
def test_a_request_for_work_becomes_the_objective(text: str):
    assert _made((text, "Working on it.")).objective == text


@pytest.mark.parametrize("text", _rows(NO_TASKS))
def test_other_messages_never_become_the_objective_c6_2_c6_6(text: str):
    answer = "I have finished the first part. Next I'll check the second part."
    assert from_turns(None, _turns((text, answer))) is None
    kept = from_turns(OLD, _turns((text, answer), (text, answer)))
    assert kept is not None
    assert kept.objective == OLD.objective


def test_a_new_session_of_short_messages_leaves_the_old_work_c6_2():
    turns = _turns(("continue", "Hello! How can I help you today?"), ("ok", "Sure."))
    assert from_turns(OLD, turns) is None
    assert from_turns(None, turns) is None


def test_what_an_answer_told_is_no_unsurfaced_result_c6_3():
    made = _made((ASK, "I copied the schema. Here are the results: 14 of 14 pass."))
    assert made.unsurfaced_results == ""
    kept = _made(("continue", "I copied the schema of the invoice export."), old=OLD)
    assert kept.unsurfaced_results == OLD.unsurfaced_results
    assert kept.extra == OLD.extra


@pytest.mark.parametrize(
    "wrapper",
    [
        'Conversation info (untrusted metadata):\n```json\n{"message_id": "7"}\n```\n\n',
        'Sender (untrusted metadata):\n```json\n{"label": "Ann"}\n```\n\n',
        "<recall-context>\n- fix the old parser of the import\n</recall-context>\n",
        "<system-reminder>write the tests for the importer first</system-reminder>\n",
        "System: [2026-03-03 07:04:11 UTC] Exec completed (code 0) :: tests passed\n",
    ],
)
def test_what_a_host_puts_around_is_no_objective_c6_5(wrapper: str):
    assert _made((wrapper + ASK, "ok")).objective == ASK
    assert from_turns(None, _turns((wrapper, "I fixed the old parser of the import."))) is None


def test_follow_ups_are_about_the_same_work():
    made = _made(
        ("Refactor the payment module to use async IO", "3 of 7 files are converted."),
        ("what about the retry logic?", "The retry logic stays as it is."),
        ("also rename PaymentErr to PaymentError in all modules", "Renamed in all modules."),
        (
            "update the client class as we discussed",
            "5 of 7 files are converted now. I still need to convert webhook.py and cli.py.",
        ),
    )
    assert made.objective == "Refactor the payment module to use async IO"
    assert made.current_step == "5 of 7 files are converted now."
    assert made.next_action == "convert webhook.py and cli.py"


def test_a_follow_up_keeps_the_old_objective_of_the_file():
    made = _made(("now run the row count check for invoices", "I ran it: all equal."), old=OLD)
    assert made.objective == OLD.objective
    assert made.current_step == "I ran it: all equal."
    assert made.key_decisions == OLD.key_decisions


def test_new_work_replaces_the_objective_and_starts_without_the_old_fields():
    made = _made(
        (ASK, "I copied the schema. Next, run the row count check."),
        ("Write the release notes for version two of the phone app", "The draft has two parts."),
    )
    assert made == Checkpoint(
        objective="Write the release notes for version two of the phone app",
        current_step="The draft has two parts.",
        updated_at=AT + timedelta(minutes=1),
    )


def test_a_step_that_was_done_later_is_not_next_bc_17():
    first = (ASK, "I copied the schema. Next, run the row count check on staging.")
    assert _made(first).next_action == "run the row count check on staging"
    done = _made(first, ("ok", "I ran the row count check on staging, all equal."))
    assert done.next_action == ""
    inside = "Next I'll copy the schema of the table. I copied the schema of the table."
    assert _made((ASK, inside)).next_action == ""


def test_the_next_action_is_found_in_a_list_and_an_offer():
    listed = "I sorted the listing.\n\n**Next steps:**\n1. Push the branch\n2. Watch the job"
    assert _made((ASK, listed)).next_action == "Push the branch"
    assert _made((ASK, "Shall I run the migration on staging now?")).next_action == (
        "Shall I run the migration on staging now?"
    )
    assert _made((ASK_ZH, "表结构复制好了。下一步：运行行数校验")).next_action == "运行行数校验"
    assert _made((ASK, "Let me know if you need more.")).next_action == ""


def test_of_a_failed_run_the_request_is_what_is_next():
    turns = [*_turns((ASK, "I copied the schema."))]
    turns += [
        Turn(
            user="now run the row count check on staging",
            assistant="API Error: 529 overloaded",
            at=AT + timedelta(minutes=5),
            success=False,
        )
    ]
    made = from_turns(None, turns)
    assert made is not None
    assert made.objective == ASK
    assert made.current_step == "I copied the schema."
    assert made.next_action == "now run the row count check on staging"


def test_at_most_three_decisions_the_latest():
    made = _made(
        (ASK, "We decided to keep the old table."),
        ("use COPY instead of INSERT", "ok"),
        ("keep the audit columns as they are", "We agreed on three batches."),
        ("we haven't decided on the index yet", "Should we drop the index?"),
    )
    assert made.key_decisions == (
        "use COPY instead of INSERT",
        "keep the audit columns as they are",
        "We agreed on three batches.",
    )


def test_blockers_are_those_of_the_last_answers():
    made = _made((ASK, "Waiting for the DBA to open the account."), ("ok", "Schema copied."))
    assert made.blockers == "Waiting for the DBA to open the account."
    assert _made((ASK, "We are no longer blocked by the DBA.")).blockers == ""
    assert _made((ASK, "Are you waiting for the DBA?")).blockers == ""


def test_patterns_of_the_user_name_no_work():
    assert from_turns(None, _turns((ASK, "ok")), ignore=("INVOICE export",)) is None


def test_secrets_and_code_stay_out():
    key = "sk-ant-api03-" + "A1b2" * 24
    made = _made((f"Set up the billing client with key {key}\n```\nadd_code()\n```", "ok"))
    assert "api03" not in made.objective
    assert "[redacted:" in made.objective
    assert "add_code" not in made.objective


def test_code_and_quotes_inside_a_sentence_stay():
    asked = 'Rename `load_all` to `load_some` in the module "reader"'
    assert _made((asked, "ok")).objective == asked


def test_fields_are_short():
    long = "Please migrate the invoice export " + "and the other exports " * 60
    assert len(_made((long, "ok")).objective) <= 201
    assert len(_made((f"帮我把发票导出迁移到新的表结构{'和别的导出' * 60}", "好")).objective) <= 101


def test_without_turns_there_is_nothing():
    assert from_turns(OLD, []) is None
    assert from_turns(None, []) is None


PIECES = st.sampled_from(
    [
        *_rows(TASKS)[::4], *_rows(NO_TASKS)[::5], "I copied the schema.", "\n", "\n- ", "# x",
        "We decided to keep it all.", "Next, run the row count check.", "Blocked by the DBA.",
        "已经复制了表结构。", "决定分三批做。", "接下来运行行数校验。", "卡在账号开通上。",
        "TBD", "None", "```", "> ", "Shall I run the check?",
    ]
)  # fmt: skip
TEXTS = st.lists(PIECES, max_size=5).map(" ".join) | st.text(max_size=40)
OLDS = st.sampled_from([None, OLD, Checkpoint(unsurfaced_results="x"), Checkpoint()])


@settings(max_examples=300, deadline=None)
@given(OLDS, st.lists(st.tuples(TEXTS, TEXTS, st.booleans()), max_size=4))
@example(OLD, [("0", "0**A", True)])
def test_nothing_is_invented(old: Checkpoint | None, said: Sequence[tuple[str, str, bool]]):
    turns = [
        Turn(user=user, assistant=told, at=AT + timedelta(minutes=n), success=success)
        for n, (user, told, success) in enumerate(said)
    ]
    made = from_turns(old, turns)
    if made is None:
        return
    before = old or Checkpoint()
    assert canonical(made) == made
    assert made.active
    assert not is_poison(made.objective)
    assert (made.unsurfaced_results, made.extra) == (before.unsurfaced_results, before.extra)
    assert len(made.key_decisions) <= 3
    heard = " ".join(" ".join(f"{turn.user} {turn.assistant}" for turn in turns).split())
    fields = (made.objective, made.current_step, made.next_action, made.blockers)
    for told in (*fields, *made.key_decisions):
        assert "\n" not in told
        known = told in (before.objective, *before.key_decisions)
        assert known or all(part.strip("…") in heard for part in re.split(r"[.;] ", told))


def test_the_same_turns_again_change_nothing():
    turns = _turns((ASK, "I copied the schema. Next, run the row count check."))
    made = from_turns(None, turns)
    assert made is not None
    assert from_turns(made, turns) == made
    assert from_turns(made, list(reversed(turns))) == made


@pytest.mark.parametrize(
    "piece",
    [
        "fix the build, ", "Next: ", "用 ", "已", "we decided to ", "please ", "`", "waiting for ",
        "**", "Next:\n- a\n", "instead of ", "but ", "; ", "i will ", "接下来", "- [ ] x\n", "不用",
        "Decided: we use it instead of that. ", "option 1 ", "no a, b ", "还", "now ",
        "wait, ", "back to ", "先等等，", "continue with it ", "only it ", "可以", "done yet ",
    ],
)  # fmt: skip
def test_long_messages_are_read_fast(piece: str):
    started = process_time()
    turns = _turns((piece * 30_000, piece * 30_000), ("ok", piece * 1_000), (piece * 60, "Sure."))
    from_turns(OLD, turns)
    settled(replace(OLD, next_action=piece * 9), turns)
    assert process_time() - started < 2


def test_the_old_checkpoint_is_left_as_it_was():
    before = replace(OLD)
    _made(("now run the row count check", "I ran it: all equal."), old=OLD)
    assert before == OLD


def test_a_session_of_an_afternoon_is_read_in_a_moment():
    answer = (
        "I split the work in three: collect notes, stream attachments and a progress bar.\n\n"
        "### What changed\n- `api/limits.py`: new, 84 lines\n- **Unit tests**: 41 passed\n\n"
        "The remaining forms cannot show time ranges. 登录和登出接口写好了，单元测试全部通过。\n"
    )
    turns = _turns((ASK, answer * 10), *[("go on", answer * 10)] * 31)

    def cost_s() -> float:
        started = process_time()
        from_turns(OLD, turns)
        return process_time() - started

    assert min(cost_s() for _ in range(3)) < 0.06
