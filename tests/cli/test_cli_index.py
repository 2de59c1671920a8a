"""What the progress bar of a long sync counts."""

import pytest

from recalld.cli.index import measured


@pytest.mark.parametrize(
    ("workspaces", "shown"),
    [
        ([], ("chunks", 0, 0)),
        ([{"reading": {"done": 2, "total": 9}, "chunks": 5, "vectors": 1}], ("files", 2, 9)),
        ([{"reading": {"done": 9, "total": 9}, "chunks": 50, "vectors": 10}], ("chunks", 10, 50)),
        (
            [
                {"reading": {"done": 9, "total": 9}, "chunks": 50, "vectors": 50},
                {"reading": {"done": 1, "total": 3}, "chunks": 4, "vectors": 0},
            ],
            ("files", 10, 12),
        ),
        ([{"chunks": 3, "vectors": None}, "nonsense"], ("chunks", 0, 3)),
    ],
)
def test_files_are_counted_while_they_are_read_and_then_chunks(
    workspaces: list[object], shown: tuple[str, int, int]
):
    assert measured({"workspaces": workspaces}) == shown
