"""What may take the place of a checkpoint, and what never may."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recalld.continuity.checkpoint import FIELDS, canonical, parse, render
from recalld.continuity.guard import is_poison, rule
from recalld.continuity.likeness import same_step, same_work
from recalld.continuity.model import Checkpoint, Done, Origin, Parsed, Ruling

AT = datetime(2026, 5, 4, 10, 0, tzinfo=UTC)
LATER = datetime(2026, 5, 4, 11, 0, tzinfo=UTC)
DONE = Done(at=LATER, said="row count check passed")
OLD = Checkpoint(
    objective="Migrate the invoice export to the new schema",
    current_step="Schema copied",
    key_decisions=("Keep the old table",),
    next_action="Run the row count check",
    updated_at=AT,
    extra="## Risks\n- two",
)
ZH = Checkpoint(objective="把发票导出迁移到新表结构", next_action="运行行数校验", updated_at=AT)

VALUES = st.sampled_from(
    [
        "", "None", "TBD", "Migrate the invoice export", "the invoice export", "迁移发票导出",
        "Run the row count check", "Write the release notes for version two", "Not logged in",
        "会话已过期", "Session expired. Please log in again.", "a", "Schema copied\nand checked",
    ]
)  # fmt: skip
CHECKPOINTS = st.builds(
    Checkpoint,
    objective=VALUES,
    current_step=VALUES,
    key_decisions=st.lists(VALUES, max_size=5).map(tuple),
    next_action=VALUES,
    blockers=VALUES,
    unsurfaced_results=VALUES,
    updated_at=st.sampled_from([None, AT, LATER]),
    extra=st.sampled_from(["", "## Risks\n- one"]),
)
OLDS = st.none() | CHECKPOINTS.map(lambda one: parse(render(one)))
FINISHED = st.sampled_from([None, DONE])
ORIGINS = st.sampled_from(list(Origin))


def _rule(
    old: Checkpoint | None,
    new: Checkpoint,
    old_origin: Origin = Origin.MACHINE,
    finished: Done | None = None,
) -> Ruling:
    parsed = None if old is None else Parsed(checkpoint=old)
    return rule(parsed, new, old_origin=old_origin, new_origin=Origin.MACHINE, finished=finished)


def _said(checkpoint: Checkpoint, *without: str) -> dict[str, object]:
    return {key: getattr(checkpoint, key) for key in FIELDS.values() if key not in without}


@settings(max_examples=500)
@given(OLDS, CHECKPOINTS, ORIGINS, ORIGINS, FINISHED)
def test_a_failure_is_never_written_as_an_objective_c6_6(
    old: Parsed | None, new: Checkpoint, old_origin: Origin, origin: Origin, done: Done | None
):
    ruling = rule(old, new, old_origin=old_origin, new_origin=origin, finished=done)
    if is_poison(new.objective):
        assert ruling == Ruling(write=None, why="poison")
    elif ruling.write is not None:
        assert not is_poison(ruling.write.objective)


@settings(max_examples=300)
@given(OLDS, CHECKPOINTS, ORIGINS, FINISHED)
def test_a_hand_wins_also_when_it_clears_s2_11(
    old: Parsed | None, new: Checkpoint, old_origin: Origin, done: Done | None
):
    ruling = rule(old, new, old_origin=old_origin, new_origin=Origin.HAND, finished=done)
    if not is_poison(new.objective):
        assert ruling.why == "hand"
        assert ruling.write is not None
        assert _said(ruling.write) == _said(canonical(new))


@settings(max_examples=500)
@given(CHECKPOINTS.map(canonical), CHECKPOINTS, FINISHED)
def test_over_active_work_of_a_hand_a_machine_changes_results_alone_c6_2(
    old: Checkpoint, new: Checkpoint, done: Done | None
):
    write = _rule(old, new, Origin.HAND, done).write
    if old.active and write is not None and not is_poison(old.objective):
        assert replace(write, unsurfaced_results="") == replace(old, unsurfaced_results="")


@settings(max_examples=500)
@given(CHECKPOINTS.map(canonical), CHECKPOINTS.map(canonical), ORIGINS, FINISHED)
def test_a_machine_never_says_less_than_the_file_c6_2(
    old: Checkpoint, new: Checkpoint, origin: Origin, done: Done | None
):
    ruling = _rule(old, new, origin, done)
    if ruling.write is None or (ruling.why == "unsurfaced" and not new.unsurfaced_results):
        return
    old = replace(old, objective="") if is_poison(old.objective) else old
    assert ruling.write.active or not old.active
    assert ruling.write.extra or not old.extra
    if not old.active or same_work(old.objective, ruling.write.objective):
        lost = {key for key, said in _said(old).items() if said and not getattr(ruling.write, key)}
        assert lost <= ({"next_action"} if done else set())
    else:
        assert sum(map(bool, _said(ruling.write, "unsurfaced_results").values())) >= 2


@settings(max_examples=300)
@given(CHECKPOINTS.map(canonical), CHECKPOINTS.map(canonical), ORIGINS)
def test_a_reported_step_never_comes_back_bc_17(old: Checkpoint, new: Checkpoint, origin: Origin):
    write = _rule(old, new, origin, DONE).write
    if write is not None and write.next_action and origin is Origin.MACHINE:
        unchanged = replace(write, unsurfaced_results="") == replace(old, unsurfaced_results="")
        assert unchanged or not (
            same_work(old.objective, write.objective)
            and same_step(old.next_action, write.next_action)
        )


@settings(max_examples=300)
@given(OLDS, CHECKPOINTS, ORIGINS, ORIGINS, FINISHED)
def test_what_is_written_is_as_a_file_holds_it(
    old: Parsed | None, new: Checkpoint, old_origin: Origin, origin: Origin, done: Done | None
):
    write = rule(old, new, old_origin=old_origin, new_origin=origin, finished=done).write
    if write is not None:
        assert canonical(write) == write
        if origin is Origin.MACHINE and old is None:
            assert len(write.key_decisions) <= 3


def test_without_a_file_even_nothing_is_written():
    ruling = _rule(None, Checkpoint())
    assert (ruling.why, ruling.write) == ("created", Checkpoint())


def test_a_file_is_never_replaced_by_nothing_bc_16():
    for origin in Origin:
        assert _rule(OLD, Checkpoint(updated_at=LATER), origin).write is None
    assert _rule(Checkpoint(), Checkpoint(blockers="x")) == Ruling(write=None, why="nothing")


@pytest.mark.parametrize("objective", ["continue", "hi again", "the parser please", "修一下"])
def test_a_short_new_task_does_not_push_out_a_full_checkpoint_c6_2(objective: str):
    for old in (OLD, ZH):
        assert _rule(old, Checkpoint(objective=objective, updated_at=LATER)).write is None


def test_another_piece_of_work_that_says_enough_replaces_a_machines():
    new = Checkpoint(
        objective="Write the release notes for version two",
        next_action="collect the merged changes",
        updated_at=LATER,
    )
    ruling = _rule(replace(OLD, unsurfaced_results="12 of 14 pass"), new)
    assert ruling.write == replace(new, unsurfaced_results="12 of 14 pass", extra=OLD.extra)
    assert _rule(OLD, new, Origin.HAND) == Ruling(write=None, why="hand")


def test_the_same_work_told_again_keeps_what_is_not_told_again():
    new = Checkpoint(
        objective="the invoice export",
        current_step="Row counts agree",
        key_decisions=("Use COPY", "Drop the index first", "Compare by day"),
        updated_at=LATER,
    )
    write = _rule(OLD, new).write
    assert write is not None
    assert write.objective == OLD.objective
    assert write.current_step == "Row counts agree"
    assert write.next_action == OLD.next_action
    assert write.key_decisions == ("Use COPY", "Drop the index first", "Compare by day")
    assert (write.updated_at, write.extra) == (LATER, OLD.extra)


def test_a_step_reported_as_done_is_not_written_again_but_the_next_one_is_bc_17():
    again = replace(OLD, current_step="Counting", updated_at=LATER)
    assert _rule(OLD, again, finished=DONE).write == replace(again, next_action="")
    onward = replace(again, next_action="Switch the readers over")
    assert _rule(OLD, onward, finished=DONE).write == replace(onward, extra=OLD.extra)
    whole = replace(OLD, next_action="")
    told = _rule(whole, replace(whole, current_step="All rows moved"), finished=DONE)
    assert told.why == "machine"
    ended = replace(again, next_action="")
    write = _rule(OLD, ended, finished=DONE).write
    assert write is not None
    assert write.next_action == ""


def test_results_of_sub_agents_are_added_to_a_hands_and_cleared_from_it_s2_21():
    added = _rule(OLD, replace(OLD, unsurfaced_results="12 of 14 pass"), Origin.HAND)
    assert added.write == replace(OLD, unsurfaced_results="12 of 14 pass")
    assert added.write.updated_at == AT
    told = Checkpoint(objective="other work", unsurfaced_results="two fail\n12 of 14 pass")
    more = _rule(added.write, told, Origin.HAND)
    assert more.write == replace(OLD, unsurfaced_results="12 of 14 pass\ntwo fail")
    cleared = _rule(more.write, replace(more.write, unsurfaced_results=""), Origin.HAND)
    assert cleared.write == OLD


def test_results_are_kept_where_there_is_no_active_work_s2_21():
    ruling = _rule(Checkpoint(), Checkpoint(unsurfaced_results="12 of 14 pass"))
    assert ruling.write == Checkpoint(unsurfaced_results="12 of 14 pass")


def test_what_a_hand_left_without_an_objective_is_filled_in_not_replaced():
    hand = Checkpoint(next_action="运行行数校验", key_decisions=("a", "b", "c", "d"), updated_at=AT)
    new = Checkpoint(
        objective="迁移发票导出", next_action="写发布说明", key_decisions=("e",), updated_at=LATER
    )
    write = _rule(hand, new, Origin.HAND).write
    assert write == replace(new, next_action="运行行数校验", key_decisions=hand.key_decisions)


def test_nothing_new_is_nothing_to_write():
    assert _rule(OLD, replace(OLD, updated_at=LATER)) == Ruling(write=None, why="same")


@settings(max_examples=300)
@given(CHECKPOINTS.map(canonical), CHECKPOINTS.map(canonical), ORIGINS, FINISHED)
def test_only_what_is_over_is_not_kept(
    old: Checkpoint, new: Checkpoint, origin: Origin, done: Done | None
):
    over = frozenset({"blockers", "next_action"})
    parsed = Parsed(checkpoint=old)
    ruling = rule(
        parsed, new, old_origin=origin, new_origin=Origin.MACHINE, finished=done, settled=over
    )
    if ruling.write is None or ruling.why == "unsurfaced" or is_poison(old.objective):
        return
    if same_work(old.objective, ruling.write.objective):
        kept = _said(old, *over)
        lost = {key for key, said in kept.items() if said and not getattr(ruling.write, key)}
        assert lost == set()
        assert ruling.write.blockers == new.blockers
        again = done is not None and same_step(old.next_action, new.next_action)
        assert ruling.write.next_action == ("" if again else new.next_action)


def test_blockers_that_are_away_go_and_stay_with_a_hand():
    old = replace(OLD, blockers="waiting for the account")
    new = replace(OLD, current_step="Counting", updated_at=LATER)
    kept = _rule(old, new).write
    assert kept is not None
    assert kept.blockers == "waiting for the account"

    def judged(origin: Origin) -> Ruling:
        parsed = Parsed(checkpoint=old)
        return rule(parsed, new, old_origin=origin, new_origin=Origin.MACHINE, settled={"blockers"})

    gone = judged(Origin.MACHINE).write
    assert gone is not None
    assert (gone.blockers, gone.next_action) == ("", OLD.next_action)
    assert judged(Origin.HAND) == Ruling(write=None, why="hand")


def test_a_decision_that_is_taken_back_does_not_come_back():
    old = replace(OLD, key_decisions=("We store samples in Postgres", "Keep the old table"))
    turned = "actually we use ClickHouse instead of Postgres"
    new = replace(old, key_decisions=("Keep the old table", turned), updated_at=LATER)
    write = _rule(old, new).write
    assert write is not None
    assert write.key_decisions == ("Keep the old table", turned)
