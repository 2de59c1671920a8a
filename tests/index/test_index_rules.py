"""Which files are indexed, as what, and in which workspace."""

from dataclasses import dataclass, replace
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pathspec import GitIgnoreSpec

from recalld.errors import BadConfig
from recalld.index.ignore import RESERVED, Level, Rules, trace_paths
from recalld.index.lexical import head_tokens, lexical_rows
from recalld.index.model import Chunk, Dirty, Document, KnownFile, Stamp, Workspace
from recalld.index.names import is_below, label_of
from recalld.index.plan import plan_of, prefixes_of
from recalld.index.policy import IndexPolicy
from recalld.index.prepare import uid_of
from recalld.index.scan_model import Seen, Walk
from recalld.index.source import sources_of
from recalld.index.workspaces import expand, inner_roots, resolve
from recalld.search.model import Source


def rules(
    *,
    ignore: tuple[str, ...] = (),
    never: tuple[str, ...] = RESERVED,
    workspace: Workspace | None = None,
) -> Rules:
    return Rules(
        include=GitIgnoreSpec.from_lines(IndexPolicy().include),
        ignore=GitIgnoreSpec.from_lines(ignore),
        never=never,
        sources=sources_of(workspace or Workspace(root="/w")),
    )


TAKEN = ["a.md", "memory/2024-05-01.md", "docs/x.markdown", "a/b/c/d.mdx"]
LEFT = [
    "a.txt", "a.md~", "#a.md#", ".#a.md", ".a.md.swp", "a.md.tmp", "~$a.md", "._a.md",
    ".goutputstream-XYZ.md", ".env", ".env.md", "id_rsa.md", "memory/CURRENT_STATE.md",
    "memory/session_archive/2024-05-01_10-00.md", "memory/recall-traces.jsonl",
]  # fmt: skip
FOLDERS_LEFT = [".git", "a/node_modules", ".venv", "memory/session_archive", ".ssh", ".gnupg"]


@pytest.mark.parametrize("path", TAKEN)
def test_markdown_is_indexed(path: str) -> None:
    assert rules().takes(path, Level())


@pytest.mark.parametrize("path", LEFT)
def test_temporaries_keys_and_what_continuity_owns_are_left_alone(path: str) -> None:
    assert not rules(never=(*RESERVED, *trace_paths("memory/recall-traces.jsonl", 3))).takes(
        path, Level()
    )


@pytest.mark.parametrize("path", FOLDERS_LEFT)
def test_folders_that_are_not_memory_are_not_entered(path: str) -> None:
    assert not rules().enters(path, Level())


def test_a_trace_file_that_looks_like_markdown_is_left_alone_with_its_rotations() -> None:
    never = trace_paths("memory/trace.md", 2)
    assert never == ("memory/trace.md", "memory/trace.md.1", "memory/trace.md.2")
    assert not rules(never=never).takes("memory/trace.md", Level())


def test_the_deepest_gitignore_that_says_something_wins() -> None:
    some = rules()
    top = some.below(Level(), "", "*.md\n!keep.md\n[bad\nbuild/\n")
    deep = some.below(top, "docs", "!a.md\n")
    assert not some.takes("x.md", top)
    assert some.takes("keep.md", top)
    assert some.takes("docs/a.md", deep)
    assert not some.takes("docs/b.md", deep)
    assert not some.enters("build", top)
    assert some.below(top, "x", None) is top


def test_the_users_patterns_are_asked_before_gitignore_files_and_can_take_back() -> None:
    some = rules(ignore=("drafts/", "!private.md"))
    top = some.below(Level(), "", "private.md\n")
    assert some.takes("private.md", top)
    assert not some.enters("drafts", top)


def test_a_users_glob_never_brings_back_a_key_file() -> None:
    named = Workspace(root="/w", documents=("*.pem", "*.txt"))
    assert not rules(workspace=named).takes("a.pem", Level())
    assert rules(workspace=named).takes("a.txt", Level())


def test_events_about_ignored_names_are_not_worth_a_look() -> None:
    some = rules()
    assert some.may_matter("a/b.md")
    assert some.may_matter("a/.gitignore")
    assert some.may_matter("a folder")
    assert not some.may_matter("a/.git/index")
    assert not some.may_matter("a.md~")
    assert not some.may_matter("memory/CURRENT_STATE.md")


SOURCES = [
    ("MEMORY.md", Source.MEMORY),
    ("USER.md", Source.MEMORY),
    ("memory/a/b.md", Source.MEMORY),
    ("wiki/a.md", Source.WIKI),
    ("docs/MEMORY.md", Source.DOCUMENTS),
    ("docs/memory/a.md", Source.DOCUMENTS),
    ("README.md", Source.DOCUMENTS),
]


