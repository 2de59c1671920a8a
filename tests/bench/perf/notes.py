"""Ten thousand notes in English and Chinese, the same ones every time, and questions about them."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from random import Random

FILES = 400
SECTIONS = 25
CHUNKS = FILES * SECTIONS
FIRST_DAY = date(2024, 1, 8)

_ONSETS = ("b", "br", "d", "dr", "f", "g", "gr", "h", "k", "kl", "l", "m", "n", "p", "pl", "r")
_VOWELS = ("a", "e", "i", "o", "u", "ai", "or", "an", "el", "is")
_CODAS = ("dan", "ket", "lin", "mor", "nas", "pet", "rix", "sol", "tam", "vek", "wen", "zor")
_STRIDE = 7_919  # a prime, so that it visits every name
_CJK = "青云白石长河远山松林晨星北辰南湖东篱西岭金沙玉泉秋水春晓明月清风"

PEOPLE = (
    "Ines",
    "Marek",
    "Sunniva",
    "Tobias",
    "Adaeze",
    "Yusuf",
    "Lotte",
    "Pavel",
    "Noor",
    "Kenji",
)
PEOPLE_ZH = ("小林", "老周", "阿珍", "陈工", "王姐", "李雷", "赵敏", "孙博", "吴迪", "郑爽")
PARTS = (
    ("cache", "缓存"), ("login page", "登录页"), ("payment queue", "支付队列"),
    ("search index", "搜索索引"), ("nightly backup", "夜间备份"), ("report export", "报表导出"),
    ("mail gateway", "邮件网关"), ("image resizer", "图片缩放"), ("audit log", "审计日志"),
    ("rate limiter", "限流器"), ("feature flags", "功能开关"), ("mobile client", "移动端"),
    ("billing job", "计费任务"), ("schema migration", "表结构迁移"), ("load balancer", "负载均衡"),
    ("session store", "会话存储"), ("webhook sender", "回调发送"), ("staging cluster", "预发集群"),
)  # fmt: skip
CHOICES = (
    ("PostgreSQL", "PostgreSQL"),
    ("a plain file", "普通文件"),
    ("Redis streams", "Redis 流"),
    ("two replicas", "两个副本"),
    ("a weekly batch", "每周批处理"),
    ("signed cookies", "签名 cookie"),
    ("exponential backoff", "指数退避"),
    ("a single region", "单一区域"),
    ("protobuf", "protobuf"),
    ("hourly snapshots", "每小时快照"),
    ("the vendor's SDK", "厂商的 SDK"),
    ("cursor paging", "游标分页"),
)
REASONS = (
    ("the old one lost writes under load", "旧方案在高负载下会丢写入"),
    ("it is the cheapest to operate", "运维成本最低"),
    ("the customer asked for an answer within a second", "客户要求一秒内返回"),
    ("nobody on the team knows the alternative", "团队里没人熟悉另一种方案"),
    ("the licence of the other one changed", "另一个的许可证变了"),
    ("the disk filled up twice in March", "三月磁盘满了两次"),
    ("tests against it run without a network", "测试可以不联网运行"),
    ("the auditors want every change signed", "审计要求每次变更都有签名"),
)
ASIDES = (
    ("Dashboards for it moved to the second screen.", "它的看板挪到了第二块屏幕。"),
    (
        "Garden furniture arrives on Thursday, the gate code changed.",
        "花园家具周四到，门禁密码换了。",
    ),
    ("Nobody has tried the rollback on a full copy yet.", "还没有人在完整副本上试过回滚。"),
    ("The dentist moved the appointment to the afternoon.", "牙医把预约改到了下午。"),
    (
        "A retry storm followed the deploy and calmed down by itself.",
        "发布后出现重试风暴，后来自己平息了。",
    ),
    ("Coffee beans from the small roastery taste of cherries.", "小烘焙坊的咖啡豆有樱桃味。"),
    (
        "Latency fell after the index was rebuilt on the quiet node.",
        "在空闲节点重建索引后延迟下降了。",
    ),
    ("The train strike makes the Lisbon trip uncertain.", "火车罢工让里斯本之行不确定。"),
    (
        "Snow closed the upper trail, so the hike went along the lake.",
        "大雪封了上面的路，徒步改走湖边。",
    ),
    ("Invoices older than ninety days go to the archive bucket.", "超过九十天的发票进入归档桶。"),
)


# Each is one way to write a fact down; the words that all notes share stay few.
SENTENCES = (
    "{person} decided that the {part} of {project} uses {choice}, because {reason}.",
    "For the {part} in {project} we settled on {choice}: {reason}.",
    "{project} moved its {part} to {choice} after the outage; {person} drove it since {reason}.",
    "Picked {choice} as the way forward ({part}, {project}). {person} pointed out: {reason}.",
    "{choice} replaces whatever the {part} had. Reported by {person}, {project} crew: {reason}.",
    "Meeting with {person}. {part} from now on with {choice}; {reason}. Applies to {project} only.",
)
SENTENCES_ZH = (
    "{person}决定{project}的{part}改用{choice}，因为{reason}。",
    "{project}那边的{part}最后选了{choice}：{reason}。",
    "故障之后{project}把{part}迁到{choice}，由{person}负责，理由是{reason}。",
    "和{person}开会，{part}今后采用{choice}；{reason}。只适用于{project}。",
    "{part}原来的做法作废，换成{choice}（{project}，{person}提出）：{reason}。",
)
LIMITS = (
    "The limit is {number}.", "At most {number} at once.", "Alert above {number} a minute.",
    "Measured {number} yesterday.", "Ticket {number} has the details.", "Budget: {number} euros.",
)  # fmt: skip
LIMITS_ZH = (
    "上限定为 {number}。",
    "每分钟超过 {number} 就报警。",
    "昨天测得 {number}。",
    "详见工单 {number}。",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One section: what was decided about which part of which project."""

    project: str
    part: str
    text: str
    chinese: bool

    @property
    def heading(self) -> str:
        return f"{self.project} {self.part}"

    @property
    def question(self) -> str:
        """What this fact alone answers."""
        if self.chinese:
            return f"我们之前决定{self.project}的{self.part}用什么方案？"
        return f"What did we decide about the {self.part} of {self.project}?"

    @property
    def vague_question(self) -> str:
        """What the facts of a whole project answer, none better than the others."""
        if self.chinese:
            return f"还记得{self.project}之前为什么换方案吗？"
        return f"Do you remember why we changed things in {self.project}?"


