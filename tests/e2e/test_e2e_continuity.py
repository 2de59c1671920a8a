"""Where were we: the answer comes from the checkpoint, and from nothing else."""

import os
import statistics
import time
from datetime import datetime

import pytest

from support.continuing import LEXICAL, NEXT, OBJECTIVE, STATE, STEP, Talk, counter, many_workspaces
from support.daemon import request, running
from support.e2e import TOPICS, until, write_notes
from support.e2e_rows import bug_case
from support.faulty import NOW, PROGRAM, program_environment

RESUMING = (
    "刚才我们说到哪了",
    "continue",
    "what were we doing",
    "我们刚才做到哪一步了？",
    "where did we leave off?",
)
DECIDED = (
    ("what did we decide last time about the {}?", TOPICS[0][0], "9100"),
    ("what did we decide before about the {}?", TOPICS[1][0], "9101"),
    ("上次我们关于{}定了什么？", TOPICS[0][1], "30"),
    ("之前我们关于{}是怎么决定的？", TOPICS[1][1], "31"),
)
GREETINGS = ("hi", "你好", "thanks!", "good morning")


@pytest.fixture(scope="module")
def fresh(tmp_path_factory):
    """Sessions in folders that nobody used; the engine is the default one."""
    with many_workspaces(tmp_path_factory.mktemp("continuity"), count=40, config="") as talks:
        yield talks


@pytest.fixture
def talk(fresh):
    return next(fresh)


def test_a_task_of_several_steps_is_found_again_after_a_new_session(talk):
    talk.start()
    talk.work()
    assert talk.reset() is not None
    fresh = talk.other()
    for question in ("刚才我们说到哪了", "continue", "what were we doing"):
        for session in (talk, fresh):
            recovery = session.recovery(question)
            assert "authentication module" in recovery, question
            assert "RS256" in recovery, question
            assert "/auth/refresh" in recovery, question


@pytest.mark.parametrize("question", RESUMING)
def test_a_question_where_we_were_is_answered_each_time(talk, question):
    talk.write(STATE)
    for _ in range(2):
        recovery = talk.recovery(question)
        assert all(part in recovery for part in (OBJECTIVE, STEP, NEXT)), question


@pytest.mark.parametrize("greeting", GREETINGS)
def test_a_greeting_starts_no_recovery_in_a_prompt_and_finds_it_at_the_start(talk, greeting):
    talk.write(STATE)
    begun = talk.start("new")
    assert OBJECTIVE in begun["recovery"]
    assert begun["checkpoint"]["objective"] == OBJECTIVE
    assert talk.recovery(greeting) is None


@pytest.mark.parametrize(("question", "topic", "answer"), DECIDED)
def test_what_was_decided_before_is_recalled_and_no_recovery(talk, question, topic, answer):
    write_notes(talk.root)
    talk.write(STATE)
    talk.daemon.call("index.sync", workspace=str(talk.root))
    result = talk.prompt(question.format(topic))
    assert result["recovery"] is None
    assert answer in result["context"]


@pytest.mark.parametrize("question", RESUMING)
def test_the_checkpoint_is_told_whatever_recall_finds(talk, question):
    talk.write(STATE)
    note = f"# Notes\n\n{question} We were doing the spring cleaning; continue with the attic.\n"
    (talk.root / "memory" / "attic.md").write_text(note, encoding="utf-8")
    talk.daemon.call("index.sync", workspace=str(talk.root))
    result = talk.prompt(question)
    assert OBJECTIVE in result["recovery"]
    assert "attic" not in result["recovery"]
    # Continuity's own file is no memory: recall cannot bring it a second time.
    assert all(hit["path"] != "memory/CURRENT_STATE.md" for hit in result["hits"])
    assert OBJECTIVE not in (result["context"] or "")


def test_the_checkpoint_and_its_copies_are_no_memory(talk):
    talk.write(STATE)
    assert talk.reset() is not None
    talk.daemon.call("index.sync", workspace=str(talk.root))
    hits = talk.daemon.call("search", query=OBJECTIVE, workspace=str(talk.root))["hits"]
    assert hits == []


