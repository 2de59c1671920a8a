"""When two texts name one piece of work, or one step of it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recalld.continuity.likeness import same_step, same_work

WORK = "Migrate the invoice export to the new schema"


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (WORK, WORK, True), (WORK, "the invoice export", True),
        (WORK, "migration of invoices", True),
        ("a", "a", True), ("a", "b", False), (WORK, "", False),
        ("Fix the login page for Safari", "Fix the build on Windows", False),
        ("把发票导出迁移到新的表结构", "迁移发票导出", True),
        ("把发票導出遷移到新的表結構", "迁移发票导出", True),
        ("把发票导出迁移到新的表结构", "写发布说明", False),
        (WORK, "Write the release notes for version two", False),
    ],
)  # fmt: skip
def test_one_piece_of_work_is_told_from_another(one: str, other: str, *, same: bool):
    assert same_work(one, other) is same
    assert same_work(other, one) is same


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Run the row count check", "run the row count check on staging", True),
        ("implement POST /auth/refresh", "implement the logout", False),
        ("Run the row count check", "Run the migration", False),
        ("运行行数校验", "再次运行行数校验", True), ("运行行数校验", "运行迁移脚本", False),
        ("", "", True), ("", "x y", False),
        ("write chapter 3", "write chapter 4", False),
        ("写第3章", "写第4章", False),
        ("write step 3", "write step 3 again", True),
    ],
)  # fmt: skip
def test_one_step_is_told_from_another(one: str, other: str, *, same: bool):
    assert same_step(one, other) is same
    assert same_step(other, one) is same


@given(st.text(max_size=40))
def test_a_text_is_like_itself(text: str):
    assert same_work(text, text)
    assert same_step(text, text)
