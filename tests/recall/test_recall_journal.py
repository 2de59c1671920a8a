"""Whole lines in a bounded set of files, whatever the disk does. Real files."""

import json
import os
import resource
import stat
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from recalld.journal import Journal, append, find_line


class Counted(Counter[str]):
    """Counts as the journal reports them."""

    def count(self, name, n):
        self[name] += n


def journal_at(root, *, file="memory/traces.jsonl", max_bytes=5_000_000, keep=3):
    return Journal(root=root, file=file, max_bytes=max_bytes, keep=keep)


def line(number, size=0):
    body = json.dumps({"n": number, "pad": ""})
    pad = "x" * max(0, size - len(body) - 1)
    return json.dumps({"n": number, "pad": pad}).encode() + b"\n"


def written(journal, *lines):
    counted = Counted()
    append(journal, lines, count=counted.count)
    return counted


def numbers(path):
    return [json.loads(text)["n"] for text in path.read_bytes().splitlines()]


def live(journal):
    return journal.root / journal.file


def test_file_and_its_folder_are_made_for_the_owner_alone(tmp_path):
    journal = journal_at(tmp_path)
    old = os.umask(0)
    try:
        assert +written(journal, line(1), line(2)) == {}
    finally:
        os.umask(old)
    assert stat.S_IMODE(live(journal).stat().st_mode) == 0o600
    assert stat.S_IMODE(live(journal).parent.stat().st_mode) == 0o700
    assert numbers(live(journal)) == [1, 2]


def test_file_that_others_could_read_is_closed_to_them(tmp_path):
    journal = journal_at(tmp_path, file="t.jsonl")
    live(journal).write_bytes(line(1))
    live(journal).chmod(0o644)
    written(journal, line(2))
    assert stat.S_IMODE(live(journal).stat().st_mode) == 0o600
    assert numbers(live(journal)) == [1, 2]


def test_twenty_thousand_traces_stay_within_size_times_count(tmp_path):
    journal = journal_at(tmp_path)
    lines = [line(n, 1_500) for n in range(20_000)]
    counted = Counted()
    for start in range(0, len(lines), 64):
        append(journal, lines[start : start + 64], count=counted.count)
    files = sorted(live(journal).parent.iterdir())
    assert [file.name for file in files] == [
        "traces.jsonl",
        *(f"traces.jsonl.{n}" for n in (1, 2, 3)),
    ]
    assert sum(file.stat().st_size for file in files) <= 20_000_000
    assert all(file.stat().st_size <= 5_000_000 for file in files)
    kept = [n for file in (*files[:0:-1], files[0]) for n in numbers(file)]
    assert kept == list(range(20_000 - len(kept), 20_000))
    assert len(kept) > 10_000
    assert +counted == {}


@pytest.mark.parametrize("keep", [0, 1, 3])
def test_only_so_many_old_files_are_kept(tmp_path, keep):
    journal = journal_at(tmp_path, max_bytes=100, keep=keep)
    for n in range(40):
        written(journal, line(n, 60))
    files = list(live(journal).parent.iterdir())
    assert len(files) == keep + 1
    assert numbers(live(journal)) == [39]


def test_files_of_a_larger_setting_go_with_the_next_rotation(tmp_path):
    for keep in (5, 1):
        journal = journal_at(tmp_path, max_bytes=100, keep=keep)
        for n in range(20):
            written(journal, line(n, 60))
    assert len(list(live(journal).parent.iterdir())) == 2


def test_line_larger_than_a_file_is_dropped_and_counted(tmp_path):
    journal = journal_at(tmp_path, max_bytes=100)
    assert +written(journal, line(1), line(2, 200), line(3)) == {"dropped": 1}
    assert numbers(live(journal)) == [1, 3]


def test_torn_tail_is_cut_wherever_the_crash_fell(tmp_path):
    journal = journal_at(tmp_path, file="t.jsonl")
    whole, last = line(1) + line(2), line(3, 80)
    for length in range(len(last) + 1):
        live(journal).write_bytes(whole + last[:length])
        counted = written(journal, line(4))
        torn = 0 < length < len(last)
        assert numbers(live(journal)) == ([1, 2, 3, 4] if length == len(last) else [1, 2, 4])
        assert counted["torn"] == torn


