"""Whole sessions end in the checkpoint that a person would want of them.

Those of ``unseen`` to ``unseen4`` were written before the rules had met them.
"""

import pytest

from support.told_sessions import Session, at_once, sessions, turn_by_turn, wrong

FILES = ("english", "chinese", "unseen", "unseen2", "unseen3", "unseen4")
ALL = [(name, session) for name in FILES for session in sessions(name)]


@pytest.mark.parametrize(
    "session", [pytest.param(one, id=f"{name}: {one.name}") for name, one in ALL]
)
def test_a_session_ends_where_a_person_says_it_stands(session: Session):
    assert wrong(session, at_once(session)) == {}
    assert wrong(session, turn_by_turn(session)) == {}


def test_there_are_sessions_of_both_languages():
    assert len(sessions("english")) >= 15
    assert len(sessions("chinese")) >= 10
    assert 3 * sum(name.startswith("unseen") for name, _ in ALL) >= len(ALL)
