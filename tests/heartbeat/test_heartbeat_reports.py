"""Test reports: how many failed, and nothing a hostile file could do."""

import os
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recalld.heartbeat import report_files
from recalld.heartbeat.report_files import ReportLimits
from recalld.heartbeat.reports import BadReport, failures
from recalld.heartbeat.workspace import Scope, read
from support.snapshots import DAY, HOUR, INSTANT, NOW

GLOBS = ("**/junit*.xml", "**/TEST-*.xml")
BAD = "<testcase><failure/></testcase>"
GOOD = "<testcase/>"
NAMED = '<testcase name="测试"/>'


def suite(*cases: str) -> str:
    return f"<testsuite>{''.join(cases)}</testsuite>"


@pytest.mark.parametrize(
    ("report", "expected"),
    [
        (suite(), 0),
        (suite(GOOD), 0),
        (suite(GOOD, BAD, BAD), 2),
        (suite("<testcase><error>boom</error></testcase>"), 1),
        (suite("<testcase><failure/><error/><failure/></testcase>"), 1),
        (suite("<testcase><skipped/></testcase>", "<testcase><flakyFailure/></testcase>"), 0),
        (suite("<testcase><failure/><rerunFailure/></testcase>"), 1),
        # Output of a program that looks like a failure is none.
        (suite("<testcase><system-out>&lt;failure/></system-out></testcase>"), 0),
        (suite("<testcase><properties><failure/></properties></testcase>"), 0),
        (f"<testsuites>{suite(BAD)}{suite(GOOD, BAD)}</testsuites>", 2),
        (f"<testsuites><testsuite>{suite(BAD)}</testsuite></testsuites>", 1),
        # Cases are believed before counts; counts only where there are no cases.
        (f'<testsuite failures="7">{GOOD}</testsuite>', 0),
        ('<testsuite failures="2" errors="1"/>', 3),
        ('<testsuites failures="2"><testsuite failures="2"/></testsuites>', 2),
        ('<testsuites><testsuite failures="2"/><testsuite errors="1"/></testsuites>', 3),
        ('<testsuites failures="0"><testsuite failures="2"/></testsuites>', 0),
        ('<testsuite failures="-3" errors="many"/>', 0),
        ('<testsuite failures="٣"/>', 0),
        ('<testsuite failures="999999999999"/>', 0),
        ('<j:testsuite xmlns:j="x"><j:testcase><j:failure/></j:testcase></j:testsuite>', 1),
        (f'<?xml version="1.0" encoding="UTF-8"?>\n{suite(NAMED, BAD)}', 1),
        (f"﻿{suite(BAD)}", 1),
    ],
)
def test_how_many_failed(report: str, expected: int):
    assert failures(report.encode()) == expected


@pytest.mark.parametrize(
    "name", ["GBK", "gb2312", "GB18030", "Big5", "Shift_JIS", "UTF-16", "ISO-8859-1", "us-ascii"]
)
def test_reports_in_other_encodings_are_read(name: str):
    text = suite('<testcase name="文"/>' if name[0] in "GgBS" else GOOD, BAD)
    report = f"<?xml version='1.0' encoding='{name}'?>{text}".encode(name)
    assert failures(report) == 1


LAUGHS = (
    '<!DOCTYPE t [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">'
    '<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;">]><testsuite><testcase name="&c;"/></testsuite>'
)
FILE = '<!DOCTYPE t [<!ENTITY x SYSTEM "file:///etc/passwd">]><testsuite>&x;</testsuite>'


@pytest.mark.parametrize(
    ("report", "reason"),
    [
        (b"", "is no XML"),
        (b"\x00\xff", "is no XML"),
        (b"<testsuite>", "is no XML"),
        (b"<testsuite></testsuites>", "is no XML"),
        (b"<testsuite>&undefined;</testsuite>", "is no XML"),
        (b"<html><body/></html>", "is no test report"),
        (b"<testcase><failure/></testcase>", "is no test report"),
        (b"<!DOCTYPE testsuite><testsuite/>", "declares a document type"),
        (LAUGHS.encode(), "declares a document type"),
        (FILE.encode(), "declares a document type"),
        (b"<testsuite>" * 101, "is nested over 100 deep"),
        (b'<?xml version="1.0" encoding="no-such"?><testsuite/>', "encoding"),
    ],
)
def test_what_is_no_report_is_refused_and_says_why(report: bytes, reason: str):
    with pytest.raises(BadReport, match=reason):
        failures(report)


@given(
    st.binary(max_size=200)
    | st.text(max_size=200).map(lambda text: suite(text).encode("utf-8", "replace"))
)
def test_no_bytes_are_an_error_of_another_kind(report: bytes):
    with suppress(BadReport):
        assert failures(report) >= 0


