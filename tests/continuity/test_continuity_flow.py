"""Safety checkpoints, versions and owed snapshots, one step at a time on a real disk and store."""

import os
from datetime import timedelta

import anyio
import pytest

from recalld.continuity.disk import Workbench
from recalld.continuity.model import ChildResult, Origin
from recalld.continuity.policy import ContinuityPolicy
from recalld.continuity.schedule import CHUNK_TURNS
from recalld.errors import Refused
from support.continuing import OBJECTIVE, STATE, TASK
from support.continuity_scene import KEY, open_scene

ORDINARY = "please rename the variable in the footer"
CLEARED = "# Current State\n\n## Objective\nNone\n"


def child(name, result="done", *, at):
    return ChildResult(child=name, outcome="ok", result=result, at=at)


async def test_turns_of_several_rounds_become_one_checkpoint_each_and_none_twice(tmp_path):
    async with open_scene(tmp_path) as scene:
        await scene.round()
        assert not scene.file.exists()
        await scene.work()
        await scene.round()
        assert "authentication" in scene.read().objective
        assert scene.counters.get("continuity.written") == 1
        await scene.round()
        assert scene.counters.get("continuity.written") == 1
        assert (await scene.turns.progress())[0] == 2


class StuckDisk(Workbench):
    """Whatever is written never gets there."""

    async def write(self, checkpoint, *, expected_sha):
        await anyio.sleep_forever()


@pytest.mark.allow_errors
async def test_what_was_said_is_told_before_a_slow_disk_has_it(tmp_path):
    async with open_scene(tmp_path, bench=StuckDisk) as scene:
        root = str(scene.root)
        assert "No active work is recorded" in await scene.prompt("continue")
        await scene.work()
        await scene.turn("Write the release notes of the mobile app.", "I'll do that.", key="other")
        scene.service.turned(root, KEY)
        told = await scene.prompt("continue")
        assert not scene.file.exists()
        assert "Objective: Please build the user authentication module" in told
        assert "release notes" not in told
        # Nothing of the other session is made up for who said nothing.
        assert "No active work is recorded" in await scene.prompt("continue", key="third")


async def test_a_restart_begins_where_the_last_one_stopped(tmp_path):
    async with open_scene(tmp_path) as scene:
        await scene.work()
        again = scene.anew()
        await again.round()
        assert "authentication" in again.read().objective
        again.write(CLEARED)
        third = again.anew()
        await third.round()
        # The turns were used: cleared work does not come back.
        assert not third.read().active


async def test_a_turn_of_the_very_second_of_the_checkpoint_is_not_missed(tmp_path):
    async with open_scene(tmp_path) as scene:
        await scene.turn(*TASK[0])
        await scene.round()
        scene.clock.move(timedelta(milliseconds=300))
        await scene.turn(*TASK[1])
        again = scene.anew()
        await again.round()
        assert "/auth/refresh" in again.read().next_action


async def test_turns_of_before_a_hand_edit_are_known_to_the_hand(tmp_path):
    async with open_scene(tmp_path) as scene:
        await scene.work()
        scene.write(CLEARED)
        later_s = (scene.clock() + timedelta(minutes=1)).timestamp()
        os.utime(scene.file, (later_s, later_s))
        await scene.round()
        assert not scene.read().active
        scene.clock.move(timedelta(minutes=2))
        await scene.work()
        await scene.round()
        assert scene.read().active


async def test_a_burst_longer_than_a_chunk_is_used_to_its_end(tmp_path):
    async with open_scene(tmp_path) as scene:
        for number in range(CHUNK_TURNS + 3):
            scene.clock.move(timedelta(seconds=1))
            await scene.turn(TASK[0][0], f"Completed step {number} of the module.\n\nNext: go on.")
        await scene.round()
        assert str(CHUNK_TURNS + 2) in scene.read().current_step


OTHER_TASK = (
    "Please write the release notes for version 4: collect the changes, then translate them.",
    "I'll write the release notes. Collected the changes.\n\nNext: translate the notes.",
)


async def test_two_sessions_at_work_in_one_folder_do_not_mix_their_steps(tmp_path):
    async with open_scene(tmp_path) as scene:
        steps = (
            ("a", TASK[0]),
            ("b", OTHER_TASK),
            ("a", TASK[1]),
            ("b", ("go on", "Translated half of the notes.\n\nNext: translate the rest of them.")),
            ("a", ("go on", "Completed POST /auth/refresh.\n\nNext: implement the logout.")),
        )
        for key, said in steps:
            scene.clock.move(timedelta(minutes=1))
            await scene.turn(*said, key=key)
            await scene.round()
            read = scene.read()
            told = f"{read.current_step} {read.next_action}"
            of_other = ("refresh", "sign", "logout") if key == "b" else ("notes", "translat")
            assert not any(word in told.lower() for word in of_other), read
            assert ("notes" in read.objective) == (key == "b")
        assert "authentication" in scene.read().objective
        assert "logout" in scene.read().next_action


