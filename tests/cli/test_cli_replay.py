"""``recalld replay``: past prompts on today's notes, and nothing written while doing so."""

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from recalld import demo
from recalld.cli._run import run
from recalld.cli._throwaway import throwaway_daemon
from recalld.evaluate.replay import change_of

SAMPLE = Path(demo.__file__).parent / "sample"
# The note that answers the question.
ANSWER = "memory/2026-05-11.md"
WORDS_ONLY = '[embed]\nengine = "none"\n'
QUESTION = "what did we decide about how often the upload queue retries?"
Document = dict[str, Any]


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    return Path(shutil.copytree(SAMPLE, tmp_path / "notes"))


@pytest.fixture
def settings(tmp_path: Path) -> Path:
    file = tmp_path / "words.toml"
    file.write_text(WORDS_ONLY, encoding="utf-8")
    return file


def traced(notes: Path, *prompts: str) -> Path:
    """The trace file that a daemon leaves after these prompts, each of its own session."""
    with throwaway_daemon(notes, settings=WORDS_ONLY) as client:
        client.call("index.sync", {"wait": True}, timeout_s=30.0)
        for number, text in enumerate(prompts):
            session = {"key": f"s{number}", "workspace": str(notes)}
            client.call("session.prompt", {"session": session, "text": text}, timeout_s=30.0)
    return notes / "memory" / "recall-traces.jsonl"


def replayed(
    capsys: pytest.CaptureFixture[str], traces: Path, settings: Path, *options: str, code: int = 0
) -> Document:
    arguments = ["replay", str(traces), "--json", "--config", str(settings), *options]
    assert run(arguments) == code
    document: Document = json.loads(capsys.readouterr().out)
    return document


def test_the_same_notes_answer_the_same_and_edited_ones_show_what_changed(
    capsys: pytest.CaptureFixture[str], notes: Path, settings: Path
) -> None:
    traces = traced(notes, QUESTION, "write a function that reverses a string")
    before = traces.read_bytes()
    same = replayed(capsys, traces, settings)
    assert (same["prompts"], same["same"], same["changes"]) == (2, 2, [])
    (notes / ANSWER).write_text("# 2026-05-11\n\nNothing happened.\n", encoding="utf-8")
    changed = replayed(capsys, traces, settings)
    (one,) = changed["changes"]
    assert one["prompt"] == QUESTION
    assert {hit["place"].partition("#")[0] for hit in one["lost"]} == {ANSWER}
    assert one["verdict"] == ["yes", "yes"]
    assert one["status"][0] == "ok"
    assert run(["replay", str(traces), "--config", str(settings)]) == 0
    shown = capsys.readouterr().out
    assert f"lost     {ANSWER}#L" in shown
    assert "2 prompts run again, 1 changed" in shown
    assert traces.read_bytes() == before
    assert len(list(notes.rglob("*"))) == len(list(SAMPLE.rglob("*"))) + 1


def trace(**fields: object) -> dict[str, object]:
    return {"ts": "2026-06-01T10:00:00.000Z", "status": "ok", "prompt": QUESTION, **fields}


def written(notes: Path, *traces: Mapping[str, object], tail: str = "") -> Path:
    file = notes / "memory" / "recall-traces.jsonl.1"
    file.write_text("".join(json.dumps(one) + "\n" for one in traces) + tail, encoding="utf-8")
    return file


def test_traces_that_cannot_be_run_are_counted(
    capsys: pytest.CaptureFixture[str], notes: Path, settings: Path
) -> None:
    file = written(
        notes,
        trace(traceId="a", cleanedChars=5_000),
        trace(prompt="sha256:0123456789abcdef"),
        trace(prompt=None),
        trace(prompt="", status="skipped_internal"),
        tail='{"torn',
    )
    found = replayed(capsys, file, settings)
    counted = {name: found[name] for name in ("prompts", "without_text", "nothing", "cut")}
    assert counted == {"prompts": 1, "without_text": 2, "nothing": 1, "cut": 1}
    assert found["damaged"] == 1


@pytest.mark.parametrize("prompt", ["sha256:0123456789abcdef", None])
def test_a_file_of_traces_without_text_is_refused_with_the_reason(
    capsys: pytest.CaptureFixture[str], notes: Path, settings: Path, prompt: str | None
) -> None:
    file = written(notes, trace(prompt=prompt))
    assert run(["replay", str(file), "--config", str(settings)]) == 1
    shown = capsys.readouterr().out
    assert "1 not run: the trace keeps no text (trace.queries is hash or off)" in shown


def test_a_file_that_lies_elsewhere_needs_its_folder_named(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, notes: Path, settings: Path
) -> None:
    file = tmp_path / "copied.jsonl"
    written(notes, trace()).rename(file)
    assert run(["replay", str(file), "--config", str(settings)]) == 2
    assert "--workspace" in capsys.readouterr().err
    found = replayed(capsys, file, settings, "--workspace", str(notes))
    # The trace names no hit, today's notes have one.
    gained = [hit["place"] for hit in found["changes"][0]["gained"]]
    assert any(place.startswith(ANSWER) for place in gained)


def place(path: str, score: float) -> dict[str, object]:
    return {"path": path, "startLine": 1, "endLine": 2, "bestRawScore": score}


def test_hits_are_gained_lost_and_moved() -> None:
    before = {"status": "ok", "fusionTop": [place("a.md", 0.9), place("b.md", 0.8)]}
    after = {"status": "ok", "fusionTop": [place("b.md", 0.9), place("c.md", 0.7)]}
    found = change_of(before, after)
    assert [hit.place for hit in found.gained] == ["c.md#L1-L2"]
    assert [hit.place for hit in found.lost] == ["a.md#L1-L2"]
    assert [(one.place, one.before, one.after) for one in found.moved] == [("b.md#L1-L2", 2, 1)]
    assert not found.same
    assert change_of(before, before).same
