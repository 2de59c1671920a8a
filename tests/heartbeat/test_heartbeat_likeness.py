"""The thresholds of checks mean something on the engine that ships, in both languages."""

from collections.abc import Sequence

import numpy as np
import pytest

from recalld.counters import Counters
from recalld.embed import usem3
from recalld.embed.policy import EmbedPolicy
from recalld.embed.port import Embedder, Vectors
from recalld.heartbeat.checks import goal_progress, knowledge_gaps
from recalld.heartbeat.model import Nearest, Snapshot
from recalld.memories.model import Memory, MemoryType, Similar
from recalld.memories.scale import Scale, measured, texts
from support.snapshots import HOUR, NOW, a_memory, a_snapshot

ANSWERED = (
    ("Why does the upload fail?", "The upload fails because the proxy cuts it at 30 s"),
    ("which region do we deploy to", "The region we deploy to is eu-west-1"),
    ("How do I rotate the key", "Keys are rotated with make rotate-key"),
    ("谁负责发布", "发布由王芳负责"),
    ("上传限额是多少", "上传限额改成了 200MB"),
    ("为什么线上会超时？", "线上超时是因为连接池太小"),
)
UNANSWERED = (
    ("Why does the upload fail?", "Ann likes green tea"),
    ("Why does the upload fail?", "The upload page got a new colour"),
    ("which region do we deploy to", "The dentist moved to another street"),
    ("谁负责发布", "数据库每天凌晨备份"),
    ("上传限额是多少", "下周二去看牙医"),
    ("谁负责发布", "王芳喜欢喝绿茶"),
)
WORKED_ON = (
    ("Ship the streaming importer", "Wrote tests for the streaming importer"),
    ("Migrate the database to Postgres", "Moved the users table to Postgres"),
    ("把缓存换成 redis", "写好了 redis 缓存的测试"),
    ("学完 Rust 课程", "看了 Rust 第三章"),
)
NOT_WORKED_ON = (
    ("Ship the streaming importer", "Fixed the login page"),
    ("Migrate the database to Postgres", "Booked the flights to Lisbon"),
    ("把缓存换成 redis", "整理了会议纪要"),
    ("学完 Rust 课程", "修好了厨房的水龙头"),
)


async def the_engine() -> tuple[Embedder, Scale]:
    embedder = usem3.ENGINE.build(EmbedPolicy(), Counters())
    await embedder.run()
    rows: Vectors = await embedder.embed_passages(texts())
    return embedder, measured(lambda one, other: float(rows[one] @ rows[other]))


def exact(memories: Sequence[Memory], vectors: Vectors) -> Nearest:
    place = {memory.id: at for at, memory in enumerate(memories)}

    def nearest(memory: Memory) -> tuple[Similar, ...]:
        cosines = vectors @ vectors[place[memory.id]]
        return tuple(
            Similar(memory=memories[at], similarity=float(cosines[at]), score=float(cosines[at]))
            for at in np.argsort(-cosines, kind="stable")
            if memories[at].id != memory.id
        )

    return nearest


async def snapshot_of(pair: tuple[str, str], embedder: Embedder, scale: Scale) -> Snapshot:
    """The first a plan, the second an activity, as a user would have told them."""
    first, second = pair
    memories = [
        a_memory("first", first),
        a_memory("second", second, type=MemoryType.ACTIVITY, created_at=NOW - HOUR),
    ]
    vectors = await embedder.embed_passages(list(pair))
    return a_snapshot(*memories, nearest=exact(memories, vectors), common=scale.common)


@pytest.mark.slow_step
async def test_answers_are_told_from_other_matters():
    embedder, scale = await the_engine()
    for pair, gaps in [*((pair, 0) for pair in ANSWERED), *((pair, 1) for pair in UNANSWERED)]:
        found = knowledge_gaps.CHECK.find(await snapshot_of(pair, embedder, scale))
        assert len(found) == gaps, pair


@pytest.mark.slow_step
async def test_activities_are_told_from_other_matters():
    embedder, scale = await the_engine()
    for pair, goals in [*((p, 1) for p in WORKED_ON), *((p, 0) for p in NOT_WORKED_ON)]:
        found = goal_progress.CHECK.find(await snapshot_of(pair, embedder, scale))
        assert len(found) == goals, pair
