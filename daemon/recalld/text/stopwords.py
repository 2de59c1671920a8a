"""Words that carry no content in a question. Only questions lose them; the index keeps all."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


ENGLISH = _words(
    """
    a about above after again all also am an and any are aren as at be because been before being
    below between both but by can cannot could couldn d did didn do does doesn doing don down
    during each few for from further get got had hadn has hasn have haven having he her here hers
    herself him himself his how i if in into is isn it its itself just know let ll m me might more
    most my myself no nor not now of off ok okay on once only or other our ours ourselves out over
    own please re s same she should so some such t tell than that the their theirs them themselves
    then there these they this those through to too under until up us ve very was wasn we were
    weren what when where which while who whom why will with won would wouldn yes you your yours
    yourself yourselves
    """
)

# A bigram of two of these characters asks or refers, and names nothing.
CJK_CHARACTERS = frozenset("的了吗呢吧么是在我你他她它们这那哪有和与及就也都还又很不啊呀个")

# Bigrams of question and reference words, and the ones that arise where two of them meet.
CJK_BIGRAMS = _words(
    """
    什么 怎么 怎样 哪些 哪个 哪里 多少 我们 你们 他们 一个 可以 是否 为什 如何 时候 这个 那个
    没有 还是 就是 是什 么时 关于 曾经 之前 以前 上次 记得 告诉 知道 一下 我的 你的 他的 有没
    请问 几个 谁是 我想 是不 不是 我和 和我 给我 我给 你给 对吗 是哪 么样
    """
)


def is_stopword(token: str) -> bool:
    """Whether an unstemmed, lower-case token of a question carries no content."""
    if token.isascii():
        return token in ENGLISH
    return token in CJK_BIGRAMS or all(character in CJK_CHARACTERS for character in token)
