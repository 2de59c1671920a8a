"""The demo finds something to ask about in any folder of notes."""

import pytest

from recalld.cli._demo_prompts import SAMPLE, DemoPrompt, Topic, derived, received, topics_of

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


@pytest.mark.parametrize(
    "heading",
    [
        *("Maya, 2026-05-11", "2026-05-11", "x", "y" * 80),
        *("2026", "12345.6", "12 / 34", "Section 12", "section", "CHAPTER IV", "Part #3"),
        *("Untitled", "第三章", "第 12 节".replace(" ", ""), "Gar\ufffdbled name", "____", "- 1 -"),
    ],
)
def test_names_dates_and_headings_without_meaning_are_not_asked_about(heading: str):
    assert derived([Topic(heading=heading)]) == ()


def test_the_chinese_prompt_is_about_a_chinese_heading_when_there_is_one():
    prompts = derived([Topic(heading="A long English heading here"), Topic(heading="发布流程")])
    assert "发布流程" in prompts[-1].text


def test_a_heading_that_names_something_with_a_number_is_asked_about():
    for heading in ("Section on retries", "Part numbers of the pump", "Release 1.2", "3 boats"):
        assert derived([Topic(heading=heading)]) != ()


@pytest.mark.parametrize(
    ("asked", "verdict", "stages", "label"),
    [
        ("yes", "yes", ["literal"], "yes"),
        ("yes", "no", [], "no"),
        ("no", "uncertain", ["literal"], "uncertain"),
        ("uncertain", "yes", ["literal", "det:axis"], "yes"),
        ("uncertain", None, [], "uncertain"),
        ("strong", "yes", ["literal"], "strong"),
        ("strong", "yes", ["literal", "check"], "strong"),
        ("strong", "yes", ["literal", "det:axis"], "yes"),
        ("strong", "no", [], "no"),
        ("explicit", "yes", ["literal"], "explicit"),
        ("suppressed", "no", [], "suppressed"),
        ("chinese", "no", [], "chinese"),
    ],
)
def test_a_prompt_is_labelled_by_what_became_of_it(asked, verdict, stages, label):
    prompt = DemoPrompt(label=asked, text="x", shows="what was meant")
    decision = None if verdict is None else {"verdict": verdict}
    result = {"decision": decision, "stages": [{"name": name} for name in stages]}
    seen = received(prompt, result)
    assert seen.label == label
    assert (seen.shows == "what was meant") == (label == asked)
