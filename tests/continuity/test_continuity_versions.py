"""What is written by name, who is said to have written it, and which versions are kept."""

from datetime import timedelta
from pathlib import Path

import pytest

from recalld.continuity.disk import Workbench
from recalld.continuity.model import ChildResult, Origin
from recalld.errors import NotFound, Refused, Unavailable
from support.continuing import FILE, NEXT, OBJECTIVE, STATE, TASK
from support.continuity_scene import KEY, open_scene


class Meddled(Workbench):
    """Somebody edits the file just before each of the first writes."""

    edits = 1

    async def write(self, checkpoint, *, expected_sha):
        if self.edits:
            self.edits -= 1
            file = Path(self.root) / FILE
            text = file.read_text("utf-8")
            file.write_text(f"{text}\n<!-- {self.edits} -->\n", encoding="utf-8")
        return await super().write(checkpoint, expected_sha=expected_sha)


async def test_an_edit_between_look_and_write_is_looked_at_again(tmp_path):
    async with open_scene(tmp_path, bench=Meddled) as scene:
        scene.write(STATE)
        written = await scene.checkpoints.write(
            str(scene.root), {"next_action": "call the customer"}, session=KEY
        )
        assert written["next_action"] == "call the customer"
        assert scene.counters.get("continuity.conflict") == 1
        assert set(await scene.names()) == {"hand Migrate"}


@pytest.mark.allow_errors
async def test_who_edits_all_the_time_wins(tmp_path):
    class Restless(Meddled):
        edits = 99

    async with open_scene(tmp_path, bench=Restless) as scene:
        scene.write(STATE)
        with pytest.raises(Unavailable, match="changes faster"):
            await scene.checkpoints.write(str(scene.root), {"next_action": "x"}, session=None)
        assert scene.read().next_action == NEXT


async def test_versions_tell_states_apart_and_not_times(tmp_path):
    async with open_scene(tmp_path) as scene:
        for _ in range(4):
            scene.clock.move(timedelta(minutes=1))
            await scene.turn(*TASK[0])
            await scene.round()
        assert await scene.names() == [f"machine {scene.read().objective.split(' ')[0]}"]
        scene.write(STATE)
        await scene.service.reset(str(scene.root), KEY)
        names = await scene.names()
        assert names[0] == "hand Migrate"
        assert len(names) == 2


@pytest.mark.allow_errors
async def test_without_the_store_the_file_is_written_and_its_version_is_kept_later(tmp_path):
    async with open_scene(tmp_path) as scene:
        scene.versions.broken = {"add_version", "origin_of"}
        fields = await scene.checkpoints.write(
            str(scene.root), {"objective": "Sort the shelves"}, session=None
        )
        assert (fields["objective"], fields["origin"]) == ("Sort the shelves", "hand")
        scene.versions.broken = set()
        assert await scene.names() == []
        await scene.checkpoints.write(str(scene.root), {"objective": "Paint it"}, session=None)
        assert await scene.names() == ["hand Paint", "hand Sort"]


async def test_a_version_is_restored_and_what_it_replaced_can_be_restored_too(tmp_path):
    async with open_scene(tmp_path) as scene:
        scene.write(STATE)
        await scene.checkpoints.write(str(scene.root), {"objective": "Paint it"}, session=KEY)
        rows = await scene.checkpoints.history(str(scene.root), limit=9)
        assert rows[0]["changed"] == [f"Objective: {OBJECTIVE} → Paint it"]
        restored = await scene.checkpoints.restore(str(scene.root), str(rows[1]["name"]))
        assert (restored["objective"], restored["next_action"]) == (OBJECTIVE, NEXT)
        assert await scene.names() == ["hand Migrate", "hand Paint", "hand Migrate"]
        with pytest.raises(NotFound):
            await scene.checkpoints.restore(str(scene.root), "v99")
        poison = {"objective": "Not logged in · Please run /login"}
        with pytest.raises(Refused, match="failed login"):
            await scene.checkpoints.write(str(scene.root), poison, session=None)


async def test_null_and_empty_clear_and_what_is_not_given_stays(tmp_path):
    async with open_scene(tmp_path) as scene:
        scene.write(STATE.replace("## Blockers\nNone", "## Blockers\nthe review"))
        fields = await scene.checkpoints.write(
            str(scene.root), {"blockers": "", "key_decisions": ()}, session=None
        )
        assert (fields["blockers"], fields["key_decisions"]) == ("", [])
        assert (fields["objective"], fields["next_action"]) == (OBJECTIVE, NEXT)
        assert scene.read().blockers == ""


@pytest.mark.allow_errors
async def test_a_store_that_cannot_say_who_wrote_the_file_makes_no_hand_of_a_machine(tmp_path):
    async with open_scene(tmp_path) as scene:
        await scene.work()
        await scene.round()
        anew = scene.anew()
        anew.versions.broken = {"origin_of"}
        fields = await anew.service.before_compaction(str(anew.root), KEY)
        assert fields is not None
        assert "authentication" in str(fields["objective"])
        assert await anew.service.reset(str(anew.root), KEY) is not None
        scene.clock.move(timedelta(minutes=1))
        await anew.turn("go on", "Completed POST /auth/refresh.\n\nNext: implement the logout.")
        await anew.round()
        assert "logout" not in anew.read().next_action
        assert anew.service.safety.behind == 1
        anew.versions.broken = set()
        desk = anew.service.desks.of(str(anew.root))
        assert (await desk.look()).origin is Origin.MACHINE
        assert all(name.startswith("machine") for name in await anew.names())
        again = scene.anew()
        await again.round()
        assert "logout" in again.read().next_action


@pytest.mark.allow_errors
async def test_a_copy_that_cannot_be_read_hides_no_other(tmp_path):
    async with open_scene(tmp_path) as scene:
        scene.write(STATE)
        path = await scene.service.reset(str(scene.root), KEY)
        assert path is not None
        (scene.root / path).with_name("2020-01-01_00-00-00.md").write_bytes(b"\xff\xfe\x00")
        rows = await scene.checkpoints.history(str(scene.root), limit=9)
        assert [row["objective"] for row in rows] == [OBJECTIVE]
        assert scene.counters.get("continuity.copy_unreadable") == 1


async def test_what_is_written_by_name_is_told_to_listeners(tmp_path):
    async with open_scene(tmp_path) as scene:
        await scene.checkpoints.write(str(scene.root), {"objective": "Paint it"}, session=KEY)
        await scene.service.child_ended(
            str(scene.root),
            KEY,
            ChildResult(child="c", outcome="ok", result="All pass.", at=scene.clock()),
        )
        await scene.round()
        told = [(each.what, each.detail, each.session_key) for each in scene.told]
        assert told == [("written", "hand", KEY), ("written", "results", None)]
        assert (scene.told[0].checkpoint or {})["objective"] == "Paint it"
