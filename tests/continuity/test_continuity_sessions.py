"""Whole sessions end in the checkpoint that a person would want of them.

Those of the ``unseen`` files were written before the rules had met them; those from ``unseen5`` on
say what a person would want behind every turn.
"""

import pytest

from support.told_sessions import Session, at_once, sessions, stands, turn_by_turn, wrong

BY_TURN_FILES = tuple(f"unseen{number}" for number in range(5, 17))
FILES = ("english", "chinese", "unseen", "unseen2", "unseen3", "unseen4", *BY_TURN_FILES)
ALL = [(name, session) for name in FILES for session in sessions(name)]
BY_TURN = [(name, session) for name, session in ALL if session.after]


@pytest.mark.parametrize(
    "session", [pytest.param(one, id=f"{name}: {one.name}") for name, one in ALL]
)
def test_a_session_ends_where_a_person_says_it_stands(session: Session):
    assert wrong(session.want, at_once(session)) == {}
    assert wrong(session.want, turn_by_turn(session)) == {}


@pytest.mark.parametrize(
    "session", [pytest.param(one, id=f"{name}: {one.name}") for name, one in BY_TURN]
)
def test_behind_every_turn_the_file_says_where_the_work_stands(session: Session):
    made = list(stands(session))
    differ = [wrong(want, one) for want, one in zip(session.after, made, strict=True)]
    assert differ == [{} for _ in made]


def test_there_are_sessions_of_both_languages():
    assert len(sessions("english")) >= 15
    assert len(sessions("chinese")) >= 10
    assert 3 * sum(name.startswith("unseen") for name, _ in ALL) >= len(ALL)
    assert {name for name, _ in BY_TURN} == set(BY_TURN_FILES)