@pytest.mark.parametrize(("path", "source"), SOURCES)
def test_a_source_is_decided_by_the_path(path: str, source: Source) -> None:
    assert sources_of(Workspace(root="/w")).of(path) is source


def test_the_users_globs_decide_before_the_usual_paths() -> None:
    own = sources_of(
        Workspace(root="/w", memory=("journal/**",), wiki=("*.wiki.md", "journal/w.md"))
    )
    assert own.of("journal/a.md") is Source.MEMORY
    assert own.of("journal/w.md") is Source.MEMORY
    assert own.of("memory/a.wiki.md") is Source.WIKI
    assert own.of("memory/a.md") is Source.MEMORY


@dataclass(frozen=True)
class Table:
    path: str
    memory: tuple[str, ...] = ()
    wiki: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()


def expanded(*entries: str | Table) -> tuple[Workspace, ...]:
    folders = {"/home/u/code/*": ["/home/u/code/b", "/home/u/code/a"]}
    return expand(
        entries,
        home="/home/u",
        list_folders=lambda pattern: folders.get(pattern, []),
        real_path=lambda path: path.replace("/link", "/real"),
    )


def test_paths_and_globs_become_workspaces_each_root_once() -> None:
    found = expanded("~/notes/", "~/code/*", Table("/home/u/code/a", memory=("x/**",)), "/link")
    assert [w.root for w in found] == ["/home/u/notes", "/home/u/code/a", "/home/u/code/b", "/real"]
    assert found[1].memory == ()


def test_a_table_gives_its_globs_to_every_folder_it_names() -> None:
    found = expanded(Table("~/code/*", wiki=("w/**",)))
    assert [(w.root, w.wiki) for w in found] == [
        ("/home/u/code/a", ("w/**",)),
        ("/home/u/code/b", ("w/**",)),
    ]


@pytest.mark.parametrize(
    "entry", ["notes", "", "~other/x", "/a\0b", "/a\udcff", Table("/a", wiki=("!",))]
)
def test_a_workspace_that_is_none_is_refused_with_its_key(entry: str | Table) -> None:
    with pytest.raises(BadConfig, match="workspaces"):
        expanded(entry)


def test_a_path_belongs_to_the_nearest_workspace_above_it() -> None:
    a, b, top = Workspace(root="/a"), Workspace(root="/a/b"), Workspace(root="/")
    assert resolve("/a/b", (a, b)) is b
    assert resolve("/a/b/c", (a, b)) is b
    assert resolve("/a/bc", (a, b)) is a
    assert resolve("/ab", (a, b)) is None
    assert resolve("/ab", (a, b, top)) is top
    assert inner_roots(a, (a, b, top)) == ("b",)
    assert inner_roots(top, (a, b, top)) == ("a", "a/b")


@pytest.mark.parametrize("key", ["include", "ignore"])
def test_a_pattern_that_is_none_is_refused_with_its_key(key: str) -> None:
    with pytest.raises(msgspec.ValidationError, match=f"index.{key}: '!'"):
        msgspec.convert({key: ["*.md", "!"]}, IndexPolicy)


LABELS = [
    (b"a.md", "a.md"),
    ("é.md".encode(), "é.md"),
    ("e\u0301.md".encode(), "e\u0301.md"),
    (b"bad\xff.md", "bad\\xff.md"),
    (b"a\nb.md", "a\\nb.md"),
    ("a\u202eb.md".encode(), "a\\u202eb.md"),
    ("a\u2028b\x1b.md".encode(), "a\\u2028b\\x1b.md"),
]


@pytest.mark.parametrize(("name", "label"), LABELS)
def test_a_label_is_one_printable_line(name: bytes, label: str) -> None:
    assert label_of(name) == label


@given(st.binary(max_size=60))
def test_any_name_has_a_label_that_can_be_stored(name: bytes) -> None:
    label = label_of(name)
    label.encode()
    assert label.isascii() or len(label.splitlines()) <= 1
    assert "\n" not in label
    assert "\0" not in label


def test_below_is_by_whole_names() -> None:
    assert is_below("a/b", "a")
    assert is_below("a", "a")
    assert not is_below("ab", "a")
    assert is_below("x", "")


def test_of_nested_places_only_the_outer_is_looked_at() -> None:
    assert prefixes_of(Dirty(paths={"a", "a/b", "ab", "c/d"})) == ("a", "ab", "c/d")
    assert prefixes_of(Dirty(paths={"a", ""})) is None
    assert prefixes_of(Dirty(everything=True, paths={"a"})) is None


