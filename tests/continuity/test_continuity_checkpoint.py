"""The checkpoint file: what people and templates do to it, and that nothing is lost on the way."""

from datetime import UTC, datetime, timedelta, timezone
from time import process_time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from recalld.continuity.checkpoint import FIELDS, SECTIONS, canonical, parse, render
from recalld.continuity.model import Checkpoint

AT = datetime(2026, 5, 4, 10, 0, tzinfo=UTC)
FULL = Checkpoint(
    objective="Migrate the invoice export",
    current_step="Schema copied\nrow counts differ by two",
    key_decisions=("Keep the old table: audits read it", "迁移分三批做"),
    next_action="Run the row count check",
    blockers="Waiting for the database account",
    unsurfaced_results="Sub-agent: 12 of 14 files pass",
    updated_at=AT,
)
WRITTEN = """# Current State
> Last updated: 2026-05-04T10:00:00Z

## Objective
Migrate the invoice export

## Current Step
Schema copied
row counts differ by two

## Key Decisions
- Keep the old table: audits read it
- 迁移分三批做

## Next Action
Run the row count check

## Blockers
Waiting for the database account

## Unsurfaced Results
Sub-agent: 12 of 14 files pass
"""

CODE = "run\n```sh\n# not a heading here\nmake <!-- x -->\n---\n```\nthen stop"

# Pieces that look like structure, put together in every way.
PIECES = st.sampled_from(
    [
        "## Objective", "# Current State", "### next action:", "##Blockers", "## 目标", "## Other",
        "## Objective: x",
        "# x", "#tag", "```", "````", "~~~", "```sh", "---", "* * *", "___", "- ", "-", "1. x",
        "<!--", "-->", "<!-- a -->", "\\<!--", "\\```", "\\\\## x", "\\", "\n", "\n\n", " ", "  ",
        "\t", "\r\n", "\r", "None", "> Last updated: x", "text", "文字", "\u2028", "\x0b", "\x1f",
        "\ufeff", "[a]", "\ud800",
    ]
)  # fmt: skip
TEXTS = st.one_of(
    st.text(max_size=40),
    st.lists(PIECES, max_size=12).map("".join),
    st.lists(PIECES, max_size=9).map("\n".join),
)
CHECKPOINTS = st.builds(
    Checkpoint,
    objective=TEXTS,
    current_step=TEXTS,
    key_decisions=st.lists(TEXTS, max_size=4).map(tuple),
    next_action=TEXTS,
    blockers=TEXTS,
    unsurfaced_results=TEXTS,
    updated_at=st.none() | st.datetimes() | st.datetimes(timezones=st.timezones()),
    extra=TEXTS,
)


def test_the_file_has_the_form_of_the_format_s2_4_s2_5():
    assert render(FULL) == WRITTEN
    assert parse(WRITTEN).checkpoint == FULL


def test_an_empty_checkpoint_says_none_everywhere_s2_5():
    text = render(Checkpoint())
    assert text.count("\nNone\n") == 5
    assert "## Key Decisions\n- None\n" in text
    parsed = parse(text)
    assert parsed.checkpoint == Checkpoint()
    assert (parsed.missing, parsed.placeholders, parsed.template) == ((), (), False)


@settings(max_examples=600, deadline=None)
@given(CHECKPOINTS)
@example(Checkpoint(extra="#Current State\r\u2028#Objective"))
@example(Checkpoint(extra="words\n\n     ## Blockers\nx"))
def test_what_is_written_is_read_back(checkpoint: Checkpoint):
    plain = canonical(checkpoint)
    assert canonical(plain) == plain
    text = render(checkpoint)
    text.encode()
    assert render(plain) == text
    parsed = parse(text)
    assert parsed.checkpoint == plain
    assert parsed.missing == ()


@settings(max_examples=300, deadline=None)
@given(CHECKPOINTS)
def test_windows_line_ends_change_nothing(checkpoint: Checkpoint):
    text = render(checkpoint)
    assert parse("\ufeff" + text.replace("\n", "\r\n")) == parse(text)


@settings(max_examples=300, deadline=None)
@given(st.lists(PIECES, max_size=40).map("\n".join))
def test_any_file_is_read_and_a_rewrite_is_stable(text: str):
    once = parse(text).checkpoint
    assert canonical(once) == once
    assert parse(render(once)).checkpoint == once