async def test_a_new_session_goes_on_with_the_work_of_the_last_one(tmp_path):
    async with open_scene(tmp_path) as scene:
        await scene.work()
        await scene.round()
        scene.clock.move(timedelta(minutes=1))
        await scene.turn(
            "continue", "Completed POST /auth/refresh.\n\nNext: implement the logout.", key="b"
        )
        await scene.round()
        assert "authentication" in scene.read().objective
        assert "logout" in scene.read().next_action


async def test_what_a_host_says_and_a_turn_that_is_damaged_make_no_checkpoint(tmp_path):
    async with open_scene(tmp_path) as scene:
        await scene.turn("[cron:1] " + TASK[0][0], TASK[0][1])
        await scene.turn(*TASK[0], key="agent:main:cron:1")
        await scene.round()
        assert not scene.read().active
        assert await scene.start(key="agent:main:cron:1") is None


@pytest.mark.allow_errors
async def test_a_store_that_refuses_leaves_turns_for_later_and_forgets_none(tmp_path):
    async with open_scene(tmp_path) as scene:
        scene.turns.broken = {"progress"}
        await scene.work()
        await scene.round()
        scene.turns.broken = {"turns"}
        await scene.round()
        assert (scene.service.safety.behind, scene.file.exists()) == (1, False)
        assert (await scene.turns.progress())[0] == 0
        scene.turns.broken = set()
        await scene.round()
        assert scene.service.safety.behind == 1  # not before its pause is over
        await anyio.sleep(1.05)
        await scene.round()
        assert (scene.service.safety.behind, scene.service.safety.idle) == (0, False)
        assert "authentication" in scene.read().objective
        assert scene.counters.get("continuity.safety_failed") == 1


@pytest.mark.allow_errors
async def test_what_was_given_up_holds_no_restart_up(tmp_path):
    async with open_scene(tmp_path) as scene:
        await scene.work()
        scene.turns.broken = {"turns"}
        await scene.round()
        (behind,) = scene.service.safety._behind.values()
        behind.tries, behind.next_at = 1_439, 0.0
        await scene.round()
        assert scene.service.safety.behind == 0
        assert scene.counters.get("continuity.given_up") == 1
        assert (await scene.turns.progress())[0] == 2


async def test_a_prompt_that_is_cut_short_leaves_what_is_owed(tmp_path):
    class Slow(Workbench):
        async def read(self):
            await anyio.sleep(0.2)
            return await super().read()

    async with open_scene(tmp_path, bench=Slow) as scene:
        scene.write(STATE)
        await scene.service.after_compaction(str(scene.root), KEY)
        await scene.service.child_ended(str(scene.root), KEY, child("a", at=scene.clock()))
        with anyio.move_on_after(0.05) as scope:
            await scene.prompt(ORDINARY)
        assert scope.cancelled_caught
        recovery = await scene.prompt(ORDINARY)
        assert OBJECTIVE in recovery
        assert "a (ok): done" in recovery
        assert await scene.prompt(ORDINARY) is None


async def test_of_two_prompts_at_once_one_is_told(tmp_path):
    async with open_scene(tmp_path) as scene:
        scene.write(STATE)
        await scene.service.after_compaction(str(scene.root), KEY)
        said = []

        async def ask():
            said.append(await scene.prompt(ORDINARY))

        async with anyio.create_task_group() as both:
            both.start_soon(ask)
            both.start_soon(ask)
        assert sorted(text is None for text in said) == [False, True]


@pytest.mark.allow_errors
async def test_what_was_told_while_the_store_refuses_is_kept_when_it_takes_it(tmp_path):
    async with open_scene(tmp_path) as scene:
        scene.write(STATE)
        await scene.service.child_ended(str(scene.root), KEY, child("a", at=scene.clock()))
        await scene.service.after_compaction(str(scene.root), KEY)
        scene.versions.broken = {"surface", "clear_pending"}
        assert "a (ok): done" in await scene.prompt(ORDINARY)
        await scene.round()
        assert scene.service.surfacing.late
        assert await scene.prompt(ORDINARY) is None
        # Killed now, it is told once more rather than never.
        again = scene.anew()
        await again.service.surfacing.load()
        assert "a (ok): done" in await again.prompt(ORDINARY)
        scene.versions.broken = set()
        await scene.round()
        third = scene.anew()
        await third.service.surfacing.load()
        assert await third.prompt(ORDINARY) is None


