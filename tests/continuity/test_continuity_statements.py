"""What is a statement of an answer in Markdown, and under which label it stands."""

from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recalld.continuity.statements import Topic, statements

NAMES = {
    Topic.DECIDED: ["Decided", "Decision", "Key decisions", "agreed", "决定", "关键决策", "決定"],
    Topic.NEXT: [
        "Next", "Next step", "Next steps", "TODO", "To do", "Remaining work", "Up next",
        "What's next", "下一步", "下一步计划", "接下来", "待办", "剩余工作", "下一步計劃",
    ],
    Topic.BLOCKED: ["Blocked by", "Blocker", "Blockers", "Waiting on", "阻塞", "卡点", "卡在"],
    Topic.STATUS: ["Status", "Progress", "Current step", "进度", "当前进展", "目前狀態"],
}  # fmt: skip
TEXTS = ["wire the button", "补上文档", "`make all` in two rooms", "the key of the lab"]
# Ways to write a label in front of what it labels.
INLINE = [
    "{}: {}", "**{}:** {}", "**{}**: {}", "- {}: {}", "- **{}:** {}", "{}：{}", "1. {}: {}",
    "* **{}**：{}", "✅ {}: {}", "{} – {}", "• {}：{}", "### {}: {}", "【{}】：{}",
]  # fmt: skip
# Ways to write it above.
ABOVE = [
    "## {}\n{}", "## {}\n\n- {}", "**{}:**\n1. {}", "{}:\n- {}", "**{}**\n\n* {}", "{}：\n{}",
    "### {} (so far)\n- [ ] {}", "# 📌 {}\n{}", "**{}：**\n\n1. {}",
]  # fmt: skip
LABELS = [(topic, name) for topic, names in NAMES.items() for name in names]


@pytest.mark.parametrize("way", INLINE + ABOVE)
@pytest.mark.parametrize(("topic", "name"), LABELS)
def test_a_label_is_read_and_taken_off(topic: Topic, name: str, way: str):
    for text in TEXTS:
        (found,) = statements(way.format(name, text))
        assert (found.topic, found.text) == (topic, text)


@pytest.mark.parametrize(
    "text",
    [
        "Next to the button stands a label.", "The next release is in May.", "下一步骤的代码在这里",
        "Progress bars are drawn by hand.", "Blocked users cannot log in.", "决定权在你",
        "## Progress bar in the dialog", "Decisions are hard: we know", "Remaining rows were moved",
        "等待队列已经写好",
    ],
)  # fmt: skip
def test_words_that_only_begin_like_a_label_are_none(text: str):
    assert [one.topic for one in statements(text)] == [None]


def test_a_section_ends_with_its_list_or_the_next_heading():
    told = statements(
        "## Next steps\nBefore that:\n1. push\n2. **watch** it. For an hour.\n\n## Notes\nfine\n"
        "Decisions:\n- keep it\n- drop that\n\nAll is well.\n---\n**TODO**\n- [x] one\n- [ ] two"
    )
    assert [(one.text, one.topic, one.item, one.ticked) for one in told] == [
        ("Before that:", Topic.NEXT, False, None),
        ("push", Topic.NEXT, True, None),
        ("watch it.", Topic.NEXT, True, None),
        ("For an hour.", Topic.NEXT, False, None),
        ("Notes", None, False, None),
        ("fine", None, False, None),
        ("keep it", Topic.DECIDED, True, None),
        ("drop that", Topic.DECIDED, True, None),
        ("All is well.", None, False, None),
        ("one", Topic.NEXT, True, True),
        ("two", Topic.NEXT, True, False),
    ]


def test_code_tables_quotes_and_listings_are_no_statements():
    text = (
        "Before.\n```\nNext: a\n```\n> Decided: b\n| Next | c |\n|---|---|\n    Blocked by: d\n"
        "$ TODO: e\nTraceback (most recent call last):\nAfter, see [the plan](docs/plan.md)."
    )
    assert [one.text for one in statements(text)] == ["Before.", "After, see the plan."]


def test_what_is_quoted_inside_a_sentence_is_hidden_from_patterns_only():
    (one,) = statements('The log says "Decided: b" and `Next: c` and 「决定：d」')
    assert one.text == 'The log says "Decided: b" and `Next: c` and 「决定：d」'
    assert len(one.plain) == len(one.text)
    assert one.topic is None
    for word in ("Decided", "Next", "决定"):
        assert word not in one.plain


def test_sentences_end_where_they_end():
    text = "Use 0.9.2, e.g. for v1.2. It works! 好了。真的好了。"
    assert [one.text for one in statements(text)] == [
        "Use 0.9.2, e.g. for v1.2.", "It works!", "好了。", "真的好了。",
    ]  # fmt: skip


def test_names_with_stars_and_underscores_keep_them():
    (one,) = statements("Renamed `**kwargs` in __init__.py of a_b_c")
    assert one.text == "Renamed `**kwargs` in __init__.py of a_b_c"


@given(st.text(alphabet=st.sampled_from('#*-[] x`|>:：1.。\nNext决定✅ab"“¤'), max_size=60))
def test_nothing_is_made_up_whatever_the_marks(text: str):
    for one in statements(text):
        assert one.text
        assert len(one.plain) == len(one.text)
        assert "\n" not in one.text


@pytest.mark.parametrize(
    "piece",
    ["**", "[a](", "`", "“", "Next: ", "- [ ] ", "## ", "1. ", "Next:\n", "a.b. ", "- ", "✅ ",
     "【", "e.g. ", "：", "(", "决定：", "\"a", "¤", "# Next\n"],
)  # fmt: skip
def test_long_answers_are_read_fast(piece: str):
    started = process_time()
    statements(piece * 20_000)
    statements((piece * 200 + "\n") * 200)
    assert process_time() - started < 1


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("The limit is 2**10 files, or 3**5 links.", "The limit is 2**10 files, or 3**5 links."),
        ("It calls f(**options) now.", "It calls f(**options) now."),
        ("The **row count** check is **done**.", "The row count check is done."),
        ("**[The plan](plan.md)** is written.", "The plan is written."),
        ("这是**重点**内容。", "这是重点内容。"),
    ],
)
def test_stars_are_marks_in_pairs_around_words(said: str, told: str):
    assert [one.text for one in statements(said)] == [told]
