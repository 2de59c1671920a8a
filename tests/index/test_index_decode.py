"""Bytes to text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recalld.index.decode import decode

SKIPPED = [
    ("utf-16 with mark", "# a\nplan\n".encode("utf-16"), "utf16"),
    ("utf-16 big endian without mark", "# title\nplan text\n".encode("utf-16-be"), "utf16"),
    ("utf-16 little endian without mark", "# title\nplan text\n".encode("utf-16-le"), "utf16"),
    ("utf-32 with mark", "# a\nplan\n".encode("utf-32"), "utf32"),
    ("utf-32 without mark", "# title\nplan text\n".encode("utf-32-le"), "utf32"),
    ("gb18030", "今天我们讨论了部署计划和预算".encode("gb18030"), "not_utf8"),
    ("mostly NUL", b"\0" * 50 + b"ab", "utf32"),
    ("gzip", bytes([0x1F, 0x8B, 8, 0, 0x9C, 0xED, 0xC1, 1, 0x0D, 0xF7, 0xA0, 0xFE]), "not_utf8"),
]
READ = [
    ("plain", b"# a\nplan\n", "# a\nplan\n", False),
    ("empty", b"", "", False),
    ("byte order mark", b"\xef\xbb\xbf# a\n", "# a\n", False),
    (
        "latin-1 letters",
        b"# Caf\xe9\n\nna\xefve plan here\n",
        "# Caf\ufffd\n\nna\ufffdve plan here\n",
        True,
    ),
    ("NUL", b"# a\n\nbefore\0after the word\n", "# a\n\nbefore\ufffdafter the word\n", True),
    ("crlf", b"a\r\nb\r\n", "a\nb\n", False),
    ("lone cr", b"a\rb\rc", "a b c", False),
    ("surrogate bytes", b"a long enough line \xed\xa0\x80 end\n", None, True),
]


@pytest.mark.parametrize(("name", "data", "why"), SKIPPED, ids=[row[0] for row in SKIPPED])
def test_what_is_no_utf8_text_is_skipped_with_its_reason(name: str, data: bytes, why: str) -> None:
    decoded = decode(data)
    assert (decoded.text, decoded.skipped) == (None, why)


@pytest.mark.parametrize(("name", "data", "text", "lossy"), READ, ids=[row[0] for row in READ])
def test_utf8_also_slightly_broken_is_read(name: str, data: bytes, text: str, lossy: bool) -> None:
    decoded = decode(data)
    assert decoded.skipped is None
    if text is not None:
        assert decoded.text == text
    assert (decoded.warning is not None) == lossy


@pytest.mark.parametrize(("bad", "skipped"), [(30, None), (31, "not_utf8")])
def test_up_to_thirty_per_cent_of_bad_bytes_are_replaced_and_more_are_skipped(
    bad: int, skipped: str | None
) -> None:
    assert decode(b"\xff" * bad + b"a" * (100 - bad)).skipped == skipped


@given(st.binary(max_size=400))
def test_decoded_text_holds_no_nul_no_surrogate_and_as_many_lines_as_the_bytes(data: bytes) -> None:
    decoded = decode(data)
    if decoded.text is None:
        assert decoded.skipped
        return
    decoded.text.encode()
    assert "\0" not in decoded.text
    assert "\r" not in decoded.text
    assert decoded.text.count("\n") == data.count(b"\n")
