"""The messages that are timed, by what becomes of them."""

from random import Random

from bench.perf.notes import Fact

# Nothing in them, or thanks, or hello: never worth a vector.
SMALL_TALK = (
    "", "   ", "ok", "thanks!", "好的", "谢谢", "hello", "hi there", "你好", "收到", "got it", "👍",
    "good morning", "早上好", "yes", "great, thank you",
)  # fmt: skip

# Decided ``no`` by a rule that the extended stage does not doubt.
PLAIN_NO = (
    "What is the difference between a mutex and a semaphore?",
    "Write a function that reverses a linked list in Rust.",
    "Translate this sentence into French: the weather is fine today.",
    "How do plants turn light into sugar?",
    "什么是二叉搜索树？",
    "帮我写一个快速排序的函数",
    "如何在 Linux 上查看端口占用？",
    "解释一下 TCP 三次握手的过程",
    "Calculate 17 percent of 2,450.",
    "List the planets of the solar system.",
)

# Nothing found by the rules, and enough in them for a vector to mean something.
OPEN_NO = (
    "Please turn the following list of fruit into a table with two columns.",
    "I want a short poem about the sea in autumn, without rhymes.",
    "Rename the variable counter to total everywhere in this snippet, please.",
    "Suggest three names for a small bakery that sells rye bread.",
    "Can you give me a regular expression for phone numbers in Norway?",
    "I need a polite reply that declines an invitation to a dinner.",
    "Show me a minimal example of a websocket server in Go.",
    "Could you sort these twelve numbers from the largest to the smallest?",
    "给我推荐三个适合小阳台的绿植",
    "把下面这段话改写得更正式一些",
    "我想要一个关于夏天海边的短故事",
    "推荐几部适合周末看的科幻电影",
    "我要一份番茄炒蛋的做法，步骤简短",
    "生成一个随机的十六位密码给我用",
)


def questions(known: list[Fact], count: int) -> list[str]:
    """Questions about ``count`` facts, the same ones every time: English and Chinese in turn,
    two with one clear answer and two with several, which take a second search."""
    chance = Random(count)
    english = chance.sample([fact for fact in known if not fact.chinese], count)
    chinese = chance.sample([fact for fact in known if fact.chinese], count)
    turns = [pair[number % 2] for number, pair in enumerate(zip(english, chinese, strict=True))]
    return [
        fact.vague_question if number // 2 % 2 else fact.question
        for number, fact in enumerate(turns)
    ]
