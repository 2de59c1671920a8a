"""Labelled corpora are read as they are, and a broken row is named by file and line."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from recalld.errors import BadRequest
from recalld.evaluate.metrics import Answer, injected, ranking, useful_share
from recalld.evaluate.predictions import prediction, write_predictions
from recalld.evaluate.sets import Query, load_set, set_names

ROW = '{"id": "a", "group": "g", "session": "s1", "text": "one", "unknown": 1}\n'
QUERY = '{"qid": "q", "group": "g", "query": "one?", "gold": ["a"], "question_date": "2024-05-07"}'


def written(folder: Path, *, corpus: str = ROW, queries: str = QUERY) -> Path:
    (folder / "mine").mkdir()
    (folder / "mine" / "corpus.jsonl").write_text(corpus, encoding="utf-8")
    (folder / "mine" / "queries.jsonl").write_text(queries, encoding="utf-8")
    return folder


def test_a_folder_with_rows_and_queries_is_a_set_and_others_are_none(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    assert set_names(written(tmp_path)) == ("mine",)
    assert set_names(tmp_path / "mine") == (".",)
    assert load_set(tmp_path / "mine", ".").name == "mine"


def test_the_session_of_an_answer_is_that_of_its_row_and_its_day_has_a_zone(tmp_path: Path) -> None:
    (query,) = load_set(written(tmp_path), "mine").queries
    assert query.gold_sessions == {"s1"}
    assert query.asked_at == datetime(2024, 5, 7, tzinfo=UTC)


@pytest.mark.parametrize(
    ("corpus", "queries", "named"),
    [
        (ROW + "{broken", QUERY, "corpus.jsonl:2"),
        (ROW, '{"qid": "q"}', "queries.jsonl:1"),
        (ROW, QUERY.replace('"g"', '"other"'), "other"),
    ],
)
def test_a_row_that_is_none_is_named(tmp_path: Path, corpus: str, queries: str, named: str) -> None:
    with pytest.raises(BadRequest, match=named):
        load_set(written(tmp_path, corpus=corpus, queries=queries), "mine")


def answer(*ranked: tuple[str, float], query: Query) -> Answer:
    return Answer(
        set_name="mine",
        query=query,
        ranked=ranked,
        sessions=tuple(row[0] for row, _ in ranked),
        injected=injected(ranked),
    )


def asked(**fields: object) -> Query:
    given = {"qid": "q", "group": "g", "text": "?", "lang": "en", "category": "", **fields}
    return Query(**given)  # type: ignore[arg-type]


def test_only_what_reaches_the_threshold_is_injected_and_three_at_most() -> None:
    assert injected([("a", 0.9), ("b", 0.65), ("c", 0.649)]) == ("a", "b")
    assert len(injected([(str(n), 0.9) for n in range(9)])) == 3


def test_an_answer_that_is_known_by_session_only_is_useful_by_session() -> None:
    by_session = answer(("x1", 0.9), query=asked(gold_sessions=frozenset("x")))
    by_row = answer(("x1", 0.9), query=asked(gold=frozenset(["x2"]), gold_sessions=frozenset("x")))
    assert (useful_share([by_session]), useful_share([by_row])) == (1.0, 0.0)


def test_a_superseded_row_before_the_answer_is_noticed_wherever_they_stand() -> None:
    query = asked(gold=frozenset("n"), stale=frozenset("o"))
    assert answer(("o", 0.9), ("n", 0.8), query=query).older_first
    assert answer(("o", 0.9), query=query).older_first
    assert not answer(("n", 0.9), ("o", 0.8), query=query).older_first
    assert not answer(("x", 0.9), query=query).older_first


def test_gain_falls_with_rank_and_is_one_for_the_best_order() -> None:
    assert ranking([(("a", "b"), frozenset("ab"))])["ndcg@10"] == 1.0
    assert ranking([(("x", "a"), frozenset("a"))])["ndcg@10"] == pytest.approx(0.6309, abs=1e-4)


def test_predictions_are_one_file_a_set_and_one_line_a_query(tmp_path: Path) -> None:
    one = answer(("a", 0.9), ("b", 0.1), query=asked())
    assert prediction(one) == b'{"qid":"q","ranked":[["a",0.9],["b",0.1]],"injected":["a"]}'
    (file,) = write_predictions(tmp_path / "out", [one, one])
    assert file.name == "mine.jsonl"
    assert file.read_bytes() == (prediction(one) + b"\n") * 2
