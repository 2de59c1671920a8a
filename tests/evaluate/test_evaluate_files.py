"""Evaluation measures what it says: every row is one section and is found again by its lines."""

from pathlib import Path

import numpy as np
import pytest

from recalld.evaluate.files import write_group
from recalld.evaluate.logistic import fit
from recalld.evaluate.metrics import ranking
from recalld.evaluate.sets import Row, load_set
from recalld.index.chunking import Limits, chunk_file

LIMITS = Limits(max_chunk_chars=4_000, max_line_chars=1 << 18)

AWKWARD = (
    "# looks like a heading\ntext",
    "Title\n===\nmore",
    "Title\n---\nmore",
    "```\nunclosed fence",
    "~~~ python\n# comment",
    "<!-- never closed\n\nmore",
    "<pre>\n# inside",
    "- list\n  - nested\n\n      code",
    "> quote\n# after it",
    "| a | b |\n|---|---|\n| 1 | 2 |",
    "a line\n\n\n\nanother",
    "   ## indented heading",
)


def row(number: int, text: str, speaker: str | None = "Ann") -> Row:
    return Row(id=f"r{number}", session="s/1", text=text, speaker=speaker, date="2024-05-07T10:00")


@pytest.mark.parametrize("speaker", ["Ann", "user+assistant", None])
def test_awkward_rows_stay_one_section_each(tmp_path: Path, speaker: str | None) -> None:
    rows = [row(number, text, speaker) for number, text in enumerate(AWKWARD)]
    layout = write_group(tmp_path, rows)
    (path,) = layout.sessions
    document = chunk_file(path, (tmp_path / path).read_text(encoding="utf-8"), limits=LIMITS)
    found = [layout.row_at(path, chunk.end_line) for chunk in document.chunks]
    assert found == [one.id for one in rows]
    assert {chunk.speaker for chunk in document.chunks} == {speaker}
    for one, chunk in zip(rows, document.chunks, strict=True):
        assert chunk.text.replace("\\", "").endswith(one.text.strip())


@pytest.mark.parametrize("name", ["locomo", "longmemeval", "cmrc_zh", "memorybank_zh", "devmem"])
def test_every_row_of_a_set_is_found_by_its_lines(
    tmp_path: Path, eval_data: Path, name: str
) -> None:
    group, rows = next(iter(load_set(eval_data, name).groups.items()))
    layout = write_group(tmp_path / group, rows)
    found: list[str | None] = []
    for path in layout.sessions:
        text = (tmp_path / group / path).read_text(encoding="utf-8")
        chunks = chunk_file(path, text, limits=LIMITS).chunks
        found += dict.fromkeys(layout.row_at(path, chunk.end_line) for chunk in chunks)
    assert found == [one.id for one in _by_session(rows)]


def _by_session(rows: tuple[Row, ...]) -> list[Row]:
    sessions = list(dict.fromkeys(one.session for one in rows))
    return sorted(rows, key=lambda one: sessions.index(one.session))


def test_ranking_figures_count_only_what_is_gold() -> None:
    figures = ranking(
        [(("a", "b"), frozenset("a")), (("x", "b"), frozenset("b")), ((), frozenset("c"))]
    )
    assert figures["n"] == 3
    assert figures["hit@1"] == pytest.approx(1 / 3)
    assert figures["mrr@3"] == pytest.approx(0.5)
    assert figures["recall@5"] == pytest.approx(2 / 3)


def test_a_fit_finds_the_column_that_tells_and_leaves_the_constant_one() -> None:
    chance = np.random.default_rng(1)
    rows = np.c_[chance.normal(size=400), chance.normal(size=400), np.ones(400)]
    labels = (rows[:, 0] + 0.5 * chance.normal(size=400) > 0.3).astype(int)
    found = fit(rows, labels, np.ones(400), ridge=1e-3)
    assert found.weights[0] > 5 * abs(found.weights[1])
    assert found.weights[2] == 0.0
    odds = rows @ np.array(found.weights) + found.bias
    # Labels are noisy: no rule does better than the one they were drawn from, but for luck.
    ideal = ((rows[:, 0] > 0.3) == (labels == 1)).mean()
    assert ((odds > 0) == (labels == 1)).mean() > ideal - 0.03
