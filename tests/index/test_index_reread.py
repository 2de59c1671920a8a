"""A hit's file as it is when the hit is about to be shown."""

import json
import os
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from recalld.index.reread import MAX_BYTES, reread
from recalld.recall.model import Condition
from recalld.search.model import Source
from support.recall_world import hit


@pytest.fixture
def note(tmp_path: Path) -> Path:
    (tmp_path / "memory").mkdir()
    file = tmp_path / "memory" / "a.md"
    file.write_text("use five attempts\n")
    return file


BEFORE = "2020-01-01T00:00:00+00:00"


def found_of(file: Path, **changes: Any):
    modified_at = datetime.fromtimestamp(file.stat().st_mtime_ns / 1e9, UTC).isoformat()
    return hit("memory/a.md", modified_at=modified_at, **changes)


def condition(root: Path, found) -> Condition:
    return reread(str(root), found).condition


def test_a_file_with_the_time_it_was_indexed_with_is_not_read(tmp_path: Path, note: Path):
    found = found_of(note)
    now = reread(str(tmp_path), found)
    assert (now.condition, now.text) == (Condition.UNCHANGED, "")


def test_a_changed_file_is_cleaned_as_the_index_cleans_it(tmp_path: Path, note: Path):
    found = replace(found_of(note), modified_at=BEFORE)
    key = "sk-" + "live-Zx81QmPd77TyLw02KcVb93HnRr45"
    note.write_bytes(
        b"\xef\xbb\xbf<recall-context>\nold\n</recall-context>\r\nkey " + key.encode() + b"\r\n"
    )
    now = reread(str(tmp_path), found)
    assert now.condition is Condition.CHANGED
    assert now.text.startswith("\n\n\nkey [redacted:")
    assert now.text.endswith("]\n")


def test_a_file_that_is_gone_or_no_file_any_more_is_gone(tmp_path: Path, note: Path):
    found = found_of(note)
    note.unlink()
    assert condition(tmp_path, found) is Condition.GONE
    note.symlink_to("/etc/passwd")
    assert condition(tmp_path, found) is Condition.GONE
    note.unlink()
    note.mkdir()
    assert condition(tmp_path, found) is Condition.GONE
    note.rmdir()
    os.mkfifo(note)
    assert condition(tmp_path, found) is Condition.GONE


def test_a_folder_that_became_a_link_is_not_followed(tmp_path: Path, note: Path):
    found = found_of(note)
    note.parent.rename(tmp_path / "elsewhere")
    (tmp_path / "memory").symlink_to(tmp_path / "elsewhere")
    assert condition(tmp_path, found) is Condition.GONE


def test_what_cannot_be_told_in_time_is_unknown(tmp_path: Path, note: Path):
    old = replace(found_of(note), modified_at=BEFORE)
    note.write_bytes(b"x" * (MAX_BYTES + 1))
    assert condition(tmp_path, old) is Condition.UNKNOWN
    assert condition(tmp_path, replace(old, path="caf\\xe9.md")) is Condition.UNKNOWN
    # Not out of our index: there is no time to compare with.
    assert condition(tmp_path, replace(old, modified_at=None)) is Condition.UNKNOWN


def test_a_file_that_is_no_text_any_more_holds_no_note(tmp_path: Path, note: Path):
    old = replace(found_of(note), modified_at=BEFORE)
    note.write_bytes("use five attempts".encode("utf-16"))
    assert condition(tmp_path, old) is Condition.GONE


@pytest.mark.parametrize("absolute", [False, True])
def test_a_turn_is_looked_for_in_its_own_line(tmp_path: Path, absolute: bool):
    file = tmp_path / "s.jsonl"
    rows = [{"role": "user", "content": [{"text": f"turn {n}"}]} for n in range(1, 4)]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    turn = hit(
        str(file) if absolute else "s.jsonl",
        source=Source.SESSIONS,
        start_line=2,
        end_line=2,
        modified_at=BEFORE,
    )
    now = reread(str(tmp_path), turn)
    assert now.condition is Condition.CHANGED
    assert now.text.split("\n") == ["user", "turn 2"]
    file.write_text("no json\n" * 2)
    assert reread(str(tmp_path), turn).text == ""
