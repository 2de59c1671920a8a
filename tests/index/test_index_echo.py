"""What only repeats an injection is an echo; a correction never is."""

import pytest

from recalld.index.echo import MAX_SNIPPETS, Echoes

NOTE = "billing retries use 5 attempts"
WINDOW = "the deploy window is Friday 14:00 to 16:00 in Berlin"
CHINESE = "值班表从周一开始生效"


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        (NOTE, ""),
        ("Billing retries use 5 attempts.", ""),
        (f"As noted, {NOTE}.", ""),
        (f"- {NOTE}\n- {WINDOW}\n", ""),
        (f"{CHINESE}。", ""),
        ("是的，值班表从周一开始生效。", ""),
        (f"{NOTE}. I changed the job this morning.", "I changed the job this morning."),
        # One word is another: a correction.
        ("billing retries use 7 attempts", None),
        ("the deploy window is Thursday 14:00 to 16:00 in Berlin", None),
        ("the deploy window is Friday 14:00 to 17:00 in Berlin", None),
        ("Thursday is now the deploy window, 14:00 to 16:00 in Berlin", None),
        ("值班表从周二开始生效", None),
        # Too short to be anybody's.
        ("use 5", None),
        ("on Friday", None),
        ("nothing of it", None),
        ("", None),
    ],
)
def test_only_what_says_nothing_new_is_left_out(said: str, kept: str | None):
    echoes = Echoes()
    echoes.note([NOTE, WINDOW, CHINESE])
    assert echoes.without(said) == (said if kept is None else kept)


def test_without_an_injection_nothing_is_an_echo():
    assert Echoes().without(NOTE) == NOTE


def test_a_snippet_is_remembered_once_and_what_is_remembered_is_bounded():
    echoes = Echoes()
    assert len(echoes.note([NOTE, NOTE])) == 1
    assert echoes.note([NOTE]) == ()
    echoes.note(f"note number {number} of the many" for number in range(MAX_SNIPPETS))
    assert echoes.without(NOTE) == NOTE
    assert echoes.without("note number 7 of the many") == ""


def test_fingerprints_can_be_given_back_and_do_not_hold_the_text():
    first, second = Echoes(), Echoes()
    for runs in first.note([NOTE]):
        assert all(isinstance(run, int) for run in runs)
        second.remember(runs)
    assert second.without(NOTE) == ""
