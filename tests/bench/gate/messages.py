"""Messages written for this repository: some lean on memory, some only sound like it."""

NEEDS_MEMORY = tuple(
    """
    what's the name of the contractor we hired?
    which branch did we park the spike on
    what was the conclusion on the pricing page experiment?
    how did the demo go?
    did Priya send the contract?
    what time is my dentist appointment
    where did I put the staging credentials doc
    you said there's a faster way, which one?
    as we agreed, move the deadline
    use the same palette as the last deck
    who was going to handle the DNS change?
    what's my wifi password at the office
    any word from legal?
    what do you know about my diet
    我老婆生日是哪天
    上周会上定的目标是什么
    张总那边同意报价了吗
    我们的发版流程是什么
    之前踩过的那个坑是怎么绕过去的
    咱们为什么放弃用 GraphQL 了
    我一般几点健身
    数据迁移做完了吗
    帮我按之前的模板写周报
    那家餐厅叫什么来着
    我跟你提过的那本书叫什么
    继续昨天的工作
    服务器的密码我放哪了
    你上次建议我怎么改简历
    我女儿对什么过敏
    客户要的交付时间是几号
    有没有收到供应商的回复？
    我的工位在几楼
    翻一下我们的聊天记录，找找那个链接
    跟上次一样的格式
    我跟你说过的那家店叫什么
    客户最后选了哪个方案？
    """.strip().split("\n    ")
)
NEEDS_NONE = tuple(
    """
    Why did I get this error?
    Can you review the changes I made?
    Add a test for the function I wrote above
    How do I know if my code is thread safe?
    I installed docker yesterday, how do I start it?
    We need to add logging to our API
    what does our Dockerfile do?
    Where is the config file in this repo
    Did we land on the moon?
    when did we first land on the moon
    What did the Romans do for entertainment?
    Is my regex correct?
    What's wrong with my code?
    Where should I put my env file?
    Our tests are failing with a timeout, please fix
    I want to build a todo app in React. Where do I start?
    Which database should I use for my project?
    I have 3 apples and ate one, how many do I have left?
    My computer is slow, what can I do?
    I read about transformers yesterday, can you explain attention?
    Create a React component that remembers the user's last choice
    The user previously logged in; write SQL to find them
    Write a unit test for the login handler
    bump the version and update the changelog
    why is my docker container exiting immediately
    Add caching to the get_user function so we don't hit the DB every time
    remove the flag we no longer use
    can you remember to add type hints
    Remember to run the linter before committing
    remind me to call mom tomorrow
    What is the status code for not found?
    how did Alexander the Great die?
    who is Michael Jordan
    What did Martin Luther King say in his famous speech?
    Who wrote Alice in Wonderland?
    did you know that octopuses have three hearts?
    What happened in 1989 in Berlin?
    Please use tabs instead of spaces in this file
    the build fails on CI since yesterday, here's the log
    I've pasted the stack trace below, what's going on?
    Should I use let or const?
    convert the file I uploaded to csv
    给我写一个 Python 脚本，统计文件行数
    我的代码哪里错了？
    我应该用哪个数据库？
    我昨天买了一盆花，多久浇一次水？
    我们公司需要一个请假制度，帮我写一份
    为什么我的电脑这么卡
    帮我看一下这个报错是什么意思
    提交之前我需要做什么检查？
    睡觉之前我应该喝水吗
    上次世界杯冠军是谁
    去年诺贝尔奖得主是谁
    昨天的股市行情怎么样
    请记得加上单元测试
    忘记密码怎么办
    怎么让模型记住上下文
    历史上发生过哪些大地震
    小明有5个苹果，吃了2个，还剩几个？
    我有三个苹果，给了你一个，还剩多少
    写一首关于我们上次旅行的诗
    那个年代的人怎么通信
    老师说的光合作用是什么
    你推荐一本书给我
    你能推荐几部电影吗
    如果我之前没有学过编程，该从哪里开始
    我想学吉他，从哪里开始
    Python 里怎么记录日志
    我们的太阳系有几颗行星
    我身高175体重70，BMI是多少
    """.strip().split("\n    ")
)