@pytest.mark.parametrize("name", SECTIONS)
def test_an_empty_section_never_takes_the_next_heading_c6_1(name: str):
    body = "\n".join(
        f"## {other}\n" + ("" if other == name else f"about {other}") for other in SECTIONS
    )
    read = parse(f"# Current State\n{body}").checkpoint
    for other, key in FIELDS.items():
        said = getattr(read, key)
        wanted = "" if other == name else f"about {other}"
        assert said == ((wanted,) if wanted else ()) if key == "key_decisions" else said == wanted


def test_headings_without_a_line_between_them_are_all_empty_c6_1():
    read = parse("\n".join(f"## {name}" for name in SECTIONS))
    assert read.checkpoint == Checkpoint()
    assert read.missing == ()


def test_a_section_keeps_all_its_lines_c6_1():
    read = parse("## Current Step\none\n\ntwo\n  - three\n\n## Key Decisions\n- a\n  why a\n- b\n")
    assert read.checkpoint.current_step == "one\n\ntwo\n  - three"
    assert read.checkpoint.key_decisions == ("a\nwhy a", "b")


@pytest.mark.parametrize(
    ("heading", "wanted"),
    [
        ("## objective", "x"), ("##   OBJECTIVE  ", "x"), ("## Objective:", "x"),
        ("##Objective", "x"), ("## **Objective**", "x"), ("## Objective ##", "x"),
        ("### Objective", "x"), ("# Objective", "x"), ("## 目标", "x"), ("## 目標：", "x"),
        ("   ## Objective", "x"), ("## Objectives", ""), ("    ## Objective", ""),
        ("Objective", ""), ("####### Objective", ""), ("\\## Objective", ""),
    ],
)  # fmt: skip
def test_headings_are_read_as_people_write_them(heading: str, wanted: str):
    assert parse(f"# Current State\n\n{heading}\nx\n").checkpoint.objective == wanted


def test_text_on_the_line_of_its_heading_is_the_sections():
    read = parse(
        "# Current State: x\n## Objective: ship it: now\nsoon\n## 下一步：发版\n## Risk: y\nz"
    )
    assert read.checkpoint.objective == "ship it: now\nsoon"
    assert read.checkpoint.next_action == "发版"
    assert read.checkpoint.extra == "# Current State: x\n## Risk: y\nz"
    assert parse(render(read.checkpoint)).checkpoint == read.checkpoint


def test_missing_sections_are_named():
    read = parse("# Current State\n\n## Objective\nship\n\n## Blockers\nNone\n")
    assert read.missing == ("Current Step", "Key Decisions", "Next Action", "Unsurfaced Results")
    assert read.checkpoint == Checkpoint(objective="ship")


def test_a_section_that_stands_twice_is_joined():
    read = parse("## Objective\nNone\n## Next Action\na\n## Objective\nship\n## Next Action\nb\n")
    assert read.checkpoint.objective == "ship"
    assert read.checkpoint.next_action == "a\nb"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("## Objective\nship <!-- soon --> it\n", "ship  it"),
        ("## Objective\n<!-- a\n## Objective\nold\n-->\nship it\n", "ship it"),
        ("## Objective\n<!-- left open\nship it\n## Blockers\n<!-- b -->\n", "ship it"),
        ("## Objective\nship it <!-- left open\n", "ship it"),
        ("<!-- 2026-05-04 compaction -->\n## Objective\nship it\n<!-- end -->", "ship it"),
        ("## Objective\n<!-- a --><!-- b -->ship<!-- c --> it", "ship it"),
        ("## Objective\n---\nship it\n***\n", "ship it"),
        (f"## Objective\n{CODE}", CODE),
        ("```markdown\n## Objective\nship it\n```\n", "ship it"),
        ("```markdown\n## Objective\nship it\n", "ship it"),
    ],
)  # fmt: skip
def test_comments_rules_and_wrapping_fences_are_no_content_c6_10(text: str, wanted: str):
    assert parse(text).checkpoint.objective == wanted


