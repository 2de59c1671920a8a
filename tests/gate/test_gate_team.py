"""Ten sentences a team says of its own matters a family, and ten that only sound like them."""

import pytest

from bench.gate.__main__ import by_rules
from recalld.recall.model import Verdict


def _lines(text: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.strip().splitlines())


CHOSEN_THEN = _lines(
    """
    为什么当时选了PostgreSQL？
    当初怎么没用 Redis？
    当时为什么把单体拆成微服务？
    当时重试上限定了多少？
    当初谁拍板换的消息队列？
    数据库当初为什么不用 MySQL？
    缓存过期时间当时是怎么定的？
    当時為什麼改成雙寫？
    当时是基于什么考虑放弃 GraphQL 的？
    那当初日志格式定的是哪种？
    why was PostgreSQL chosen over MySQL?
    why did the team pick Kafka back then?
    who picked the message queue?
    when was the retry limit raised to five?
    why was the old cache dropped?
    who decided on the release cadence?
    what made the team switch to pnpm?
    why was Redis ruled out?
    who signed off on the schema change?
    back then, why was the timeout set to 30 seconds?
    当时怎么想到用事件溯源的？
    怎么当时没加索引？
    为什么后来弃用了 GraphQL？
    why was the feature flag removed?
    """
)
NOT_CHOSEN_BY_US = _lines(
    """
    当时明朝为什么迁都北京？
    秦始皇当时为什么选择咸阳作为都城？
    他当时为什么选择离开公司？
    当时的人为什么用竹简写字？
    当时选举是怎么进行的？
    为什么PostgreSQL选了MVCC而不是锁？
    为什么选择 PostgreSQL 而不是 MySQL？
    当时间戳改变时怎么触发更新？
    当初联合国为什么选在纽约？
    Python 当初为什么改用三元语法？
    why was Pluto downgraded?
    why was Constantinople chosen as the capital?
    who picked Winston Churchill as prime minister?
    why did the team lose the World Cup final?
    when was PostgreSQL first released?
    why was Python named after Monty Python?
    who decided that a byte has eight bits?
    when was the voting age lowered to 18?
    why is PostgreSQL chosen over MySQL in so many startups?
    who dropped the atomic bomb?
    当时的皇帝是谁？
    后来为什么清朝放弃了闭关？
    最后谁选上了总统？
    why was Redis created?
    """
)
OUR_WHEN_AND_WHERE = _lines(
    """
    我们什么时候发布？
    咱们哪天上线？
    我们几点开站会？
    我们多久备份一次？
    我们的日志保留多久？
    我们怎么定版本号？
    我们服务器放在哪里？
    我们用的是哪家云？
    我们這個月值班的是誰？
    我什么时候体检？
    When is our deployment window?
    when do we ship?
    where do we keep the runbooks?
    how often do we rotate the keys?
    what day do we deploy?
    how do we name release branches?
    who do we page for the billing queue?
    how long do we keep the logs?
    what region do we run in?
    how do we roll back?
    我们值班怎么排？
    咱们的密钥多久轮换一次？
    where do we host the docs?
    when do we freeze the code?
    """
)
NOT_OURS = _lines(
    """
    我们什么时候应该用索引？
    我们为什么会做梦？
    我们一天应该喝多少水？
    我们的太阳系有几颗行星？
    我们国家有多少个民族？
    我们什么时候用过去完成时？
    我们怎么学好英语？
    我们在哪里可以买到签证保险？
    我们身体里有多少块骨头？
    我们多少岁可以考驾照？
    when do we use the past perfect?
    why do we dream?
    how do we know the earth is round?
    how much water should we drink?
    where do we get vitamin D from?
    how do we solve a quadratic equation?
    when should we use an index?
    what do we call a group of crows?
    how often should we brush our teeth?
    how many bones do we have?
    我们的祖先从哪里来？
    我们的身体有多少水分？
    我们平时吃的盐从哪里来？
    我们常说的大数据是什么？
    how do we deploy a Flask app to Heroku?
    how do we tag a commit in git?
    """
)
OPERATIONS = _lines(
    """
    发布怎么回滚？
    数据库备份保留多久？
    备份存在哪里？
    上线要谁审批？
    日志保留几天？
    值班表在哪？
    夜间任务几点跑？
    测试环境的账号是多少？
    线上故障通知谁？
    發佈窗口是幾點？
    how long are database backups kept?
    where do the backups go?
    who approves releases?
    how is a release rolled back?
    when does the nightly job run?
    where is the on-call rota?
    what time is the standup?
    who owns the billing service?
    how often are the keys rotated?
    when is the next release?
    谁负责值班？
    who is on call?
    """
)
PUBLIC_OPERATIONS = _lines(
    """
    数据库怎么优化？
    备份是什么意思？
    发布和部署有什么区别？
    数据库索引怎么设计？
    缓存雪崩怎么解决？
    git 怎么回滚？
    MySQL 备份怎么恢复？
    Kubernetes 的发布怎么回滚？
    服务器一般多少钱？
    什么是灰度发布？
    how are database indexes stored?
    how does a deployment work in Kubernetes?
    how long are backups kept in AWS RDS by default?
    when does the garbage collector run?
    how long do cookies last?
    where are environment variables stored in Linux?
    who owns GitHub?
    how often should keys be rotated?
    what is a release train?
    when was the first release of Python?
    """
)
PEOPLE = _lines(
    """
    老王什么时候跑备份？
    小李负责哪块？
    小陈几号回来？
    这事归老张管吗？
    老周的电话是多少？
    阿强在哪个组？
    小林要的报告放哪了？
    备份是老刘跑的吗？
    小吳為什麼改了超時？
    上线要找阿明批吗？
    who is Priya?
    what did Arjun ask for?
    is Yuki on call this week?
    when does Fatima get back?
    what does Ravi work on?
    which team is Kenji on?
    why did Ingrid change the timeout?
    where does Giulia keep the runbook?
    who is Dmitri?
    did Aisha sign the contract?
    大刘那边怎么说？
    这个接口是小郭写的吗？
    """
)
NOBODY_WE_KNOW = _lines(
    """
    小王有12元，买了3支笔，还剩多少？
    小王子是谁写的？
    小李飞刀是谁写的？
    小程序怎么发布？
    小龙虾怎么做？
    老虎吃什么？
    老王卖瓜是什么意思？
    阿里巴巴是谁创立的？
    小苏打有什么用？
    阿兰图灵是谁？
    who is Einstein?
    who is Batman?
    who is Plato?
    who is Michael Jordan?
    who was Napoleon?
    who is Marco Polo?
    what is Kubernetes?
    who is Zeus in the Iliad?
    who is Shakespeare?
    who is Priya in the novel?
    老子的思想是什么？
    小米的总部在哪里？
    老北京炸酱面怎么做？
    """
)
STILL_REMEMBERED = _lines(
    """
    remember the walrus password hint?
    remember the port of the staging box?
    remember our rule for commit messages?
    remember which region it runs in?
    remember Priya's extension?
    so, remember the flaky test?
    remember that odd timeout?
    recall the name of the contractor?
    remember why the queue was split?
    Remember who owns the billing job?
    记得海象密码提示吗？
    记得测试机的端口吗？
    还记得那个超时吗
    记得发布窗口是几点吗？
    記得值班是誰嗎？
    记得老王的分机号吗？
    记得当时的结论吗？
    都记得规则吧？
    记得 staging 的地址么？
    记不记得上线的口令？
    """
)
TO_BE_REMEMBERED = _lines(
    """
    remember to run the linter?
    remember to close the file, ok?
    remember the password is required.
    Remember the user's choice in local storage
    remember that arrays start at zero, ok?
    remember how to exit vim?
    implement "remember me" on the login form?
    remember the difference between let and const?
    does the browser remember the password?
    remember, always commit before you push
    记得加测试好吗？
    记得提交代码
    请记得把日志关掉好吗？
    记得先备份再迁移，可以吗？
    怎么让浏览器记得密码？
    浏览器记得密码吗？
    记得写注释
    记得跑一下测试行吗？
    要记得关灯吗？
    记得带上单元测试好不好？
    """
)


