"""The disk as the scan sees it."""

import os
import socket
import threading
from pathlib import Path

import pytest
from pathspec import GitIgnoreSpec

from recalld.index import scan
from recalld.index.ignore import RESERVED, Rules
from recalld.index.model import Stamp, Workspace
from recalld.index.scan_model import Content, Seen
from recalld.index.source import sources_of

RULES = Rules(
    include=GitIgnoreSpec.from_lines(["*.md"]),
    ignore=GitIgnoreSpec.from_lines([]),
    never=RESERVED,
    sources=sources_of(Workspace(root="/")),
)


def write(root: Path, path: str, text: str = "x") -> None:
    target = root / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text)


def paths(root: Path, *prefixes: str) -> list[str]:
    return [f.path for f in scan.walk(str(root), RULES, prefixes=prefixes or None).files]


def reasons(root: Path) -> dict[str, str]:
    return {skip.path: skip.why for skip in scan.walk(str(root), RULES).skipped}


def content(root: Path, path: str) -> Content:
    (file,) = [f for f in scan.walk(str(root), RULES).files if f.path == path]
    return scan.read(str(root), file, max_bytes=1_000)


def test_a_walk_finds_what_the_rules_take_in_order(tmp_path: Path) -> None:
    for path in ("b.md", "a/x.md", "a/.git/y.md", "a.txt", "a/deep/er/z.md"):
        write(tmp_path, path)
    write(tmp_path, "a/deep/.gitignore", "er/\n")
    assert paths(tmp_path) == ["a/x.md", "b.md"]


def test_a_partial_walk_sees_what_a_whole_one_sees_there(tmp_path: Path) -> None:
    for path in ("a/x.md", "a/b/y.md", "a/b/no.md", "c.md", "node_modules/m.md"):
        write(tmp_path, path)
    write(tmp_path, "a/.gitignore", "no.md\n")
    assert paths(tmp_path, "a/b") == ["a/b/y.md"]
    assert paths(tmp_path, "a/b/no.md") == []
    assert paths(tmp_path, "c.md", "a/x.md") == ["a/x.md", "c.md"]
    assert paths(tmp_path, "node_modules/m.md") == []
    assert paths(tmp_path, "gone/x.md", "c.md/below.md") == []


def test_links_are_never_followed_and_loops_end(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    write(outside, "secret.md")
    root = tmp_path / "w"
    write(root, "memory/x.md")
    (root / "loop").symlink_to(".")
    (root / "old").symlink_to("memory")
    (root / "out").symlink_to(outside)
    (root / "notes.md").symlink_to("memory/x.md")
    (root / "dangling.md").symlink_to("nowhere")
    assert paths(root) == ["memory/x.md"]
    assert paths(root, "out/secret.md", "old/x.md", "notes.md") == []
    folders = dict.fromkeys(("loop", "old", "out"), "symlink to a folder")
    assert reasons(root) == {"notes.md": "symlink", "dangling.md": "symlink", **folders}


def test_links_that_lead_to_no_folder_or_are_left_out_anyway_are_not_told(tmp_path: Path) -> None:
    write(tmp_path, "data.csv")
    write(tmp_path, "sub/x.md")
    (tmp_path / "table").symlink_to("data.csv")
    (tmp_path / "self").symlink_to("self")
    (tmp_path / "gone").symlink_to("nowhere")
    (tmp_path / ".hidden").symlink_to("sub")
    (tmp_path / "node_modules").symlink_to("sub")
    assert reasons(tmp_path) == {}


def test_a_hidden_folder_is_not_walked_and_a_hidden_file_is(tmp_path: Path) -> None:
    for path in (".obsidian/a.md", "x/.trash/b.md", "x/.c.md", "d.md"):
        write(tmp_path, path)
    assert paths(tmp_path) == ["d.md", "x/.c.md"]
    assert paths(tmp_path, ".obsidian/a.md", "x/.trash", "x/.c.md") == ["x/.c.md"]


def test_a_root_that_is_a_link_or_missing_has_no_files(tmp_path: Path) -> None:
    write(tmp_path, "w/a.md")
    (tmp_path / "link").symlink_to("w")
    assert scan.walk(str(tmp_path / "link"), RULES).root_missing
    assert scan.walk(str(tmp_path / "none"), RULES).root_missing
    assert scan.root_identity(str(tmp_path / "link")) is None
    assert scan.root_identity(str(tmp_path / "w")) is not None


def test_a_file_with_two_names_is_seen_once_under_the_first(tmp_path: Path) -> None:
    write(tmp_path, "b.md")
    os.link(tmp_path / "b.md", tmp_path / "a.md")
    walk = scan.walk(str(tmp_path), RULES)
    assert [f.path for f in walk.files] == ["a.md"]
    assert walk.linked
    assert reasons(tmp_path) == {"b.md": "same file as a.md"}


def test_what_is_no_file_is_named_and_never_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "sock.md"))
    (tmp_path / "folder.md").mkdir()
    assert reasons(tmp_path) == {"pipe.md": "fifo", "sock.md": "socket"}
    assert paths(tmp_path) == []


