"""What makes two sets of signals the same."""

import re
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from recalld.heartbeat.fingerprint import of, subject, summary_hash
from support.heartbeat_scene import a_signal
from support.snapshots import a_memory

ONE, TWO = a_signal("pending_work", "a"), a_signal("decaying", "b")


def test_a_fingerprint_is_sixteen_hex_digits_and_nothing_for_nothing():
    assert re.fullmatch(r"[0-9a-f]{16}", of([ONE]))
    assert of([]) == summary_hash([]) == ""


def test_order_and_repetition_do_not_count():
    assert of([ONE, TWO]) == of([TWO, ONE, TWO])
    assert summary_hash([ONE, TWO]) == summary_hash([TWO, ONE, TWO])


def test_the_check_and_the_memory_count_and_the_words_do_not():
    assert len({of([ONE]), of([TWO]), of([ONE, TWO]), of([a_signal("decaying", "a")])}) == 4
    (memory,) = ONE.memories
    later = replace(ONE, title="Overdue by 3 h", memories=(replace(memory, content="other words"),))
    assert of([later]) == of([ONE])


@given(st.lists(st.lists(st.text(max_size=4), max_size=4, unique=True), min_size=2, max_size=2))
def test_different_names_never_look_the_same(names):
    one, other = ([replace(ONE, id=name) for name in some] for some in names)
    assert (of(one) == of(other)) is (set(names[0]) == set(names[1]))


def test_the_summary_is_of_the_subjects_words_in_any_width_and_case():
    wide = a_signal("decaying", "z", memories=(a_memory("z", "Ｓhip  the\nIMPORTER"),))
    plain = a_signal("conflicts", "y", memories=(a_memory("y", "ship the importer"),))
    assert summary_hash([wide]) == summary_hash([plain])
    assert summary_hash([wide]) != summary_hash([ONE])
    chinese = a_signal("decaying", "c", memories=(a_memory("c", "修复导入器"),))
    assert summary_hash([chinese]) not in (summary_hash([wide]), "")


def test_a_signal_without_memories_says_its_title():
    mood = a_signal("sentiment", title="The mood is better")
    assert summary_hash([mood]) == summary_hash([replace(mood, id="other")])
    assert summary_hash([mood]) != summary_hash([replace(mood, title="The mood is worse")])


def test_a_topic_is_the_first_memory_or_the_signal_itself():
    both = replace(ONE, memories=(a_memory("first"), a_memory("second")))
    assert (subject(both), subject(a_signal("sentiment"))) == ("first", "sentiment:itself")