@pytest.mark.allow_errors
async def test_what_is_owed_is_asked_for_again_when_the_store_could_not_say_at_the_start(tmp_path):
    async with open_scene(tmp_path) as scene:
        scene.write(STATE)
        await scene.service.after_compaction(str(scene.root), KEY)
        again = scene.anew()
        again.versions.broken = {"load_pending"}
        await again.service.surfacing.load()
        assert await again.prompt(ORDINARY) is None
        again.versions.broken = set()
        await again.round()
        assert OBJECTIVE in await again.prompt(ORDINARY)


async def test_a_newer_result_that_came_meanwhile_is_not_told_by_the_older(tmp_path):
    async with open_scene(tmp_path) as scene:
        now = scene.clock()
        await scene.service.child_ended(str(scene.root), KEY, child("a", "one", at=now))
        assert "one" in await scene.prompt(ORDINARY)
        await scene.service.child_ended(str(scene.root), KEY, child("a", "two", at=now))
        await scene.round()
        again = scene.anew()
        await again.service.surfacing.load()
        assert "two" in await again.prompt(ORDINARY)


async def test_more_results_than_fit_are_told_by_and_by(tmp_path):
    async with open_scene(tmp_path) as scene:
        for number in range(6):
            said = child(f"c{number}", f"{'word ' * 50}end", at=scene.clock())
            assert await scene.service.child_ended(str(scene.root), KEY, said) == number + 1
        told = []
        while (recovery := await scene.prompt(ORDINARY)) is not None:
            told += [number for number in range(6) if f"c{number} (ok)" in recovery]
        assert told == list(range(6))


async def test_a_session_that_is_told_of_results_alone_is_given_the_fields_too(tmp_path):
    async with open_scene(tmp_path) as scene:
        root = str(scene.root)
        nothing = await scene.service.started(root, KEY, source="startup")
        assert (nothing.recovery, nothing.checkpoint) == (None, None)
        scene.write(CLEARED)
        nothing = await scene.service.started(root, KEY, source="startup")
        assert (nothing.recovery, nothing.checkpoint) == (None, None)
        said = child("a", "three bugs in the parser", at=scene.clock())
        await scene.service.child_ended(root, KEY, said)
        await scene.round()
        told = await scene.service.started(root, KEY, source="startup")
        assert "three bugs" in (told.recovery or "")
        assert told.checkpoint is not None
        assert not told.checkpoint["active"]
        assert "three bugs" in str(told.checkpoint["unsurfaced_results"])


async def test_a_line_taken_out_by_hand_while_the_daemon_was_down_was_told(tmp_path):
    async with open_scene(tmp_path) as scene:
        scene.write(STATE)
        await scene.service.child_ended(str(scene.root), KEY, child("a", at=scene.clock()))
        await scene.round()
        assert "sub-agent a" in scene.read().unsurfaced_results
        scene.write(STATE)
        again = scene.anew()
        await again.service.surfacing.load()
        await again.round()
        assert again.read().unsurfaced_results == ""
        assert await again.prompt(ORDINARY) is None


async def test_a_machines_text_stays_a_machines_when_a_line_is_added(tmp_path):
    async with open_scene(tmp_path) as scene:
        await scene.work()
        await scene.round()
        await scene.service.child_ended(str(scene.root), KEY, child("a", at=scene.clock()))
        await scene.round()
        desk = scene.service.desks.of(str(scene.root))
        assert (await desk.look()).origin is Origin.MACHINE
        assert (
            await scene.anew().service.desks.of(str(scene.root)).look()
        ).origin is Origin.MACHINE


async def test_a_policy_that_changes_is_obeyed_at_once(tmp_path):
    async with open_scene(tmp_path) as scene:
        scene.write(STATE)
        assert OBJECTIVE in await scene.start()
        scene.policy = ContinuityPolicy(enabled=False)
        assert await scene.start() is None
        assert await scene.prompt("continue") is None
        with pytest.raises(Refused, match="enabled"):
            await scene.checkpoints.write(str(scene.root), {}, session=None)
        assert (await scene.checkpoints.read(str(scene.root)))["objective"] == OBJECTIVE
