"""What may not be written is refused before anything is, also to those who are not root."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from recalld import atomic
from recalld.errors import Refused
from recalld.install import disk, flow
from support.install_home import ALL_TARGETS, JSON_TARGETS, RICH, Home, laid, snapshot

NOBODY = 65_534


@contextmanager
def unprivileged() -> Iterator[None]:
    """The rights of nobody, where the tests run as root: root may write anywhere."""
    if os.geteuid() != 0:
        yield
        return
    os.setegid(NOBODY)
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(0)


@pytest.fixture
def home() -> Iterator[Home]:
    """A home that nobody can reach: pytest's own folders are closed to others."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        if os.geteuid() == 0:
            os.chown(root, NOBODY, NOBODY)
        yield Home(root=root)
        for path in root.rglob("*"):
            if path.is_dir():
                path.chmod(0o700)


@pytest.mark.parametrize("name", ALL_TARGETS)
@pytest.mark.parametrize("there", [True, False])
def test_a_read_only_folder_is_refused_by_name(home: Home, name: str, there: bool):
    file = home.settings(name)
    with unprivileged():
        if there:
            laid(home, name, RICH[name])
        else:
            file.parent.mkdir(parents=True)
        file.parent.chmod(0o555)
        before = snapshot(file.parent)
        with pytest.raises(Refused, match=f"the folder {file.parent} is read-only; nothing was"):
            home.run(name)
    assert snapshot(file.parent) == before
    assert home.records.load(file) is None


@pytest.mark.parametrize("name", JSON_TARGETS)
def test_a_folder_that_became_read_only_keeps_us_and_its_record(home: Home, name: str):
    with unprivileged():
        file = laid(home, name, RICH[name])
        home.run(name)
        file.parent.chmod(0o555)
        before = snapshot(home.root)
        with pytest.raises(Refused, match="is read-only"):
            home.run(name, uninstall=True)
    assert snapshot(home.root) == before


def test_a_home_that_may_not_get_a_folder_is_refused(home: Home):
    with unprivileged():
        (home.root / "state").mkdir()
        home.root.chmod(0o555)
        with pytest.raises(Refused, match=f"the folder {home.root} is read-only"):
            home.run("claude-code")
    home.root.chmod(0o700)
    assert list((home.root / "state" / "install").iterdir()) == []


def test_records_that_cannot_be_kept_stop_it(home: Home):
    with unprivileged():
        file = laid(home, "codex", RICH["codex"])
        (home.root / "state").mkdir(mode=0o555)
        with pytest.raises(Refused, match=r"state/install: permission denied; nothing was changed"):
            home.run("codex")
    assert file.read_text(encoding="utf-8") == RICH["codex"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_a_file_of_another_user_is_refused(home: Home):
    file = laid(home, "codex", RICH["codex"])
    os.chown(file, NOBODY, NOBODY)
    with pytest.raises(Refused, match="belongs to another user"):
        home.run("codex")
    file.chmod(0o600)
    os.chown(file, 0, 0)
    with unprivileged(), pytest.raises(Refused, match="permission denied"):
        home.run("codex")


class Full(atomic.Disk):
    """A disk that runs full at the first byte."""

    def write(self, file: int, data: bytes) -> int:
        del file, data
        raise OSError(28, "No space left on device")


class Shaky(atomic.Disk):
    """A disk that does everything and then cannot sync the folder."""

    def sync_folder(self, folder: int) -> None:
        del folder
        raise OSError(5, "Input/output error")


def run_on(home: Home, files: atomic.Disk, *, uninstall: bool = False) -> None:
    flow.run(
        home.target("claude-code"),
        home.records,
        uninstall=uninstall,
        dry_run=False,
        show=lambda steps: None,
        files=files,
    )


@pytest.mark.parametrize("there", [True, False])
def test_a_full_disk_changes_nothing(home: Home, there: bool):
    if there:
        laid(home, "claude-code", RICH["claude-code"])
    before = snapshot(home.root)
    with pytest.raises(Refused, match="no space left on device; nothing was changed"):
        run_on(home, Full())
    assert {n: f for n, f in snapshot(home.root).items() if not n.startswith("state")} == before
    assert list((home.root / "state" / "install").iterdir()) == []


def test_a_file_that_is_in_place_is_installed_whatever_the_last_sync_says(home: Home):
    file = laid(home, "claude-code", RICH["claude-code"])
    run_on(home, Shaky())
    assert home.records.load(file) is not None
    run_on(home, Shaky(), uninstall=True)
    assert file.read_text(encoding="utf-8") == RICH["claude-code"]
    assert home.records.load(file) is None


def test_two_at_once_do_not_meet(home: Home):
    with (
        home.records.locked(),
        pytest.raises(Refused, match="another 'recalld install' is running"),
    ):
        home.run("codex")
    assert disk.read(str(home.settings("codex"))).data is None


def test_the_folder_of_the_records_and_the_one_it_lies_in_are_the_users_alone(home: Home):
    old = os.umask(0o022)
    try:
        home.run("claude-code")
    finally:
        os.umask(old)
    state = home.root / "state"
    for folder in (state, state / "install"):
        assert folder.stat().st_mode & 0o777 == 0o700
