"""How users and agents tell in Chinese how far a step is, as data. Pure.

Patterns for one sentence or clause, over simplified characters.
"""

# What a user says who lets the agent go on with it, but not now, or who only asks how it goes.
HOLDS = (
    r"先(?:不|别|等|停|放)|等(?:等|一下|会)|别|不(?!错|过|用谢)|稍后|以后|回头|明天|待会|晚点|暂停|取消"
    r"|到哪|怎么|进度|进展|状态|呢\W*$|[吗嘛么]\W*$|如何|咋|什么|为什么|多久|多少|几|哪"
)
# Of work that is not at its end.
UNFINISHED = (
    r"还(?!原|款|是)|剩|正在|进行中|(?<!没有)(?<!没)(?<!无)(?:失败(?!率|次)|报错|崩溃|超时)|无法|没(?:有?(?:成功|完成|通过|能|法|跑|做|写|改)|能|法)"
    r"|未|不能|不行|卡(?!片|尔)|等(?:待|你|您|对方|审)|一半|部分|开始(?!时)|预计|待(?!办)|只(?=完成|做|剩|跑|改|写|有一)"
    r"|(?!(?P<all>\d+)/(?P=all)(?!\d))\d+/\d+|第 ?\d+ ?个"
)
# A question after the state of the work, whose answer reports it.
ASKS_STATE = (
    r"\W*(?:现在|那|所以|目前)*+(?:怎么样|咋样|如何|到哪|进度|进展|情况|好了|完成了?|做完了?|跑完了?|搞定了?|弄好了?"
    r"|结果|成功了?|通过了?|可以了?)(?:了|呢|吗|么|没有?|如何|怎么样)*\W*$"
)
