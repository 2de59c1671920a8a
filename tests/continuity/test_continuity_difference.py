"""What a person reads of two versions of a checkpoint."""

from dataclasses import replace
from datetime import UTC, datetime

from recalld.continuity.difference import difference
from recalld.continuity.model import Checkpoint

OLD = Checkpoint(objective="ship the export", key_decisions=("keep the table", "三批"))


def test_the_same_has_no_difference_whatever_the_time():
    later = datetime(2026, 5, 4, tzinfo=UTC)
    assert difference(OLD, replace(OLD, updated_at=later, extra="## More\nx")) == []


def test_changes_stand_in_the_order_of_the_file():
    new = Checkpoint(
        objective="ship the import",
        current_step="schema\ncopied",
        key_decisions=("三批", "use COPY"),
        blockers="账号未开通",
    )
    assert difference(OLD, new) == [
        "Objective: ship the export → ship the import",
        "Current Step: None → schema copied",
        "Key Decisions: + use COPY",
        "Key Decisions: - keep the table",
        "Blockers: None → 账号未开通",
    ]
    assert difference(new, Checkpoint())[0] == "Objective: ship the import → None"


def test_another_order_of_decisions_is_said():
    assert difference(OLD, replace(OLD, key_decisions=("三批", "keep the table"))) == [
        "Key Decisions: order"
    ]


def test_a_decision_given_twice_is_told_from_once():
    assert difference(OLD, replace(OLD, key_decisions=(*OLD.key_decisions, "三批"))) != []


def test_long_sides_are_cut():
    (line,) = difference(OLD, replace(OLD, next_action="word " * 200))
    assert len(line) < 160
    assert line.endswith("word…")