def test_file_that_is_one_torn_line_is_emptied(tmp_path):
    journal = journal_at(tmp_path, file="t.jsonl")
    live(journal).write_bytes(b"x" * 3_000_000)
    assert written(journal, line(1))["torn"] == 1
    assert numbers(live(journal)) == [1]


def test_rotation_that_fails_keeps_writing_and_is_counted(tmp_path):
    journal = journal_at(tmp_path, file="t.jsonl", max_bytes=100, keep=1)
    (tmp_path / "t.jsonl.1" / "in the way").mkdir(parents=True)
    written(journal, line(1, 60))
    counted = written(journal, line(2, 60))
    assert counted["rotation_failed"] == 1
    assert counted["dropped"] == 0
    assert numbers(live(journal)) == [1, 2]


@pytest.mark.parametrize("place", ["file", "folder"])
def test_symbolic_link_is_never_followed(tmp_path, place):
    outside = tmp_path / "outside"
    outside.mkdir()
    root = tmp_path / "workspace"
    root.mkdir()
    if place == "folder":
        (root / "memory").symlink_to(outside)
    else:
        (root / "memory").mkdir()
        (root / "memory" / "traces.jsonl").symlink_to(outside / "traces.jsonl")
    assert written(journal_at(root), line(1), line(2))["dropped"] == 2
    assert list(outside.iterdir()) == []


def test_fifo_without_a_reader_does_not_hold_the_writer(tmp_path):
    os.mkfifo(tmp_path / "t.jsonl")
    assert written(journal_at(tmp_path, file="t.jsonl"), line(1))["dropped"] == 1


@pytest.mark.parametrize("file", ["null", "full"])
def test_device_is_no_trace_file(file):
    assert written(journal_at(Path("/dev"), file=file), line(1))["dropped"] == 1


def test_missing_root_drops_and_counts(tmp_path):
    counted = written(journal_at(tmp_path / "gone"), line(1), line(2))
    assert (counted["dropped"], counted["write_failed"]) == (2, 1)


LIMITED = """
import json, resource, sys
from collections import Counter
from pathlib import Path
from recalld.journal import Journal, append
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
counted = Counter()
lines = [(json.dumps({"n": n, "pad": "x" * 280}) + "\\n").encode() for n in range(10)]
journal = Journal(root=Path(sys.argv[1]), file="t.jsonl", max_bytes=5_000_000, keep=3)
append(journal, lines, count=lambda name, n: counted.update({name: n}))
append(journal, lines[:1], count=lambda name, n: counted.update({name: n}))
print(json.dumps(counted))
"""


def test_file_size_limit_keeps_whole_lines_and_counts_the_rest(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, str(tmp_path)],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    counted = json.loads(done.stdout)
    assert numbers(tmp_path / "t.jsonl") == [0, 1, 2]
    assert (counted["dropped"], counted["write_failed"]) == (8, 2)
    assert counted.get("torn", 0) == 0
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] != 1_000


def test_line_is_found_in_any_of_the_files_newest_first(tmp_path):
    journal = journal_at(tmp_path, max_bytes=300, keep=3)
    for n in range(12):
        written(journal, line(n, 100))
    assert find_line(journal, b'"n": 4,') == line(4, 100)
    assert find_line(journal, b'"n": 11,') == line(11, 100)
    assert find_line(journal, b'"n": 99,') is None
    assert find_line(journal_at(tmp_path / "gone"), b"x") is None


def test_line_across_the_blocks_of_a_large_file_is_found(tmp_path):
    journal = journal_at(tmp_path, file="t.jsonl")
    for n in range(0, 3_000, 50):
        written(journal, *(line(k, 1_000) for k in range(n, n + 50)))
    for wanted in (0, 1_900, 1_951, 1_952, 2_999):
        found = find_line(journal, b'"n": %d,' % wanted)
        assert found == line(wanted, 1_000)
