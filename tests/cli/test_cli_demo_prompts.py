"""The demo finds something to ask about in any folder of notes."""

import pytest

from recalld.cli._demo_prompts import SAMPLE, Topic, derived, topics_of

KINDS = ["yes", "no", "uncertain", "strong", "explicit", "suppressed", "chinese"]


def test_the_sample_shows_all_seven_kinds():
    assert [prompt.label for prompt in SAMPLE] == KINDS


def test_headings_in_code_are_no_topics_and_the_first_prose_line_is_kept():
    text = "# One *thing*\n\n```sh\n# not a heading\n```\nIt is so. And more.\n## Two\n- list\n"
    assert topics_of(text) == [
        Topic(heading="One thing", sentence="It is so."),
        Topic(heading="Two"),
    ]


@pytest.mark.parametrize(
    "topics",
    [
        [Topic(heading="Deployment of the blue box")],
        [Topic(heading="发布流程和回滚")],
        [Topic(heading="Alpha beta"), Topic(heading="发布流程和回滚", sentence="先备份。")],
        [Topic(heading=f"Topic number {number}", sentence="A fact.") for number in range(9)],
    ],
)
def test_any_heading_is_enough_for_all_seven_kinds(topics: list[Topic]):
    prompts = derived(topics)
    assert [prompt.label for prompt in prompts] == KINDS
    by_label = {prompt.label: prompt.text for prompt in prompts}
    assert by_label["explicit"].startswith("/recall deep ")
    assert by_label["suppressed"] == f"/no-recall {by_label['yes']}"


@pytest.mark.parametrize("heading", ["Maya, 2026-05-11", "2026-05-11", "x", "y" * 80])
def test_names_dates_and_headings_without_meaning_are_not_asked_about(heading: str):
    assert derived([Topic(heading=heading)]) == ()


def test_the_chinese_prompt_is_about_a_chinese_heading_when_there_is_one():
    prompts = derived([Topic(heading="A long English heading here"), Topic(heading="发布流程")])
    assert "发布流程" in prompts[-1].text
