"""One evaluation: the questions of a folder put to one configuration."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import anyio

from recalld.config import Config
from recalld.embed.port import Embedder, EmbedderState
from recalld.errors import BadRequest, Unavailable
from recalld.evaluate.gate_eval import GATE, Judged, judge, load_messages
from recalld.evaluate.heartbeat_eval import SCENARIOS, Linked, link, load_scenarios
from recalld.evaluate.metrics import Answer
from recalld.evaluate.probes import Probed, probe_stores
from recalld.evaluate.self_questions import own_answers
from recalld.evaluate.sets import EvalSet, Query, load_set, set_names
from recalld.evaluate.world import Indexed, World, open_index, open_world
from recalld.index.flow import IndexSettings
from recalld.search.policy import SearchPolicy
from recalld.search.preferred.cosine import PROVENANCE
from recalld.searchers import Searchers

# Sets of these names hold other tasks than search.
GATE_SET, HEARTBEAT_SET = "gate", "heartbeat"

ALL_RULES = SearchPolicy()

Tune = Callable[[Searchers], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """What is measured: a configuration under a name.

    ``search`` is not configurable; a rule of it may be off to see what it is worth.
    ``everywhere``: every question searches all groups of all sets, its own as its home.
    ``tune`` is given the searchers before the first question.
    """

    name: str
    config: Config
    search: SearchPolicy = ALL_RULES
    everywhere: bool = False
    tune: Tune = lambda _searchers: None

    @property
    def index(self) -> IndexSettings:
        return IndexSettings(policy=self.config.index)


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """What came back. ``notes`` say in words what was left out and why.

    ``linked`` are signals with what was called related, by ``linked_by``: the default engine.
    """

    name: str
    engine: str
    threshold: float
    answers: tuple[Answer, ...]
    judged: tuple[Judged, ...] = ()
    probed: tuple[Probed, ...] = ()
    linked: tuple[Linked, ...] = ()
    linked_by: str = ""
    notes: tuple[str, ...] = ()


async def evaluate(
    data: Path, folder: Path, recipe: Recipe, *, only: Sequence[str] = ()
) -> Evaluation:
    """The sets of ``data`` that ``only`` names, all of them when empty; indexed in ``folder``.

    Raises ``BadRequest`` where nothing is there to ask, or a name is no set, and as
    ``open_index`` where the preferred engine is lacking.
    """
    names = chosen(data, only)
    searched = tuple(
        load_set(data, name) for name in names if name not in (GATE_SET, HEARTBEAT_SET)
    )
    messages = load_messages(data) if GATE_SET in names else ()
    scenarios = load_scenarios(data) if HEARTBEAT_SET in names else ()
    async with open_world(
        folder, searched, embed=recipe.config.embed, search=recipe.search, index=recipe.index
    ) as world:
        embedder = world.index.embedder
        await loaded(embedder)
        recipe.tune(world.index.searchers)
        answers = await _answers(world, searched, recipe)
        policy = recipe.config.recall
        judged = await judge(messages, embedder=embedder, policy=policy)
        probed = await probe_stores(world, messages, embedder=embedder, policy=policy)
        linked = await link(scenarios, embedder=embedder)
        notes = (*_engine_notes(world.index), *_degraded_note(answers))
    return Evaluation(
        name=recipe.name,
        engine=str(world.index.identity),
        threshold=recipe.config.recall.high_raw_score,
        answers=answers,
        judged=judged,
        probed=probed,
        linked=linked,
        linked_by=embedder.identity.engine,
        notes=notes,
    )


async def evaluate_self(root: Path, folder: Path, recipe: Recipe, *, most: int) -> Evaluation:
    """Questions made from the user's own notes under ``root``, which is only read."""
    async with open_index(
        folder, [root], embed=recipe.config.embed, search=recipe.search, index=recipe.index
    ) as indexed:
        await loaded(indexed.embedder)
        recipe.tune(indexed.searchers)
        answers, notes = await own_answers(indexed, root, most=most)
        problem = _engine_notes(indexed)
    return Evaluation(
        name=recipe.name,
        engine=str(indexed.identity),
        threshold=recipe.config.recall.high_raw_score,
        answers=tuple(let_through(one, recipe.config) for one in answers),
        notes=(*notes, *problem, *_degraded_note(answers)),
    )


def chosen(data: Path, only: Sequence[str]) -> tuple[str, ...]:
    """The names of the sets to run, in order of name."""
    there = list(set_names(data))
    there += [name for name in (GATE_SET,) if (data / GATE).is_file()]
    there += [HEARTBEAT_SET] if (data / SCENARIOS).is_file() else []
    unknown = [name for name in only if name not in there]
    if unknown:
        known = ", ".join(sorted(there)) or "none"
        raise BadRequest("--sets", f"{', '.join(unknown)}: not in {data} (there: {known})")
    found = tuple(sorted(only or there))
    if not found:
        raise BadRequest(str(data), "no folder in it holds corpus.jsonl and queries.jsonl")
    return found


async def loaded(embedder: Embedder) -> None:
    """Wait until the engine works. One that never will is told in the notes, not here."""
    if embedder.state is EmbedderState.OFF:
        return
    try:
        await embedder.ready()
    except Unavailable:
        return


async def _answers(world: World, sets: Sequence[EvalSet], recipe: Recipe) -> tuple[Answer, ...]:
    return tuple(
        [
            let_through(await _asked(world, one.name, query, recipe), recipe.config)
            for one in sets
            for query in one.queries
            if not query.no_gold
        ]
    )


async def _asked(world: World, name: str, query: Query, recipe: Recipe) -> Answer:
    started = anyio.current_time()
    result = await world.ask(name, query, everywhere=recipe.everywhere)
    took_ms = (anyio.current_time() - started) * 1_000
    answer = world.answered(name, query, result.found, took_ms=took_ms)
    return replace(answer, degraded=result.degraded)


def let_through(answer: Answer, config: Config) -> Answer:
    """With what this configuration lets through of one search."""
    high = config.recall.high_raw_score
    through = [row for row, raw in answer.ranked if raw >= high]
    return replace(answer, injected=tuple(through[: config.recall.top_k]))


def _engine_notes(index: Indexed) -> tuple[str, ...]:
    notes = []
    embedder = index.embedder
    if embedder.state not in (EmbedderState.READY, EmbedderState.OFF):
        why = embedder.problem or embedder.state.value
        notes.append(f"the engine {embedder.identity.engine} took no part: {why}")
    if index.searchers.best_side.fitted_on == PROVENANCE.fitted_on:
        notes.append(f"the raw score of {index.identity.engine} is its cosine: {PROVENANCE.note}")
    return tuple(notes)


def _degraded_note(answers: Sequence[Answer]) -> tuple[str, ...]:
    """Answers that are not what an idle machine would have given."""
    late = [one for one in answers if one.degraded]
    if not late:
        return ()
    reasons = ", ".join(sorted({why for one in late for why in one.degraded}))
    return (f"{len(late)} of {len(answers)} searches were incomplete ({reasons})",)