@pytest.mark.parametrize(
    "text",
    [*CHOSEN_THEN, *OUR_WHEN_AND_WHERE, *PEOPLE, *STILL_REMEMBERED],
)
def test_what_is_said_of_our_own_choices_dates_people_and_memories_is_a_yes(text: str) -> None:
    verdict = by_rules(extended=True)(text)
    assert verdict.verdict is Verdict.YES, verdict


@pytest.mark.parametrize("text", OPERATIONS)
def test_an_operation_asked_about_without_a_person_is_worth_a_probe(text: str) -> None:
    verdict = by_rules(extended=True)(text)
    assert verdict.verdict is not Verdict.NO, verdict


@pytest.mark.parametrize(
    "text",
    [*NOT_CHOSEN_BY_US, *NOT_OURS, *PUBLIC_OPERATIONS, *NOBODY_WE_KNOW, *TO_BE_REMEMBERED],
)
def test_what_only_sounds_like_it_stays_a_no(text: str) -> None:
    verdict = by_rules(extended=True)(text)
    assert verdict.verdict is Verdict.NO, verdict


def test_a_name_nobody_has_listed_is_worth_a_probe() -> None:
    verdict = by_rules(extended=True)("who is Zorvath?")
    assert (verdict.verdict, verdict.rule) == (Verdict.UNCERTAIN, "en_who_is_that")


@pytest.mark.parametrize(
    "text",
    [
        "为什么当时选了PostgreSQL？",
        "我们什么时候发布？",
        "发布怎么回滚？",
        "who is Priya?",
        "老王什么时候跑备份？",
        "remember the walrus password hint?",
        "when does the nightly job run?",
    ],
)
def test_the_fixed_order_alone_knows_none_of_them(text: str) -> None:
    assert by_rules(extended=False)(text).verdict is Verdict.NO
