"""What says nothing, and what only looks like it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recalld.continuity.placeholders import is_placeholder, is_scaffolding

NOTHING = """
None|none.|- none|- None|* None|N/A|n / a|NA|nil|null|Nothing|nothing yet|None so far|idle|Idle.
unknown|_None_|**None**|`None`|"none"|(none)|（无）|> None|- [ ] none|1. None|none!
No active work|no blockers|No open tasks right now|there are no blockers|nothing to report
no unsurfaced results|No known issues yet|无|无。|暂无|暂时没有|没有|沒有|目前没有|暂无任务|無
暫無|尚无|没有进行中的任务|当前无任务|无阻塞|没有阻塞|空|空闲|未知|不适用|- 无|- 暂无|【无】
暂无进展|没有其他问题|都没有
"""
UNFILLED = """
TBD|tbd.|TODO|todo|to do|To-do|ToDo:|untitled|placeholder|FIXME|TBA|xxx|XXXX|to be determined
To be decided|fill in|fill me in|please fill this in|not set|not yet filled in
YYYY-MM-DDTHH:MM:SSZ|yyyy-mm-dd|Lorem ipsum|[what we are doing]|<objective>|{{objective}}
{objective}|【填写目标】|[ ]|- [ ]|-|--|---|***|___|...|…|?|-\\n-|```|```markdown|~~~|待定
待填写|待补充|待确认|未定|未命名|占位符|请填写|[一句话说明目标]|"[what]"|- [decision]\\n- [why]
"""
SAYING = """
Migrate the invoice export|TODO: write the parser|TBD, waiting for design
[PR 12](https://example.org/12)|[[invoice-export]]|[x] schema copied
No active listeners may leak: fix it|none of the tests pass|nothing works after the upgrade
Unknown error in the parser|idle timeout of the proxy is too short|empty the cache
null pointer in the loader|no results page is blank|a|7|v2|ok|(see PR 12)
<div> is not closed in the page|[draft] the release notes|None\\nbut one thing|无法连接数据库
没有测试覆盖登录|没有人审批|无锡分公司的报表|待定方案里选第二种|空指针异常要修|未知错误待排查
暂停发布|无人值守部署|写文档|发版|None type error|na klar|no
"""


def _rows(table: str) -> list[str]:
    return [row.replace("\\n", "\n") for row in table.replace("\n", "|").split("|") if row]


@pytest.mark.parametrize("text", _rows(NOTHING))
def test_words_for_nothing_say_nothing_but_are_an_answer(text: str):
    assert is_placeholder(text)
    assert is_placeholder(text.upper())
    assert not is_scaffolding(text) or text.startswith(("【", "- [ ]"))


@pytest.mark.parametrize("text", _rows(UNFILLED))
def test_what_is_to_be_filled_in_says_nothing_bc_15(text: str):
    assert is_placeholder(text)
    assert is_scaffolding(text)


@pytest.mark.parametrize("text", _rows(SAYING))
def test_what_only_looks_like_it_says_something(text: str):
    assert not is_placeholder(text)
    assert not is_scaffolding(text)


@pytest.mark.parametrize("text", ["", " ", "\n\n", "\t\n "])
def test_empty_says_nothing_and_is_no_scaffolding(text: str):
    assert is_placeholder(text)
    assert not is_scaffolding(text)


def test_every_line_must_say_nothing():
    assert is_placeholder("None\n\n- TBD")
    assert is_scaffolding("None\n\n- TBD")
    assert not is_placeholder("- TBD\n- copy the schema")


@given(st.text(max_size=60))
def test_what_says_nothing_says_nothing_with_blanks_around_it(text: str):
    assert is_placeholder(text) == is_placeholder(f"  \n{text}\n ")
    assert is_placeholder(text) or not is_scaffolding(text)
