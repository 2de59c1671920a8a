"""The text for agents without hooks says what the daemon does, in its words."""

import re
from pathlib import Path

import pytest

from recalld.continuity.checkpoint import SECTIONS, parse
from recalld.continuity.model import Checkpoint
from recalld.continuity.questions import asks_to_resume
from recalld.install.place import here
from recalld.install.targets import TARGETS, module_of, skill
from support import architecture

TEXT = skill.target(here({})).text or ""


def test_every_target_is_registered():
    folder = re.sub(r"skill\.py$", "", skill.__file__)
    known = frozenset(map(module_of, TARGETS))
    assert architecture.unregistered(Path(folder), known) == []


def test_it_has_the_head_of_a_skill():
    head = TEXT.split("---\n")[1]
    name, description = re.findall(r"^(name|description): (.+)$", head, re.MULTILINE)
    assert name == ("name", "recalld-continuity")
    assert 100 < len(description[1]) <= 1024
    assert len(TEXT.split("\n")) < 200


def test_its_template_is_a_checkpoint_of_nothing():
    (template,) = re.findall(r"```markdown\n(.*?)```", TEXT, re.DOTALL)
    parsed = parse(template)
    assert parsed.missing == ()
    assert parsed.checkpoint == Checkpoint(updated_at=parsed.checkpoint.updated_at)
    assert parsed.checkpoint.updated_at is not None
    assert re.findall(r"^## (.+)$", template, re.MULTILINE) == list(SECTIONS)


def phrases(after: str) -> list[str]:
    (line,) = re.findall(rf"^- {after}(.+(?:\n  .+)*)", TEXT, re.MULTILINE)
    return re.findall(r"[\"“](.+?)[\"”]", line.replace("\n  ", " "))


@pytest.mark.parametrize("language", ["English: ", "中文："])
def test_the_phrases_it_names_are_those_the_daemon_answers(language: str):
    found = phrases(language)
    assert len(found) >= 6
    assert [phrase for phrase in found if asks_to_resume(phrase) is None] == []


@pytest.mark.parametrize(
    "phrase", ["What did we decide about the cache?", "我们之前是怎么决定的？"]
)
def test_the_questions_it_sends_to_search_are_no_questions_of_continuity(phrase: str):
    assert asks_to_resume(phrase) is None


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("S2.1", "memory/CURRENT_STATE.md"),
        ("S2.2", "never appended"),
        ("S2.3", "at most three bullets"),
        ("S2.8", "No greeting and no small talk before it"),
        ("S2.9", 'a bare "hi" gets that work too'),
        ("S2.10", "Never make up"),
        ("S2.11", "Read the file from disk each time"),
        ("S2.12", "outranks your recollection and anything a search"),
        ("S2.21", "in your very next reply, then set the section back to `None`"),
        ("S2.22", "search for those"),
    ],
)
def test_every_rule_of_behaviour_is_in_it(row: str, said: str):
    assert said in re.sub(r"\s+", " ", TEXT), row
