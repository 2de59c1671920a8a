"""The same by rows that were written before the rules and shaped none of them."""

import pytest

from recalld.continuity.questions import asks_to_resume

YES = """
我们刚才讲到哪儿了来着|咱们聊到哪儿啦|上次进行到哪一步了？|刚刚停在哪里了|工作做到哪儿了
咱刚才弄到哪了|说到哪里了呀|我们上次停在哪儿|接着|那继续吧|嗯，接着做吧|行，继续|请接着刚才的工作
继续之前的工作|继续上次没做完的|接着上次的来|咱们接着干|麻烦继续一下|從上次停下的地方繼續
我们正在做什么来着|刚才我在忙啥来着|咱们刚刚在弄什么|你现在在干什么|手头的任务是什么
目前的任务是啥|当前目标是什么来着|下一步该做什么了？|那下一步呢|下一步要干嘛|接下来我们要做什么
接下来干啥|还有什么没做完|还差什么没弄|回来了，我们刚才在做什么|我又回来啦|网络断了一下，继续
刚刚掉线，说到哪了|不好意思刚才断了，接着来吧|会话重启了，我们做到哪一步了|帮我回顾一下进度
现在是什么进度|目前进展如何|把刚才的事接着做完|continue pls|Ok, please go on|alright, keep going
yeah carry on|let's continue|let's keep going then|please resume|resume work
resume where we left off|can we continue where we stopped yesterday?|okay let's proceed
what were we up to?|what was I doing?|what are we doing right now|what had we been working on
remind me, what are we working on?|where did you stop?|where had we got to?|where were we at
so, where did we get to?|how far along are we|how far have you got|what comes next
so what's next for us|what do we do next?|what do I need to do next|which step is next
what's the next thing to do|what remains to be done|what's still left|I am back
hi, I'm back again|ok I'm back from lunch, let's continue|we got interrupted, please continue
my session died, what were we doing?|the terminal crashed, pick up where you left off
lost connection - where were we|bring me up to speed|give me a quick recap of where we are
status?|where do things stand|what is our current objective|what was the task again?
pick it up from there|let's go back to what we were working on|finish what you were doing
sorry had to take a call. where did we leave off?|good morning! where did we stop yesterday?
what was the last thing you were doing
"""
NO = """
继续执行 SQL 的时候报错了|请继续翻译下面这段|接着上面的表格再加一列价格|继续优化首页的加载速度
继续保持联系用英语怎么说|接着奏乐接着舞是什么梗|下一步手术是什么|减数分裂下一步是什么
接下来的会议几点开始|接下来用一句话介绍杭州|还剩多少磁盘空间|还有什么好看的电影
我们什么时候回来的|他回来了吗|我回来了这首歌谁唱的|断点续传怎么做|掉线了路由器要不要重启
为什么手机老是断网|我们上个月聊到哪个客户了|上次我们聊的那本书叫什么|说到哪吒你想到什么
聊到哪个话题最冷场|你做到了吗|项目做到哪一年上市的|他做到总监了吗|我们以前用什么框架
我们之前定的命名规范是什么|当前目录是什么|当前任务栏怎么隐藏|现在的目标检测算法有哪些
进展报告怎么写|任务调度是什么|恢复被删除的文件|恢复高考是哪一年|怎么继续一个被中断的 rebase
状态码 204 是什么|what did we settle on for the retry policy|what did we talk about on April 27
where did we leave the spare key|where did you stop using tabs in this repo?
where were we when the outage began|where are we meeting tomorrow|how far is the moon
how far did Alexander get in India|what were the Romans doing in Britain|what was I thinking
what are we paying for hosting|what are you working with, Python or Go?|what's next on Netflix
what is the next prime after 97|what should I cook next|what comes next in the sequence 1 1 2 3 5
what step is next in making sourdough|next step functions in AWS|what's left in the budget
continue to use tabs|continue the README section about hooks
continue reading the file from line 400|please continue the poem in iambic pentameter
carry on luggage size limits|keep going over budget, how do I track spending
go on and delete the branch|resume.pdf is too long, shorten it|resume the podcast
how can I resume a download with curl|proceed with the deletion
proceed with plan B and drop the table|pick up line ideas|pick up a random element from the list
I'm back on Linux after ten years, which distro?|back up my database|my back hurts
got disconnected from the VPN, how do I debug it
connection dropped errors in postgres logs, what causes them|session expired, please log in again
status of order 1234|what is the current objective in Elden Ring|catch exceptions in Rust
recap the plot of Dune|remind me to call Bob|remind me what the root cause of the outage was
finish the sentence: to be or not to be
"""


def _rows(table: str) -> list[str]:
    return [row for row in table.replace("\n", "|").split("|") if row]


@pytest.mark.parametrize("text", _rows(YES))
def test_a_message_that_resumes_the_work_is_known_unseen(text: str):
    assert asks_to_resume(text) is not None


@pytest.mark.parametrize("text", _rows(NO))
def test_a_message_that_only_uses_its_words_is_left_alone_unseen(text: str):
    assert asks_to_resume(text) is None