def test_a_fifo_swapped_in_before_the_read_blocks_nobody(tmp_path: Path) -> None:
    write(tmp_path, "a.md")
    (file,) = scan.walk(str(tmp_path), RULES).files
    (tmp_path / "a.md").unlink()
    os.mkfifo(tmp_path / "a.md")
    assert scan.read(str(tmp_path), file, max_bytes=10).skipped == "not a regular file"


def test_a_link_swapped_in_before_the_read_leads_nowhere(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    write(secret, "a.md", "secret")
    root = tmp_path / "w"
    write(root, "d/a.md")
    (file,) = scan.walk(str(root), RULES).files
    (root / "d").rename(root / "e")
    (root / "d").symlink_to(secret)
    got = scan.read(str(root), file, max_bytes=10)
    assert (got.data, got.skipped) == (None, None)


def test_too_large_a_file_is_not_read_even_when_it_is_all_hole(tmp_path: Path) -> None:
    write(tmp_path, "big.md")
    os.truncate(tmp_path / "big.md", 10 << 30)
    got = content(tmp_path, "big.md")
    assert (got.data, got.skipped) == (None, "too_large")


def test_a_name_that_is_no_text_is_labelled_and_read(tmp_path: Path) -> None:
    for name in (b"bad\xff.md", b"two\nlines.md", b"n" * 252 + b".md"):
        Path(os.fsdecode(bytes(tmp_path) + b"/" + name)).write_text("plan")
    assert paths(tmp_path) == ["bad\\xff.md", "n" * 252 + ".md", "two\\nlines.md"]
    assert content(tmp_path, "bad\\xff.md").data == b"plan"
    assert paths(tmp_path, os.fsdecode(b"bad\xff.md")) == ["bad\\xff.md"]


def test_names_with_one_label_are_indexed_once(tmp_path: Path) -> None:
    for name in (b"bad\xff.md", b"bad\\xff.md"):
        Path(os.fsdecode(bytes(tmp_path) + b"/" + name)).write_text("plan")
    assert paths(tmp_path) == ["bad\\xff.md"]
    assert list(reasons(tmp_path).values()) == ["another file has the same label"]


def test_unicode_twins_are_two_files(tmp_path: Path) -> None:
    write(tmp_path, "é.md")
    write(tmp_path, "e\u0301.md")
    assert len(paths(tmp_path)) == 2


def test_too_deep_a_tree_ends_with_a_reason(tmp_path: Path) -> None:
    deep = "/".join(["d"] * (scan.MAX_DEPTH + 2))
    write(tmp_path, f"{deep}/a.md")
    write(tmp_path, "a.md")
    assert paths(tmp_path) == ["a.md"]
    assert list(reasons(tmp_path).values()) == ["too deep"]


def test_a_file_that_grows_while_it_is_read_is_said_to_be_unsettled(tmp_path: Path) -> None:
    write(tmp_path, "a.md")
    (file,) = scan.walk(str(tmp_path), RULES).files
    done = threading.Event()

    def grow() -> None:
        with (tmp_path / "a.md").open("a") as out:
            while not done.is_set() and out.tell() < 50_000_000:
                out.write("x")
                out.flush()

    writer = threading.Thread(target=grow)
    writer.start()
    try:
        seen = [scan.read(str(tmp_path), file, max_bytes=1 << 30) for _ in range(20)]
    finally:
        done.set()
        writer.join()
    for got in seen:
        assert got.data is not None
        assert len(got.data) == got.stamp.size or not got.settled
    last = scan.read(str(tmp_path), file, max_bytes=1 << 30)
    assert last.settled
    assert last.data == (tmp_path / "a.md").read_bytes()


def test_a_fresh_stamp_is_stored_so_that_the_next_look_reads_again(tmp_path: Path) -> None:
    write(tmp_path, "a.md")
    (file,) = scan.walk(str(tmp_path), RULES).files
    assert content(tmp_path, "a.md").stamp != file.stamp
    os.utime(tmp_path / "a.md", ns=(10**18, 10**18))
    (file,) = scan.walk(str(tmp_path), RULES).files
    assert content(tmp_path, "a.md").stamp == file.stamp


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_an_unreadable_file_is_named_and_tried_again(tmp_path: Path) -> None:
    write(tmp_path, "a.md")
    (tmp_path / "a.md").chmod(0)
    got = content(tmp_path, "a.md")
    assert got.skipped == "unreadable"
    assert got.stamp.mtime_ns == -1


def test_a_file_that_is_gone_is_neither_read_nor_skipped(tmp_path: Path) -> None:
    stamp = Stamp(size=1, mtime_ns=1, inode=1)
    gone = Seen(path="a/b.md", name=b"a/b.md", stamp=stamp, device=1, links=1)
    got = scan.read(str(tmp_path), gone, max_bytes=10)
    assert (got.data, got.skipped) == (None, None)
