"""Links, pipes and folders where the checkpoint should be: nothing outside is read or written."""

import ctypes
import os
import socket
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import anyio
import pytest

from recalld.continuity.disk import ARCHIVE, COLD, FILE, Workbench, draft_of
from recalld.errors import NotFound, Refused, Unavailable
from recalld.inside import Tree
from support.checkpoint_disk import AT, NEW, OLD, copies_in, live, put, sha_of

FLIPS = 120


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    folder.mkdir()
    return folder


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    folder = tmp_path / "outside"
    folder.mkdir()
    return folder


def files_in(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir() if file.is_file()}


async def test_a_memory_folder_that_leads_out_is_refused_by_its_name(root: Path, outside: Path):
    (root / "memory").symlink_to(outside)
    (outside / "CURRENT_STATE.md").write_bytes(draft_of(OLD).data)
    bench = Workbench(str(root))
    for attempt in (
        bench.read(),
        bench.write(NEW, expected_sha=draft_of(OLD).sha),
        bench.archive(AT),
        bench.copies(),
        bench.prune(AT, keep=1, after_days=1),
    ):
        with pytest.raises(Refused, match=r"^memory(/session_archive)?: is a link that leads out"):
            await attempt
    assert files_in(outside) == {"CURRENT_STATE.md": draft_of(OLD).data}


@pytest.mark.parametrize("exists", [True, False])
async def test_a_file_that_leads_out_is_refused_by_its_name(
    root: Path, outside: Path, exists: bool
):
    (root / "memory").mkdir()
    if exists:
        (outside / "theirs.md").write_bytes(draft_of(OLD).data)
    live(root).symlink_to(outside / "theirs.md")
    bench = Workbench(str(root))
    for sha in (None, draft_of(OLD).sha):
        with pytest.raises(Refused, match=r"memory/CURRENT_STATE\.md: is a link that leads out"):
            await bench.write(NEW, expected_sha=sha)
    with pytest.raises(Refused, match=r"memory/CURRENT_STATE\.md: is a link that leads out"):
        await bench.read()
    assert files_in(outside) == ({"theirs.md": draft_of(OLD).data} if exists else {})


@pytest.mark.parametrize("folder", [ARCHIVE, COLD])
async def test_an_archive_that_leads_out_is_refused(root: Path, outside: Path, folder: str):
    put(root, OLD)
    (root / folder).parent.mkdir(parents=True, exist_ok=True)
    (root / folder).symlink_to(outside)
    (outside / "2026-01-01_00-00-00.md").write_text("theirs")
    bench = Workbench(str(root))
    for attempt in (bench.archive(AT), bench.copies(), bench.prune(AT, keep=1, after_days=1)):
        with pytest.raises(Refused, match=f"{folder}: is a link that leads out"):
            await attempt
    assert files_in(outside) == {"2026-01-01_00-00-00.md": b"theirs"}


async def test_a_link_inside_the_workspace_is_written_through_and_stays_a_link(root: Path):
    state = root / "notes" / "state.md"
    state.parent.mkdir()
    state.write_bytes(draft_of(OLD).data)
    (root / "memory").mkdir()
    live(root).symlink_to("../notes/state.md")
    bench = Workbench(str(root))
    assert await bench.write(NEW, expected_sha=await sha_of(bench)) is not None
    assert live(root).is_symlink()
    assert not state.is_symlink()
    assert state.read_bytes() == draft_of(NEW).data
    assert files_in(root / "notes") == {"state.md": draft_of(NEW).data}


async def test_a_memory_folder_may_be_a_link_to_another_one_inside(root: Path):
    (root / ".agent" / "memory").mkdir(parents=True)
    (root / "memory").symlink_to(".agent/memory")
    bench = Workbench(str(root))
    assert await bench.write(NEW, expected_sha=None) is not None
    assert (root / ".agent/memory/CURRENT_STATE.md").read_bytes() == draft_of(NEW).data
    assert await bench.archive(AT) is not None
    assert list(copies_in(root).values()) == [draft_of(NEW).data]


async def test_a_workspace_may_itself_be_reached_by_a_link(root: Path, tmp_path: Path):
    (tmp_path / "short").symlink_to(root)
    bench = Workbench(str(tmp_path / "short"))
    assert await bench.write(NEW, expected_sha=None) is not None
    assert live(root).read_bytes() == draft_of(NEW).data


async def test_a_link_that_leads_nowhere_inside_is_no_file_and_writing_makes_its_target(root: Path):
    (root / "memory").mkdir()
    live(root).symlink_to("later/state.md")
    bench = Workbench(str(root))
    assert await bench.read() is None
    assert await bench.write(NEW, expected_sha=None) is not None
    assert (root / "memory/later/state.md").read_bytes() == draft_of(NEW).data


@pytest.mark.parametrize("name", ["memory", "memory/CURRENT_STATE.md"])
async def test_a_link_to_itself_is_refused(root: Path, name: str):
    (root / name).parent.mkdir(exist_ok=True)
    (root / name).symlink_to(Path(name).name)
    bench = Workbench(str(root))
    for attempt in (bench.read(), bench.write(NEW, expected_sha=None)):
        with pytest.raises(Refused, match="memory"):
            await attempt


def _pipe(path: Path) -> None:
    os.mkfifo(path)


def _folder(path: Path) -> None:
    path.mkdir()


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(path))


