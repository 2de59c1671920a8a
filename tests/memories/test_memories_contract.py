"""The service with the engine and the store that ship: English and Chinese alike."""

from pathlib import Path

import pytest

from recalld.counters import Counters
from recalld.embed import usem3
from recalld.embed.policy import EmbedPolicy
from recalld.embed.port import Embedder
from recalld.memories.model import MemoryState, MemoryType
from support.memory_world import new, open_house


def shipped() -> Embedder:
    return usem3.ENGINE.build(EmbedPolicy(), Counters())


@pytest.mark.parametrize(
    ("first", "again", "other"),
    [
        (
            "The staging server's deploy key was rotated on Monday",
            "The deploy key of the staging server was rotated on Monday.",
            "The staging server's deploy key was rotated on Tuesday",
        ),
        (
            "We decided on Redis 7 for sessions",
            "Decided on Redis 7 for the sessions",
            "We decided on Redis 8 for sessions",
        ),
        ("小王负责支付服务", "支付服务小王负责。", "小李负责支付服务"),
        ("我们决定用 Redis 7 做缓存", "决定用 Redis 7 做缓存。", "我们决定不用 Redis 7 做缓存"),
    ],
)
async def test_a_repetition_is_noted_and_whatever_differs_is_kept(
    tmp_path: Path, first: str, again: str, other: str
):
    async with open_house(tmp_path, embedder=shipped()) as house:
        one = await house.service.add(new(first, session="s1"))
        same = await house.service.add(new(again, session="s2"))
        assert same.duplicate_of == one.memory.id
        differs = await house.service.add(new(other))
        assert differs.duplicate_of is None
        assert await house.service.count() == 2
        (said,) = await house.service.occurrences(one.memory.id)
        assert (said.content, said.session) == (again, "s2")


@pytest.mark.parametrize(
    ("plan", "no", "report"),
    [
        (
            "Fix the flaky upload test before the release",
            "The flaky upload test isn't fixed yet",
            "The flaky upload test is fixed in PR #88",
        ),
        ("把会话缓存迁移到 Redis", "会话缓存还没迁移到 Redis", "会话缓存已经迁移到 Redis"),
    ],
)
async def test_a_report_closes_its_plan_and_a_no_does_not(
    tmp_path: Path, plan: str, no: str, report: str
):
    async with open_house(tmp_path, embedder=shipped()) as house:
        open_one = (await house.service.add(new(plan, MemoryType.PLAN))).memory
        assert (await house.service.add(new(no, MemoryType.EVENT))).resolved == ()
        closed = await house.service.add(new(report, MemoryType.EVENT))
        assert closed.resolved == (open_one.id,)
        assert (await house.service.get(open_one.id)).state is MemoryState.RESOLVED


async def test_either_language_finds_both(tmp_path: Path):
    async with open_house(tmp_path, embedder=shipped()) as house:
        english = await house.service.add(new("The session cache moved to Redis in March"))
        chinese = await house.service.add(new("测试环境的数据库每晚备份"))
        for filler in ("The printer is jammed again", "外婆下个月过七十大寿", "Anna likes tea"):
            await house.service.add(new(filler))
        for query, wanted in (
            ("where do sessions get cached", english),
            ("会话缓存在哪里", english),
            ("is the test database backed up", chinese),
            ("数据库什么时候备份", chinese),
        ):
            found = (await house.service.search("ann", query, limit=2)).found
            assert found[0].memory.id == wanted.memory.id
            assert found[0].similarity > found[1].similarity
        memories, nearest = await house.service.snapshot("ann")
        assert len(memories) == 5
        unlike = [each.similarity for each in nearest(chinese.memory)]
        assert max(unlike) < 0.5


@pytest.mark.parametrize(
    ("old", "fresh", "query"),
    [
        (
            "Picked Redis over Memcached for the session cache",
            ("Hand in the tax return", "Pay the rent", "Renew the TLS certificate of the shop"),
            "redis or memcached",
        ),
        (
            "The TLS certificate of the shop expired and took the checkout down",
            ("Hand in the tax return", "Rotate the API keys", "Water the plants"),
            "why did the checkout go down",
        ),
        ("只喝茶不喝咖啡", ("提交今年的报税表", "交房租", "轮换 API 密钥"), "咖啡还是茶"),
        (
            "会话缓存选了 Redis，没选 Memcached",
            ("提交今年的报税表", "周一部署到生产环境", "检查备份"),
            "Redis 还是 Memcached",
        ),
    ],
)
async def test_an_old_answer_stands_before_what_is_merely_fresh(
    tmp_path: Path, old: str, fresh: tuple[str, ...], query: str
):
    async with open_house(tmp_path, embedder=shipped()) as house:
        await house.service.add(new(old, MemoryType.EVENT))
        house.later(days=50)
        for content in fresh:
            await house.service.add(new(content, MemoryType.PLAN, importance=0.9))
        best, *_ = (await house.service.search("ann", query)).found
        assert best.memory.content == old