def put(root: Path, path: str, content: str, age: object = HOUR) -> Path:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(content, encoding="utf-8")
    changed = (NOW - age).timestamp()  # type: ignore[operator]
    os.utime(file, (changed, changed))
    return file


async def find(root: Path, limits: ReportLimits | None = None, since: datetime = NOW - DAY):
    return await report_files.find(root, GLOBS, since, limits or ReportLimits())


async def test_reports_are_found_at_any_depth_the_latest_first(tmp_path: Path):
    put(tmp_path, "junit.xml", suite(BAD))
    put(tmp_path, "build/TEST-b.xml", suite(GOOD), age=2 * HOUR)
    put(tmp_path, "build/TEST-a.xml", suite(BAD, BAD), age=2 * HOUR)
    put(tmp_path, "测试/junit-报告.xml", suite(BAD), age=3 * HOUR)
    put(tmp_path, "pom.xml", "<project/>")
    found, problems = await find(tmp_path)
    assert [(path, count) for path, count, _ in found] == [
        ("junit.xml", 1),
        ("build/TEST-a.xml", 2),
        ("build/TEST-b.xml", 0),
        ("测试/junit-报告.xml", 1),
    ]
    assert found[0][2] == NOW - HOUR
    assert problems == ()


@pytest.mark.parametrize(("age", "expected"), [(DAY, 1), (DAY + 1000 * INSTANT, 0), (-HOUR, 1)])
async def test_only_what_changed_since_is_read(tmp_path: Path, age: object, expected: int):
    put(tmp_path, "junit.xml", suite(BAD), age=age)
    assert len((await find(tmp_path))[0]) == expected


async def test_hidden_and_foreign_folders_links_and_pipes_are_left_out(tmp_path: Path):
    for folder in (".git", ".cache", "node_modules", "web/node_modules", "venv", "vendor"):
        put(tmp_path / "w", f"{folder}/junit.xml", suite(BAD))
    outside = put(tmp_path, "outside/junit.xml", suite(BAD))
    (tmp_path / "w" / "junit-link.xml").symlink_to(outside)
    (tmp_path / "w" / "linked").symlink_to(outside.parent)
    (tmp_path / "w" / "round").symlink_to(tmp_path / "w")
    os.mkfifo(tmp_path / "w" / "junit-pipe.xml")
    (tmp_path / "w" / "junit-folder.xml").mkdir()
    assert await find(tmp_path / "w") == ((), ())


async def test_a_bad_report_is_named_and_the_others_are_read(tmp_path: Path):
    put(tmp_path, "junit-bad.xml", "<html/>")
    put(tmp_path, "junit-big.xml", suite(GOOD * 100))
    put(tmp_path, "junit-good.xml", suite(BAD))
    closed = put(tmp_path, "junit-no.xml", suite(BAD))
    closed.chmod(0)
    found, problems = await find(tmp_path, ReportLimits(report_bytes=500))
    assert "junit-good.xml" in [path for path, _, _ in found]
    assert "reports: 'junit-bad.xml' is no test report" in problems
    assert "reports: 'junit-big.xml' is over 500 bytes" in problems


async def test_every_limit_is_kept_and_counted(tmp_path: Path):
    for number in range(5):
        put(tmp_path, f"junit{number}.xml", suite(GOOD), age=number * HOUR)
    found, problems = await find(tmp_path, ReportLimits(reports=2))
    assert [path for path, _, _ in found] == ["junit0.xml", "junit1.xml"]
    assert problems == ("reports: only the latest 2 were read",)
    found, problems = await find(tmp_path, ReportLimits(entries=3))
    assert [path for path, _, _ in found] == ["junit0.xml", "junit1.xml", "junit2.xml"]
    assert problems == ("reports: stopped after 3 entries",)
    size = len(suite(GOOD))
    found, problems = await find(tmp_path, ReportLimits(total_bytes=2 * size))
    assert len(found) == 2
    assert len(problems) == 3


async def test_a_name_that_is_no_text_is_readable(tmp_path: Path):
    os.close(os.open(bytes(tmp_path) + b"/junit-\xff.xml", os.O_CREAT))
    found, problems = await find(tmp_path, since=datetime(2000, 1, 1, tzinfo=UTC))
    assert found == ()
    assert problems[0].startswith("reports: 'junit-�.xml' is no XML")
    assert problems[0].encode()


async def test_a_bad_glob_is_a_problem(tmp_path: Path):
    found, problems = await report_files.find(tmp_path, ("!",), NOW, ReportLimits())
    assert found == ()
    assert len(problems) == 1


async def test_a_workspace_reads_what_changed_since_it_was_told_of(tmp_path: Path):
    put(tmp_path, "junit.xml", suite(BAD), age=2 * HOUR)
    scope = Scope(reports=GLOBS)
    assert [one[:2] for one in (await read(tmp_path, now=NOW, scope=scope)).reports] == [
        ("junit.xml", 1)
    ]