def test_an_unfilled_template_holds_nothing_bc_15():
    text = (
        "# Current State\n> Last updated: YYYY-MM-DDTHH:MM:SSZ\n\n```markdown\n## Objective\n"
        "[what we are doing]\n\n## Current Step\nTBD\n\n## Key Decisions\n-\n\n## Next Action\n"
        "<!-- fill in -->\n\n---\n\n## Blockers\nNone\n\n## Unsurfaced Results\nN/A\n"
    )
    read = parse(text)
    assert read.checkpoint == Checkpoint()
    assert read.template
    assert read.placeholders == ("Objective", "Current Step", "Key Decisions", "Next Action")
    assert read.missing == ()


def test_a_template_that_says_one_thing_is_no_template():
    read = parse("## Objective\n[what]\n## Next Action\nsend the print order\n")
    assert not read.template
    assert read.placeholders == ("Objective",)


def test_other_sections_and_words_in_front_outlive_a_rewrite():
    risks, notes = "## Risks\n- one <!-- kept -->", "## 附注\n- 二"
    text = f"# Current State\nRead me first.\n\n{risks}\n\n## Objective\nship\n\n{notes}\n"
    read = parse(text).checkpoint
    assert read.objective == "ship"
    assert read.extra == f"## Notes\n\nRead me first.\n\n{risks}\n\n{notes}"
    rewritten = render(read)
    assert rewritten.endswith(f"## Unsurfaced Results\nNone\n\n{read.extra}\n")
    assert parse(rewritten).checkpoint == read


def test_decisions_without_bullets_are_one_a_line():
    read = parse("## Key Decisions\nkeep the table\n分三批做\n\n1. not a list yet\n")
    assert read.checkpoint.key_decisions == ("keep the table", "分三批做", "not a list yet")


def test_more_than_three_decisions_of_a_hand_are_kept():
    assert len(parse("## Key Decisions\n- a\n- b\n- c\n- d\n").checkpoint.key_decisions) == 4


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("> Last updated: 2026-05-04T10:00:00Z", AT),
        ("> **Last updated:** 2026-05-04T12:00:00+02:00", AT),
        ("Last Updated: 2026-05-04 10:00", AT),
        ("> last updated： 2026-05-04 10:00 UTC", AT),
        ("> 最后更新：2026-05-04T10:00:00.25Z", AT),
        ("> Last updated: 2026-05-04", datetime(2026, 5, 4, tzinfo=UTC)),
        ("> Last updated: yesterday", None),
        ("> Last updated: 0001-01-01T00:00:00+09:00", None),
        ("> Last updated: YYYY-MM-DDTHH:MM:SSZ", None),
        ("", None),
    ],
)
def test_the_time_is_read_in_the_forms_people_write(line: str, wanted: datetime | None):
    assert parse(f"# Current State\n{line}\n\n## Objective\nx").checkpoint.updated_at == wanted


def test_the_time_is_read_under_another_title_too():
    read = parse(
        "# Invoice work\n> Last updated: 2026-05-04T10:00:00Z\n\n## Objective\nship"
    ).checkpoint
    assert (read.updated_at, read.objective, read.extra) == (AT, "ship", "# Invoice work")
    later = parse("## Objective\nship\n## Log\n> Last updated: 2026-05-04T10:00:00Z\n").checkpoint
    assert later.updated_at is None
    assert later.extra == "## Log\n> Last updated: 2026-05-04T10:00:00Z"


def test_the_time_is_written_in_utc_and_whole_seconds():
    at = datetime(2026, 5, 4, 12, 0, 0, 999_999, tzinfo=timezone(timedelta(hours=2)))
    assert "> Last updated: 2026-05-04T10:00:00Z\n" in render(Checkpoint(updated_at=at))
    assert "> Last updated: unknown\n" in render(Checkpoint())


@pytest.mark.parametrize(
    "hostile",
    [
        "<!--\n", "```\n", "````a\n```\n", "#" * 9, "# " + " " * 9 + "x\n", "- " * 9 + "x\n",
        "~" * 9 + "`\n", "\\" * 9, "<!-- -->", "~~~", "- - ", "# ", "\\#", " ", "[", "> ",
    ],
)  # fmt: skip
def test_a_hostile_file_is_read_in_linear_time(hostile: str):
    big = hostile * (256 * 1_024 // len(hostile))
    started = process_time()
    parsed = parse(f"## Objective\n{big}")
    render(parsed.checkpoint)
    assert process_time() - started < 5