@pytest.mark.parametrize("make", [_pipe, _folder, _socket])
async def test_what_is_no_file_is_refused_at_once_and_stays(root: Path, make):
    (root / "memory").mkdir()
    make(live(root))
    bench = Workbench(str(root))
    kind = live(root).lstat().st_mode
    with anyio.fail_after(5):
        for attempt in (
            bench.read(),
            bench.write(NEW, expected_sha=None),
            bench.archive(AT),
        ):
            with pytest.raises(Refused, match=r"memory/CURRENT_STATE\.md: is not a regular file"):
                await attempt
    assert live(root).lstat().st_mode == kind


@pytest.mark.parametrize("make", [_pipe, Path.touch])
async def test_a_memory_that_is_no_folder_is_refused_at_once(root: Path, make):
    make(root / "memory")
    bench = Workbench(str(root))
    with anyio.fail_after(5):
        for attempt in (bench.read(), bench.write(NEW, expected_sha=None), bench.archive(AT)):
            with pytest.raises(Refused, match=r"memory/CURRENT_STATE\.md: is no folder"):
                await attempt


class LateSwap(Tree):
    """A tree whose ``memory`` becomes a link to ``outside`` once it was found to be inside."""

    def _inside(self, path: str) -> str:
        real = super()._inside(path)
        memory = Path(self.root, "memory")
        if not memory.is_symlink() and path == FILE:
            memory.rename(memory.with_name("parked"))
            memory.symlink_to(Path(self.root).parent / "outside")
        return real


def test_a_link_that_comes_after_the_look_at_the_links_is_not_followed(root: Path, outside: Path):
    (outside / "CURRENT_STATE.md").write_bytes(b"secret")
    put(root, OLD)
    tree = LateSwap(root=str(root))
    with pytest.raises(Refused, match="is no folder, or a link"):
        tree.read(FILE, max_bytes=99)
    (root / "memory").unlink()
    (root / "parked").rename(root / "memory")
    with pytest.raises(Refused, match="is no folder, or a link"), tree.writing(FILE):
        pytest.fail("this place is outside")
    assert files_in(outside) == {"CURRENT_STATE.md": b"secret"}


@contextmanager
def changing_places(one: Path, other: Path) -> Iterator[None]:
    """Another thread exchanges the two names, neither ever missing, until the block ends."""
    libc, done = ctypes.CDLL(None, use_errno=True), threading.Event()
    if not hasattr(libc, "renameat2"):
        pytest.skip("this C library cannot exchange two names")

    def flip() -> None:
        here, exchange = -100, 2
        while not done.is_set():
            libc.renameat2(here, os.fsencode(one), here, os.fsencode(other), exchange)

    flipping = threading.Thread(target=flip)
    flipping.start()
    try:
        yield
    finally:
        done.set()
        flipping.join()


async def test_a_folder_swapped_for_a_link_meanwhile_never_leads_a_write_out(
    root: Path, outside: Path
):
    put(root, OLD)
    (outside / "CURRENT_STATE.md").write_bytes(draft_of(OLD).data)
    (root / "link").symlink_to(outside)
    outcomes: Counter[str | None] = Counter()
    with changing_places(root / "memory", root / "link"):
        while outcomes.total() < FLIPS or outcomes["wrote"] == 0:
            bench = Workbench(str(root))
            try:
                wrote = await bench.write(NEW, expected_sha=draft_of(OLD).sha)
                if wrote is not None:
                    await bench.write(OLD, expected_sha=draft_of(NEW).sha)
                outcomes["conflict" if wrote is None else "wrote"] += 1
            except (Refused, Unavailable) as fault:
                outcomes[type(fault).__name__] += 1
            assert files_in(outside) == {"CURRENT_STATE.md": draft_of(OLD).data}
            for folder in (root / "memory", root / "link"):
                if not folder.is_symlink():
                    (folder / "CURRENT_STATE.md").write_bytes(draft_of(OLD).data)


async def test_a_folder_swapped_for_a_link_meanwhile_never_leads_a_reading_out(
    root: Path, outside: Path
):
    put(root, OLD)
    (outside / "CURRENT_STATE.md").write_bytes(draft_of(NEW).data)
    (root / "link").symlink_to(outside)
    outcomes: Counter[str | None] = Counter()
    bench = Workbench(str(root))
    with changing_places(root / "memory", root / "link"):
        while outcomes.total() < FLIPS or len(outcomes) < 2:
            try:
                outcomes[await sha_of(bench)] += 1
            except (Refused, Unavailable) as fault:
                outcomes[type(fault).__name__] += 1
    assert set(outcomes) <= {draft_of(OLD).sha, "Refused", "Unavailable"}


@pytest.mark.parametrize(
    "name",
    [
        *("../x", "../CURRENT_STATE.md", "../../secret.md", "cold/2026-03-01_10-00-05.md"),
        *("/etc/passwd", "", ".", "..", "a\0b", "2026-03-01_10-00-05.md\0", "x" * 5_000),
        *("./2026-03-01_10-00-05.md", "2026-03-01_10-00-05", "2026-03-01_10-00-06.md", "*"),
        *("2026-03-01_10-00-05.MD", "notes.md", "\ud800"),
    ],
)
async def test_only_what_the_listing_names_is_read_c6_8(root: Path, name: str):
    put(root, OLD)
    (root.parent / "secret.md").write_text("secret")
    bench = Workbench(str(root))
    assert await bench.archive(AT) == "memory/session_archive/2026-03-01_10-00-05.md"
    (root / ARCHIVE / "notes.md").write_text("mine")
    with pytest.raises(NotFound):
        await bench.read_copy(name)
    assert (await bench.read_copy("2026-03-01_10-00-05.md")).parsed.checkpoint == OLD
