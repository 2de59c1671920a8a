"""What was said before, that one time, and work to go on with: subjects that Chinese leaves out."""

import pytest

from bench.gate.__main__ import by_rules
from recalld.recall.model import Verdict

JUDGE = by_rules(extended=True)

YES = """
之前说的退款政策是怎样的？
此前提到的限流数是多少
按之前讨论的方案改
之前会上定下的命名规则还有效吗
先前答应的交付日期是几号
备份失败那次是怎么回事？
数据库挂了那次是怎么恢复的
线上超时那回原因是啥
误删那次是谁处理的
網站宕機那次是什麼原因
"""
UNCERTAIN = """
严重告警怎么通知值班人？
压测结果怎么样？
灰度结果出来了吗
continue with the canvas rewrite of the seat map
let's keep going with our migration of the booking tables to the new schema
ok proceed with the loader for the second half of this week's import work
"""
NO = """
之前说的话不算数是什么意思
泰坦尼克号沉没那次是谁的责任
诺曼底登陆那次是怎么回事
历史上唐山地震那次是怎么发生的
二战德军通信中断那次是为什么
压测工具有哪些？
如何做压测？
告警系统怎么设计？
紧急情况怎么处理？
write a loop that continues with the next item
how do I continue with the next iteration in Python?
what does continue with do in Ruby?
"""


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (line, verdict)
        for lines, verdict in ((YES, Verdict.YES), (UNCERTAIN, Verdict.UNCERTAIN), (NO, Verdict.NO))
        for line in lines.strip().split("\n")
    ],
)
def test_it_is_told_from_what_only_sounds_like_it(text: str, wanted: Verdict):
    found = JUDGE(text)
    assert found.verdict is wanted, found.rule