def test_a_template_is_no_work_and_the_answer_says_so(talk, eval_data):
    case = bug_case(eval_data, "bc-15")
    talk.write(case["text"])
    begun = talk.start()
    assert (begun["recovery"], begun["checkpoint"]) == (None, None)
    recovery = talk.recovery(case["user"])
    assert recovery is not None
    for scaffolding in ("TBD", "[what we are doing]", "fill in", "N/A"):
        assert scaffolding not in recovery
    read = talk.daemon.call("checkpoint.read", workspace=str(talk.root))
    assert read["active"] is False
    assert talk.reset() is None


def test_a_new_session_replaces_no_good_checkpoint_by_an_empty_one(talk, eval_data):
    case = bug_case(eval_data, "bc-16")
    ((path, text),) = case["before"].items()
    (talk.root / "memory").mkdir()
    (talk.root / path).write_text(text, encoding="utf-8")
    archived = talk.end(case["event"]["reason"])
    assert (talk.root / path).read_text("utf-8") == text
    assert (talk.root / archived).read_text("utf-8") == text
    assert "Migrate the invoice export" in talk.other().start("new")["recovery"]
    warnings = [
        line
        for line in talk.daemon.log_text().splitlines()
        if "ended_unheard" in line and talk.key in line
    ]
    assert len(warnings) == 1


def looked_at(daemon):
    """Whether a turn was weighed against the checkpoint."""
    return counter(daemon, "continuity.refused") + counter(daemon, "continuity.unchanged") > 0


def test_finished_work_is_not_told_as_the_thing_to_do(tmp_path, eval_data):
    case = bug_case(eval_data, "bc-17")
    checkpoint, (later,) = case["checkpoint"], case["later_lines"]
    text = (
        f"# Current State\n> Last updated: {checkpoint['updated']}\n\n"
        f"## Objective\n{checkpoint['objective']}\n\n"
        f"## Next Action\n{checkpoint['next_action']}\n"
    )
    folder = tmp_path / "w"
    folder.mkdir()
    environ = program_environment(tmp_path, **{NOW: case["now"]})
    options = {"config": LEXICAL, "environ": environ, "program": PROGRAM}
    with running(tmp_path / "d", workspaces=[folder], **options) as daemon:
        talk = Talk(daemon=daemon, root=folder)
        talk.write(text)
        written_s = datetime.fromisoformat(checkpoint["updated"]).timestamp()
        os.utime(talk.file, (written_s, written_s))
        assert checkpoint["next_action"] in talk.recovery(case["user"])
        talk.turn("how far is it?", later["content"], at=later["at"])
        until(lambda: looked_at(daemon), what="a look at the turn")
        for session in (talk, talk.other()):
            recovery = session.recovery(case["user"])
            assert "23 h" in recovery or "23h" in recovery or "hours" in recovery
            assert later["content"][:30] in recovery
            assert f"Next Action: {checkpoint['next_action']}" not in recovery


def test_a_prompt_that_needs_nothing_takes_no_longer_than_three_pings(talk, capsys):
    talk.write(STATE)
    ratios = []
    with talk.daemon.peer() as peer:
        for number in range(3):
            thanks = {"session": talk.session, "text": f"thanks {number}"}
            took_s: dict[str, list[float]] = {"ping": [], "session.prompt": []}
            for _ in range(200):
                for name, params in (("ping", {}), ("session.prompt", thanks)):
                    line = request(name, **params)
                    began = time.perf_counter()
                    peer.say(line)
                    peer.line()
                    took_s[name].append(time.perf_counter() - began)
            ping_s, no_s = (statistics.median(times) for times in took_s.values())
            ratios.append(no_s / ping_s)
    with capsys.disabled():
        print(f"\na prompt that needs nothing: {', '.join(f'{r:.2f}' for r in ratios)} pings")
    assert min(ratios) <= 3


def test_what_was_said_a_moment_ago_is_in_the_answer(talk):
    talk.work()
    recovery = talk.recovery("continue")
    assert "user authentication module" in recovery
    assert "Next Action: implement POST /auth/refresh" in recovery


def test_a_start_right_after_a_turn_knows_of_it(talk):
    talk.work()
    assert "/auth/refresh" in talk.start("resume")["recovery"]
