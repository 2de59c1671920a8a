"""Which messages ask to go on with the work, by the rows the rules were written beside."""

from pathlib import Path
from time import process_time

import orjson
import pytest

from recalld.continuity.questions import asks_to_resume

YES = """
刚才我们说到哪了|刚才说到哪儿了？|我们刚刚聊到哪里了|上次说到哪了|做到哪一步了|我们进行到哪了
刚才做到哪里来着|停在哪一步了？|继续|继续吧|好的，继续|请继续|那就继续|接着来|接着做|接着干吧
接着刚才的来|继续刚才的任务|继续干活|從剛才的地方繼續|從斷掉的地方接著做|我们在做什么
我们刚才在干嘛来着|你刚才在做什么|现在在忙什么|当前任务是什么？|现在的目标是什么|下一步是什么
下一步做什么|下一步呢？|接下来做什么|接下来该干什么了|接下来呢|还剩什么没做|我回来了
我回来了，继续吧|断线了，接着来|刚才断网了，我们做到哪了|掉线了，继续|刚才重启了，接着刚才的任务
恢复一下进度|现在进度怎么样了|总结一下目前的进展|回到刚才的任务|接上刚才的|你还记得我们在做什么吗
continue|Continue.|please continue|ok continue|continue please!|yes, continue|go on|keep going
carry on|resume|let's resume|resume the task|proceed|what were we doing|What were we doing?
what were we working on again?|so what are we working on|where did we stop|where did we leave off?
where were we?|where was I|where are we now|how far did we get|what's next|whats next?
what is next|what's the next step?|what should we do next|what now?|next steps?|what's left to do
pick up where we left off|let's pick up where we stopped|I'm back|im back, where were we
back again, let's continue|got disconnected, continue|I got cut off, where did we stop?
sorry, the connection dropped. What were we doing?|remind me what we were doing
remind me where we left off|catch me up|what's the status?|what's the current task?
continue where you left off|continue from where we stopped
do you remember what we were working on?|back to work
hey, sorry about that, my laptop crashed. where were we?|can you continue?
could you pick up from where you stopped|what was the last thing we did|let's get back to it
go back to what we were doing|what were you doing before the restart?
hey again! so where'd we leave things?|Where'd we stop?|remind me where we're at
what're we working on|ok so what was i asking you to do|what was our last step
let's carry on from yesterday|continue from yesterday|continue from before|continue where we were
let's continue our work|keep going from where you stopped|continue with what you were doing
please keep going with the task|sorry, got disconnected|I got kicked out of the session, continue
my internet cut out, what were you doing?|What are our next steps?|what do I do now?
what should be done next?|what else do we need to do?|anything left to do?|is there anything left?
what have we done so far?|Where are we with this?|where are we on this task?|how far are we?
how's it coming along?|how is the task going?|update me|give me an update
what's our progress so far|pick up where you left off please|pick up the thread
let's pick up the thread|resume from the last checkpoint|resume previous task|resume last session
continue the previous session|continue previous work|continue our previous conversation
new session, continue the work|fresh session. where did we stop?
after the compaction, what were we doing?|context got compacted, where were we?
you were interrupted, continue|you got cut off, go on|you stopped, continue
why did you stop? continue|ok where did i leave off|what was I in the middle of?
Where did I stop yesterday evening?|I lost track, what are we doing?|I forgot where we were
sorry i forgot what we were doing|what's going on with the task|continue!!!|CONTINUE
Continue, please :)|go on...|next|/continue|继续。|继续！！|continue 吧|继续 please
我们刚才干到哪儿|昨天做到哪了|昨天我们停在哪了|刚才讨论到哪了|前面做到第几步了|做到第几步了
现在到哪一步了|任务做到哪了|这个任务进行到哪了|咱们的任务推进到哪儿了|刚才在说什么
刚才我让你做什么来着|刚才让你做的事做到哪了|我们本来要做什么|我们要做什么来着|你刚刚做到哪里停的
你停在哪里了|你怎么停了，继续|怎么停了？继续|别停，继续|换了个新会话，继续之前的任务
新会话了，我们之前做到哪了|上下文被压缩了，继续|刚才超时了，继续|刚才卡住了，接着来
程序崩了，我们做到哪了|我掉线了，刚才说到哪|不好意思刚去开会了，我们说到哪了|吃完饭回来了，继续
开会回来了，接着干|我吃饭回来了，我们做到哪了|继续推进|继续往下做|往下继续|接着往下走
照着刚才的继续|按刚才的继续|按计划继续|没完成的继续做|把没做完的做完|接下来要做的是什么
下一步计划是什么|下一步的计划|下一步行动是什么|接下来怎么做|接下来怎么办|后面还要做什么
还有哪些没完成|还有多少没做完|剩下什么没做|剩下的是什么|任务完成得怎么样了|做得怎么样了
进行得怎么样了|目前什么情况|现在情况怎么样|现在做到什么程度了|汇报一下进度|同步一下进度
給我總結一下目前的進度|我們剛才在做什麼|剛才說到哪裡了|繼續|接著做|從哪裡斷的就從哪裡接著
remind me where we stopped yesterday please|what step were we on|which step are we on?
What stage are we at?|let's get back on track|let's get going again
ok let's continue from where we paused|could we go back to what we were doing before lunch?
continue with what we had|keep on going|just continue|continue on
resume please, the session timed out|Power went out. What were you working on?
had to reboot, where were we|back online. continue|hi again, where were we?
what is it we're doing?|so what exactly were we trying to do|what's our objective again
what is left?|what's still pending?|whats left on the list|what do we still have to do
what needs doing next?|what was the next step again?|what's the plan now?|what's on the agenda
what's the next thing on our list|anything pending?|can you summarize where we are?
tell me where we are|where do we stand?|how much is done?|what's done so far?|keep working on it
proceed with the plan|carry on with the work|you can continue now|I interrupted you, go on
go ahead and continue|我们进展到哪一步了|你做到哪了？|你刚才做到哪一步|之前说到哪儿|昨天聊到哪里了
咱昨天弄到哪一步了|任务进行到第几步了|上回咱们说到哪儿了|刚才断在哪里了|你卡在哪一步了
请接着做下去|接着弄|那就接着往下|可以继续了|你继续|继续你的工作|继续你刚才的工作|继续我们的工作
继续之前的对话|继续上一个任务|接上次|接着昨天的来|那我们继续|我刚才在做啥|我刚让你干啥来着
我们最初要做什么来着|现在该做什么|现在要做什么|现在应该干嘛|下面做什么|下面该干什么|下一步怎么走
之后要做什么|刚才网络不好，继续|刚才闪退了，我们聊到哪了|电脑重启了，继续刚才的|会话断了，请恢复
我重新登录了，继续|刚回来，进度怎么样|久等了，继续吧|好了我回来了|現在做到哪一步了|下一步要做什麼
where'd we get to yesterday?|hey where were we|hello again, where did we stop?
Okay, I'm back. Where did we leave things?|what's our current task|let's get back into it
pick up from yesterday|could you continue the task please|please proceed with the next step
continue to the next step|what's the next thing we should do|do you still know what we were doing
can you tell me where we stopped|I don't remember where we left off|so what's left?
and what's next|ok what's the next step then|resume from where you left off
the session crashed, please continue|vpn dropped. where were we?|my browser froze, continue please
keep going please|finish the rest|do the rest|what were you in the middle of|我们上次聊到哪儿了
刚才聊到哪了来着|咱们上回做到哪一步了呀|昨天我们做到哪里了|我们停在了哪一步|这活儿干到哪了
你现在做到哪一步了|进行到什么程度了|接着上次的继续做|继续上次的工作|继续昨天的任务
从刚才断的地方接着来|把刚才没弄完的弄完|咱们继续吧|好，那我们接着来|继续往下|你接着做
我们接下来要干什么|下一步我们做什么呢|接下来的计划是什么|还有什么要做的|还剩哪些没做
我们的任务是什么来着|我们刚刚在讨论什么|回来了，继续刚才的|我刚掉线了，我们做到哪里了
窗口关了，接着刚才的做|换新会话了，继续之前的工作|進度怎麼樣了|我們停在哪裡了
"""
NO = """
继续教育是什么|继续编译这个项目|继续写第三章|接着昨天的周报写|接着讲三国的故事|下一步棋怎么走
下一步发布的版本号是多少|继续往列表里加五项|那个审批插件现在推进到哪一步了
迁移脚本我们测到第几批了|快递到哪了|这本书我看到哪一章了|上周我们在讨论什么
之前我们决定用什么数据库|我们之前为什么不用 Kafka|老王回来了吗|断线重连怎么实现|电脑断网了怎么办
接下来三天天气怎么样|还剩几个苹果|你是做什么的|他们在做什么|我们公司是做什么的
恢复出厂设置会丢数据吗|把“我们刚才说到哪了”翻译成英文|继续的英文怎么说|continue 语句是什么意思
进度条怎么写|总结一下这篇文章|我们去年做了什么|Python 里 continue 和 break 有什么区别
下一步用 Redux 怎么写|接着把测试也改了|继续用上次的模板|回到首页的按钮怎么加
what did we decide before|what did we decide before about caching
continue the list with 5 more items|continue statement in python|how do I resume a tmux session
how to write a resume|review my resume|what's next.js|what is next to the bank
what's the next step in the Krebs cycle|continue the story|continue with option B
continue this sequence: 2, 4, 8|where did I leave my keys|where did we stop for lunch in Rome
what are we doing for dinner|what are you doing this weekend
what were we doing in March when prod broke|what were we talking about last week
I'm back to square one with this bug|I'm back from Japan, recommend a ramen recipe
why does my websocket get disconnected|is he back|go on a diet plan
keep going to the next page when a request fails|proceed to checkout button does nothing
what should I do next weekend|what's left of the Berlin wall
pick up the billing refactor from yesterday|who picks up the kids
what's the status code for not found|is the auth PR still blocked on Sam?
what's the status of HTTP/3 in nginx|continue-on-error in GitHub Actions
translate "where were we?" into French|Does `continue` skip the else branch of a for loop?
write a poem called Where Were We|resume parsing after a syntax error
why did we drop Redis again? I forgot the reason.|what port did I say the staging proxy runs on?
same as before please|try again|fix it|go with the second approach|what about the other one?
thanks, that's all|good morning!|你好|再试一次|弄好了吗|还有别的办法吗|continue as a guest
Continue the numbering from 12|how to continue a series in matplotlib|continue in Spanish
continue but shorter|continue without the tests|should I continue with my PhD?
should we continue using Redis|what does resume mean|resume writing tips|my resume needs work
pause and resume a Docker container|resume animation on scroll|what is a resume token in MongoDB
where were you born|where are we as a species|where did we park|where did you get that number?
where did the cat go|where did I put the config file|where did we host the staging server
what are you|what are you doing tonight|what have you been up to|what are you up to?
what were you trained on|what were we thinking when we chose Java
what was the task of the UN in 1950|what's the objective of linear programming
what's the goal of this function|what's our goal for Q3 revenue|what is next_day in this code
what's the next prime|what comes next after Tuesday|next week's weather|what's next week's plan
next steps for a junior developer to become senior|what should I do next to debug the memory leak
what do we do about the outage|what now for the UK economy
what's left to do in Rome after the Colosseum|status code 418|git status|status of the auth PR
check the status of my order|progress bar in tqdm|how is the weather
how's your progress in learning French?|I'm back in Berlin, any events?|back to the future trivia
back to basics: explain pointers|go back to the previous version of the file|go back to page one
return to the main branch|pick up milk|pick up the phone
pick it up and put it in the cart: how do robots grasp?|the server crashed, find out why
the browser crashed with SIGSEGV|session expired|connection lost errors, why?|my laptop died
I lost my internet password|the terminal went dark theme|the app froze, fix the deadlock
why did it stop working?|why did you stop using semicolons?|what did you do last summer?
what did we do last in Git?|catch me up on the news|fill me in on the French Revolution
give me a summary of the article|recap of game of thrones season 8
summarize where we are in the history of AI|继续教育学分怎么查|继续向前走的英文|继续使用中文回答
继续用英文|继续加油|继续努力的作文|接着写一个结尾|接着上一题|接着问一个问题：什么是闭包
接着怎么安装 Docker|接下来的三步怎么做菜|下一步骤按钮点不了|下一步指令是什么意思|下一代芯片是什么
接下来请你扮演面试官|接下来翻译这段|然后呢|之后怎么缴税|后面的数字是什么|还有什么推荐|还差多少分
还剩几天|还有哪些框架可选|在哪里下载|我在哪|你在哪|车停在哪了|停在哪里不会被罚|快递到哪儿了
飞机飞到哪了|疫情发展到哪一步了|小说写到哪一章最精彩|这道题做到哪一步错了|我们在哪见过|你在说什么
你在想什么|他刚才在说什么|刚才那个人是谁|刚才的报错是什么意思|刚才的代码改成异步
之前的任务是谁负责的|当前进度条不动|现在的任务管理器在哪|目标是什么意思|工作是什么|进度款怎么算
情况说明怎么写|项目进度表模板|恢复备份|恢复误删的分支|恢复一下数据库|断网了怎么装包|掉线了怎么办
网络断了，帮我看看路由器配置|电脑重启了，查一下原因|服务崩了|程序崩了，看看日志|回来的时候买菜
回到上一页怎么写|回到正确的提交|where did the migration stop failing?
where did you find this error|what step comes after compiling in C?
which step are mitochondria involved in|let's get pizza|keep on top of dependencies, how?
just continue the loop if x is None|continue on error in bash scripts
how do I continue a git rebase?|continue to the next iteration
Continue writing the essay about whales|resume the download of model.bin
proceed to step 3 of the tutorial and explain it
power went out at the data centre, write a postmortem|had to reboot the router twice, is it dying?
same task for the other file|what is it we breathe|what's the plan of Napoleon at Waterloo
what's on the menu|what's done in a code review|how much is 30% of 90
did you finish the report for Ann?|are you done?|are we done yet?|what needs doing to sell a house
what was the next president after Lincoln|what is pending in Jira for the auth epic
what did we say about naming|who decided on Kafka|when did we ship v2
summarize our decision on caching|why were we doing it that way?
what were we doing wrong in the parser?|what are we missing in this regex?|what am I doing wrong
what are you trying to say|where are the tests|where is the config|where were you trained
back up a step: what is a monad|step back and rethink the design|what happens next in the story?
你做到了！|我做到第三题了|做到一半报错了|聊到猫，你喜欢吗|停到哪个车位|第几步要加盐|这一步怎么算
下面这段代码有什么问题|下面是日志|现在几点|现在该吃什么|现在要不要买房|接下来的代码怎么改
继续扫描目录 src|继续重构 parser 模块|继续这个故事|继续你的表演|接着解释第二点|接着给我讲个笑话
接上电源没反应|接电话怎么说|恢复默认设置|会话管理怎么做|重新登录失败|网络不好怎么办
刚才的方案再详细一点|之前的对话记录在哪|上一个任务用了多久|昨天的任务完成率是多少|目标用户是谁
任务队列满了|进度管理工具推荐|情况紧急，服务挂了|怎么做红烧肉|做什么工作最赚钱
我们要做什么样的缓存|where did the previous team stop supporting IE11
what's next in line after DDR5|continue to monitor the logs
continue on to chapter 4 and summarise it|resume playback at 2x speed|finish the essay
go back to the draft from Monday and use that title|what happened next in the trial
is there anything left in the fridge|what should happen next week with the release
who was next in line to the throne|back in 2019 we used Jenkins
I am back-porting the patch, any tips?|session dropped packets metric
kicked out of the group chat, what do I say|what are you working with
what's the goal difference rule in football|what's the plan for Friday|status report template
progress report on cancer research|how far is Porto from Lisbon|what did I do wrong?
where am I supposed to put the API key|what do I do if pip fails?
do the rest of the alphabet in morse|上次聊到的那家餐厅叫什么|做到这一步之后报错
我做到第三关了怎么过|接着上文写结尾|继续阅读这个文件|继续写测试|继续完善文档里的安装部分
接下来的诗怎么背|下一步兵法怎么走|我的任务栏不见了|任务完成后发通知怎么写|昨天的进展会议谁参加了
进度管理用什么软件|还剩多少预算|还有什么要注意的吗|恢复一下默认键位|从哪里下载|从哪开始学 Python
断网也能用的地图|回来路上堵车了|我回来再说|他刚才说什么了|你刚才的回答有错|刚才那段代码再解释一下
目前的方案有什么缺点|现在的版本号是多少|我们当前用的是哪个分支|窗口关了怎么恢复标签页
"""


