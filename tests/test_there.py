"""A path that cannot be looked at is an answer, not an exception."""

from pathlib import Path

import pytest

from recalld.there import is_file, is_folder, is_missing


@pytest.fixture
def places(tmp_path: Path) -> dict[str, Path]:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("x", encoding="utf-8")
    (tmp_path / "link").symlink_to("folder")
    (tmp_path / "dangling").symlink_to("nowhere")
    names = ("folder", "file", "link", "dangling", "nothing", "file/below", "a" * 300)
    return {name[:20]: tmp_path / name for name in names}


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("folder", (True, False, False)),
        ("link", (True, False, False)),
        ("file", (False, True, False)),
        ("dangling", (False, False, True)),
        ("nothing", (False, False, True)),
        ("file/below", (False, False, True)),
        # As little can be told of a folder that may not be searched.
        ("a" * 20, (False, False, False)),
    ],
)
def test_what_is_there_is_told_of_every_path(places, name: str, said: tuple[bool, bool, bool]):
    for path in (places[name], str(places[name])):
        assert (is_folder(path), is_file(path), is_missing(path)) == said