def seen(path: str, *, size: int = 1, mtime_ns: int = 1) -> Seen:
    stamp = Stamp(size=size, mtime_ns=mtime_ns, inode=1)
    return Seen(path=path, name=path.encode(), stamp=stamp, device=1, links=1)


def known(*paths: str) -> dict[str, KnownFile]:
    stamp = Stamp(size=1, mtime_ns=1, inode=1)
    return {
        path: KnownFile(
            id=at, path=path, source=Source.MEMORY, sha256=b"", stamp=stamp, skipped=None
        )
        for at, path in enumerate(paths)
    }


def test_what_kept_its_stamp_is_read_only_when_it_was_named() -> None:
    walk = Walk(files=(seen("a"), seen("b"), seen("c", mtime_ns=2), seen("new")))
    rows = known("a", "b", "c")
    plan = plan_of(walk, rows, named=frozenset({"b"}), anew=False)
    assert [file.path for file in plan.read] == ["b", "c", "new"]
    assert not plan.suspicious
    assert len(plan_of(walk, rows, named=frozenset(), anew=True).read) == 4


def test_rows_below_a_folder_that_could_not_be_listed_are_kept() -> None:
    plan = plan_of(Walk(unknown=("x",)), known("x/a", "y/a"), named=frozenset(), anew=False)
    assert [row.path for row in plan.gone] == ["y/a"]
    assert plan.suspicious


def test_a_file_that_became_empty_is_looked_at_twice() -> None:
    plan = plan_of(Walk(files=(seen("a", size=0),)), known("a"), named=frozenset(), anew=False)
    assert plan.suspicious
    assert [file.path for file in plan.read] == ["a"]


def chunk(text: str, **values: Any) -> Chunk:
    return replace(Chunk(heading="", text=text, start_line=1, end_line=1), **values)


def test_a_turn_is_headed_by_its_speaker_and_a_section_by_path_and_title() -> None:
    turn = chunk("hi", speaker="Caroline", date="2023-05-08T13:56")
    assert head_tokens(turn, path="memory/s1.md", title="T") == [
        "carolin", "zzd0508", "zzm05", "zzy2023",
    ]  # fmt: skip
    assert head_tokens(chunk("hi", speaker="user"), path="a.md", title="T") == []
    section = chunk("hi", heading="Setup")
    assert head_tokens(section, path="web/index.md", title="Web") == ["web", "index", "web"]
    rest = chunk("hi", heading="Setup", continues=True)
    assert head_tokens(rest, path="web/index.md", title="Web")[-1] == "setup"


def test_neighbours_are_the_nearest_words_and_pass_over_what_is_bare() -> None:
    long = " ".join(f"w{n}x" for n in range(50))
    document = Document(
        title="", date=None, chunks=(chunk(long), chunk("## Al", bare=True), chunk("last word"))
    )
    first, bare, last = lexical_rows("a.md", document)
    assert (bare.own, bare.prev, bare.next, bare.head) == ("", "", "", "")
    assert first.next == last.own
    assert last.prev.split() == first.own.split()[-32:]
    assert (first.prev, last.next) == ("", "")


def test_a_uid_tells_place_heading_text_and_repeat_apart() -> None:
    one = chunk("a", heading="h")
    uids = {
        uid_of("p", one, 1),
        uid_of("p", one, 2),
        uid_of("q", one, 1),
        uid_of("p", chunk("a", heading="i"), 1),
        uid_of("p", chunk("b", heading="h"), 1),
    }
    assert len(uids) == 5
    assert uid_of("p", chunk("a", heading="h", start_line=9, end_line=9), 1) == uid_of("p", one, 1)


@pytest.mark.parametrize(
    ("globs", "ignore", "entered"),
    [
        ((), (), []),
        ((".notes/**",), (), [".notes"]),
        (("a/.no*/*.md",), (), [".notes"]),
        (("notes/**",), (), []),
        ((), ("!.obsidian/",), [".obsidian"]),
        ((".git/**", ".obsidian/*.md"), (), [".obsidian"]),
    ],
)
def test_a_hidden_folder_is_entered_only_where_the_user_names_it(
    globs: tuple[str, ...], ignore: tuple[str, ...], entered: list[str]
) -> None:
    for workspace in (Workspace(root="/w", memory=globs), Workspace(root="/w", wiki=globs)):
        found = rules(ignore=ignore, workspace=workspace)
        hidden = [".notes", ".obsidian", ".git", "deep/.hidden"]
        assert [path for path in hidden if found.enters(path, Level())] == entered
    included = replace(rules(ignore=ignore), include=GitIgnoreSpec.from_lines(["*.md", *globs]))
    assert [path for path in hidden if included.enters(path, Level())] == entered