def _rows(table: str) -> list[str]:
    return [row for row in table.replace("\n", "|").split("|") if row]


@pytest.mark.parametrize("text", _rows(YES))
def test_a_message_that_resumes_the_work_is_known_s2_7(text: str):
    assert asks_to_resume(text) is not None


@pytest.mark.parametrize("text", _rows(NO))
def test_a_message_that_only_uses_its_words_is_left_alone_s2_22(text: str):
    assert asks_to_resume(text) is None


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("刚才我们说到哪了", "zh_where_stopped"),
        ("continue", "en_go_on"),
        ("what were we doing", "en_what_doing"),
        ("what's next?", "en_what_next"),
        ("what should happen next?", "en_what_next"),
        ("got disconnected, continue where you left off", "en_cut_off"),
        ("我們剛才在做什麼", "zh_what_doing"),
    ],
)
def test_the_rule_is_named(text: str, rule: str):
    assert asks_to_resume(text) == rule


def test_what_a_host_puts_around_a_message_does_not_count_c6_5():
    wrapped = 'Sender (untrusted metadata):\n```json\n{"label": "Ann"}\n```\n\n继续'
    assert asks_to_resume(wrapped) == "zh_go_on"
    assert asks_to_resume("<recall-context>\n- continue\n</recall-context>\nfix the parser") is None


