"""What sub-agents left counts as told where the parent's own words report it."""

from datetime import UTC, datetime, timedelta

import pytest

from recalld.continuity.model import ChildResult
from recalld.continuity.surfacing.reported import MAX_SIDE_CHARS, reported
from support.continuity_scene import KEY, open_scene

NOW = datetime(2026, 5, 4, 10, tzinfo=UTC)
ORDINARY = "please rename the variable in the footer"
FOUND = "The scan found three open ports: 22, 80 and 8443."


def child(name, result, outcome="ok", *, at=NOW):
    return ChildResult(child=name, outcome=outcome, result=result, at=at)


@pytest.mark.parametrize(
    ("result", "said"),
    [
        (FOUND, "The sub-agent is back. Its scan found three open ports (22, 80, 8443)."),
        (FOUND, f"{'Long story. ' * 9_000}The scan found the open ports 22, 80 and 8443."),
        ("端口扫描发现三个开放端口", "子任务完成：端口扫描发现三个开放端口，分别是 22、80。"),
        ("端口掃描發現三個開放端口", "端口扫描完了，发现三个开放端口。"),
        ("done", "The linter is done."),
        ("It is all there.", "It is all there. What next?"),
    ],
)
def test_most_of_a_result_said_again_is_a_report(result, said):
    assert reported([child("a", result)], said) == (child("a", result),)


@pytest.mark.parametrize(
    ("result", "said"),
    [
        (FOUND, "I renamed the variable and started a scan in the background."),
        (FOUND, ""),
        (FOUND, "三个端口"),
        ("端口扫描发现三个开放端口", "变量已经改名，扫描还在后台运行。"),
        ("", "Nothing was left by it."),
    ],
)
def test_other_words_are_none(result, said):
    assert reported([child("a", result)], said) == ()


def test_of_two_alike_only_the_one_that_is_told_counts():
    passes = [child(name, f"The tests of module {name} pass") for name in ("alpha", "beta")]
    assert reported(passes, "The tests of module beta pass.") == (passes[1],)
    assert reported(passes, "The tests of the modules alpha and beta pass.") == tuple(passes)


def test_the_longest_text_costs_no_more_than_its_ends():
    said = "word " * 50_000
    hidden = f"{said}{FOUND}{said}"
    assert len(said) > MAX_SIDE_CHARS
    assert reported([child("a", FOUND)], hidden) == ()


async def test_a_reported_result_is_not_told_again_and_not_after_a_restart(tmp_path):
    async with open_scene(tmp_path) as scene:
        at = scene.clock()
        root = str(scene.root)
        await scene.service.child_ended(root, KEY, child("a", FOUND, at=at))
        await scene.service.child_ended(root, KEY, child("b", "the docs build fails", at=at))
        await scene.service.reported(root, KEY, "It found the open ports 22, 80, 8443.", at=at)
        await scene.round()
        assert scene.read().unsurfaced_results == "- sub-agent b (ok): the docs build fails"
        again = scene.anew()
        await again.service.surfacing.load()
        recovery = await again.prompt(ORDINARY)
        assert "the docs build fails" in recovery
        assert "ports" not in recovery
        assert await again.prompt(ORDINARY) is None


async def test_only_the_parents_later_words_report(tmp_path):
    async with open_scene(tmp_path) as scene:
        root, at = str(scene.root), scene.clock()
        await scene.service.child_ended(root, KEY, child("a", FOUND, at=at))
        await scene.service.reported(root, KEY, FOUND, at=at - timedelta(seconds=1))
        await scene.service.reported(root, "another", FOUND, at=at)
        assert FOUND in await scene.prompt(ORDINARY)


async def test_a_sub_agent_that_went_well_without_words_leaves_nothing(tmp_path):
    async with open_scene(tmp_path) as scene:
        root, at = str(scene.root), scene.clock()
        for words in ("", " \n", "<recall-context>\nquoted\n</recall-context>"):
            assert await scene.service.child_ended(root, KEY, child("a", words, at=at)) == 0
        assert await scene.prompt(ORDINARY) is None
        for count, outcome in enumerate(("error", "timeout", "killed"), start=1):
            left = child(outcome, "", outcome, at=at)
            assert await scene.service.child_ended(root, KEY, left) == count
        assert await scene.service.child_ended(root, KEY, child("a", "", at=at)) == 3
        assert "killed (killed)" in await scene.prompt(ORDINARY)
