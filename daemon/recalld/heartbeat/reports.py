"""Test reports in JUnit's XML, read without trusting who wrote them. Pure."""

import re
from typing import Any
from xml.parsers import expat

MAX_DEPTH = 100
SUITES = "testsuites"
SUITE = "testsuite"
CASE = "testcase"
BROKEN = frozenset({"failure", "error"})


# What the parser itself does not decode; others it does or refuses.
_DECLARED = re.compile(rb"""\s*<\?xml[^>]{0,100}?encoding=["']([\w.-]{1,40})["']""")
_MULTI_BYTE = frozenset({"gbk", "gb2312", "gb18030", "big5", "shift_jis", "euc-jp", "euc-kr"})


class BadReport(Exception):
    """The bytes are no test report, or none that is read; the text says why."""


def failures(report: bytes) -> int:
    """How many test cases failed or ended in an error.

    A report without cases is believed by its outermost counts. ``BadReport`` for what is no XML,
    no test report or nested too deep, and for a document type: only that could declare entities,
    whose expansion fills a memory. Nothing outside the bytes is looked at.
    """
    reading = _Reading()
    content, encoding = _decoded(report)
    parser = expat.ParserCreate(encoding)
    parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
    parser.StartDoctypeDeclHandler = reading.document_type
    parser.StartElementHandler = reading.begins
    parser.EndElementHandler = reading.ends
    try:
        parser.Parse(content, True)  # noqa: FBT003 - the parser takes its arguments by place
    except expat.ExpatError as error:
        raise BadReport(f"is no XML: {error}") from error
    except (LookupError, ValueError) as error:
        raise BadReport("has an unknown encoding") from error
    return reading.count()


def _decoded(report: bytes) -> tuple[bytes, str | None]:
    """The report and its encoding; None: as it declares. What is wrong in it becomes a sign that
    changes no count."""
    declared = _DECLARED.match(report)
    name = declared[1].decode("ascii", "replace").lower() if declared else ""
    if name not in _MULTI_BYTE:
        return report, None
    return report.decode(name, "replace").encode(), "utf-8"


class _Reading:
    """Counts while the parser goes through the elements."""

    def __init__(self) -> None:
        self._open: list[str] = []
        self._cases = 0
        self._broken = 0
        self._case_is_broken = False
        self._declared = 0
        self._outer_declares = False

    def count(self) -> int:
        return self._broken if self._cases else self._declared

    def document_type(self, *_: object) -> None:
        raise BadReport("declares a document type")

    def begins(self, tag: str, attributes: dict[str, Any]) -> None:
        name = tag.rpartition(":")[2]
        if not self._open and name not in (SUITES, SUITE):
            raise BadReport("is no test report")
        if len(self._open) >= MAX_DEPTH:
            raise BadReport(f"is nested over {MAX_DEPTH} deep")
        if name == CASE:
            self._cases += 1
            self._case_is_broken = False
        elif name in BROKEN and self._open[-1] == CASE:
            self._case_is_broken = True
        elif name in (SUITES, SUITE):
            self._declare(attributes)
        self._open.append(name)

    def ends(self, tag: str) -> None:
        del tag
        if self._open.pop() == CASE and self._case_is_broken:
            self._broken += 1
            self._case_is_broken = False

    def _declare(self, attributes: dict[str, Any]) -> None:
        """Counts of a suite of suites hold those of its suites."""
        if not self._open:
            self._outer_declares = not BROKEN.isdisjoint(_singular(attributes))
            self._declared = _number(attributes)
        elif self._open == [SUITES] and not self._outer_declares:
            self._declared += _number(attributes)


def _singular(attributes: dict[str, Any]) -> set[str]:
    return {name.removesuffix("s") for name in attributes}


def _number(attributes: dict[str, Any]) -> int:
    counts = (str(attributes.get(name, "")) for name in ("failures", "errors"))
    return sum(
        int(count) for count in counts if count.isascii() and count.isdigit() and len(count) < 9
    )