@pytest.mark.parametrize("around", ['"{}"', "`{}`", "```\n{}\n```", "> {}", "“{}”"])
def test_quotes_and_code_are_not_the_users_words(around: str):
    assert asks_to_resume(f"please rename it to {around.format('continue')} in all files") is None


def test_a_long_message_that_holds_the_words_is_another_matter():
    filler = "The export job has to copy the rows of every invoice and then compare the counts. "
    assert asks_to_resume(f"{filler * 4} Where did we stop?") is None
    assert asks_to_resume(f"{'导出任务要复制每张发票的行然后比较数量。' * 5}我们说到哪了") is None


@pytest.mark.parametrize(
    "text", ["", " ", "?", "。。。", "🙂", "\n\n", "a" * 100_000, "继续" * 50_000]
)
def test_what_says_nothing_or_far_too_much_asks_nothing(text: str):
    assert asks_to_resume(text) is None


@pytest.mark.parametrize(
    "piece",
    [
        "刚", "刚刚", "那个", "我们我", "继续接着", "进度", "的", "任务", "做到", "接下来",
        "没做完",
        "ok so ", "what were we ", "the last step ", "from where we were ", "back again ", "i was ",
    ],
)  # fmt: skip
def test_hostile_messages_are_judged_at_once(piece: str):
    started = process_time()
    for size in (20, 39, 60, 79, 120, 230):
        asks_to_resume((piece * size)[:size] + "zz")
        asks_to_resume((piece * size)[: size - 3] + "继续x")
    assert process_time() - started < 0.5


def test_messages_of_the_gates_set_that_need_no_memory_resume_nothing(eval_data: Path):
    lines = (eval_data / "gate" / "gate.jsonl").read_bytes().splitlines()
    rows = [orjson.loads(line) for line in lines]
    found: dict[str, list[str]] = {label: [] for label in ("yes", "no", "uncertain", "skip")}
    for row in rows:
        if asks_to_resume(row["text"]) is not None:
            found[row["label"]].append(row["id"])
    assert found["no"] == found["skip"] == []
    # Where the running work stopped: both answer, and recall runs as ever.
    assert found["yes"] == ["gate-dev-005", "gate-dev-057"]