def facts() -> list[Fact]:
    """``CHUNKS`` facts, every other file Chinese; no two have the same project and part."""
    chance = Random(20_240_108)
    return [_fact(chance, number, chinese=bool(number // SECTIONS % 2)) for number in range(CHUNKS)]


def write(root: Path, known: list[Fact]) -> None:
    """One dated Markdown file for each ``SECTIONS`` facts, under ``memory/`` and ``docs/``."""
    for number in range(FILES):
        day = FIRST_DAY + timedelta(days=number)
        folder = root / ("memory" if number % 4 < 3 else "docs")
        folder.mkdir(parents=True, exist_ok=True)
        some = known[number * SECTIONS : (number + 1) * SECTIONS]
        (folder / f"{day}.md").write_text("\n".join(_lines(day, some)), encoding="utf-8")


def _lines(day: date, some: list[Fact]) -> Iterator[str]:
    yield f"# {day}"
    for fact in some:
        yield from ("", f"## {fact.heading}", "", fact.text)
    yield ""


def _fact(chance: Random, number: int, *, chinese: bool) -> Fact:
    language = int(chinese)
    # A project has as many facts as there are parts, one about each.
    project = _project(number // len(PARTS), chinese=chinese)
    part = PARTS[number % len(PARTS)][language]
    sentence = chance.choice(SENTENCES_ZH if chinese else SENTENCES)
    limit = chance.choice(LIMITS_ZH if chinese else LIMITS)
    told = (sentence + ("" if chinese else " ") + limit).format(
        project=project,
        part=part,
        choice=chance.choice(CHOICES)[language],
        reason=chance.choice(REASONS)[language],
        person=chance.choice(PEOPLE_ZH if chinese else PEOPLE),
        number=chance.randrange(10, 9_000),
    )
    aside = chance.choice(ASIDES)[language]
    return Fact(project=project, part=part, text=f"{told} {aside}", chinese=chinese)


def _project(number: int, *, chinese: bool) -> str:
    """A name of its own for each number; neighbours in number do not look alike."""
    if chinese:
        first, second = divmod(number * _STRIDE % len(_CJK) ** 2, len(_CJK))
        return f"{_CJK[first]}{_CJK[second]}项目"
    names = len(_ONSETS) * len(_VOWELS) * len(_CODAS)
    rest, coda = divmod(number * _STRIDE % names, len(_CODAS))
    onset, vowel = divmod(rest, len(_VOWELS))
    return f"{_ONSETS[onset]}{_VOWELS[vowel]}{_CODAS[coda]}".capitalize()
