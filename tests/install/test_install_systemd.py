"""The units run this installation's recalld, and systemd accepts them."""

import os
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from recalld.errors import Refused
from recalld.install.flow import Change, run
from recalld.install.model import Place
from recalld.install.targets import systemd
from support.install_home import UNITS, Home


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(root=tmp_path)


def units(place: Place) -> dict[str, str]:
    """What would be installed, by file name."""
    found = {}
    for managed in systemd.target(place).files:
        text = managed.put(None).text
        assert text is not None
        found[Path(managed.path).name] = text
    return found


@pytest.mark.parametrize("folder", ["plain", "with space", "50%", "中文", "a$b", "a;b"])
def test_the_units_verify_without_a_finding(home: Home, folder: str):
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        pytest.skip("systemd-analyze is not installed")
    program = home.root / folder / "recalld"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n", encoding="utf-8")
    program.chmod(0o755)
    files = []
    for name, text in units(replace(home.place(), recalld=str(program))).items():
        files.append(home.root / name)
        files[-1].write_text(text, encoding="utf-8")
    check = subprocess.run(
        [analyze, "--user", "verify", "--recursive-errors=no", "--man=no", *map(str, files)],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"XDG_RUNTIME_DIR": str(home.root)},
    )
    assert (check.returncode, check.stderr) == (0, "")


@pytest.mark.parametrize("folder", ["it's", 'a"b', "a\\b", "a\nb"])
def test_a_program_that_systemd_would_not_run_is_refused(home: Home, folder: str):
    with pytest.raises(Refused, match="systemd runs no program of this name"):
        units(replace(home.place(), recalld=f"/{folder}/recalld"))


def test_but_for_the_program_the_units_are_those_of_the_repository(home: Home):
    found = units(home.place())
    assert set(found) == {path.name for path in UNITS.iterdir()}
    for name, text in found.items():
        shipped = (UNITS / name).read_text(encoding="utf-8").split("\n")
        differing = [line for line in text.split("\n") if line not in shipped]
        start = 'ExecStart="/opt/rec alld/bin/recalld" serve'
        assert differing == ([start] if name.endswith(".service") else [])


def test_a_unit_of_ours_that_nobody_touched_is_renewed_as_a_whole(home: Home):
    older = replace(home.place(), units={n: f"# old\n{t}" for n, t in home.place().units.items()})
    seen: list[Change] = []
    for place, wanted in ((older, Change.CREATED), (home.place(), Change.CHANGED)):
        seen.clear()
        run(
            systemd.target(place),
            home.records,
            uninstall=False,
            dry_run=False,
            show=lambda steps: seen.extend(step.change for step in steps),
        )
        assert set(seen) == {wanted}
    assert "# old" not in home.settings("systemd").read_text(encoding="utf-8")
    home.run("systemd", uninstall=True)
    assert not home.settings("systemd").exists()


def test_a_unit_that_its_user_changed_keeps_the_changes(home: Home):
    home.run("systemd")
    file = home.settings("systemd")
    changed = file.read_text(encoding="utf-8").replace("RestartSec=1", "RestartSec=9")
    file.write_text(changed, encoding="utf-8")
    moved = replace(home.place(), recalld="/new/recalld")
    (managed, _) = systemd.target(moved).files
    wanted = changed.replace('"/opt/rec alld/bin/recalld"', "/new/recalld")
    assert managed.put(changed).text == wanted
    assert home.run("systemd", uninstall=True) == [Change.NONE, Change.REMOVED]
    assert file.read_text(encoding="utf-8") == changed
    assert home.warnings() == ["the unit is not as it was installed; it stays"]


def test_units_that_are_enabled_are_not_taken_from_under_systemd(home: Home):
    home.run("systemd")
    file = home.settings("systemd")
    link = file.parent / "default.target.wants" / "recalld.service"
    link.parent.mkdir()
    link.symlink_to(file)
    disable = "systemctl --user disable --now recalld.socket recalld.service"
    with pytest.raises(Refused, match=f"recalld.service is enabled; first run: {disable}"):
        home.run("systemd", uninstall=True)
    link.unlink()
    assert home.run("systemd", uninstall=True) == [Change.REMOVED, Change.REMOVED]


def test_the_configuration_home_counts_and_variables_of_the_shell_are_named(tmp_path: Path):
    environ = {"XDG_CONFIG_HOME": str(tmp_path / "conf"), "RECALLD_CONFIG": "/my.toml"}
    home = Home(root=tmp_path, environ=environ)
    home.run("systemd")
    assert (tmp_path / "conf" / "systemd" / "user" / "recalld.service").is_file()
    assert home.warnings() == [
        "RECALLD_CONFIG is set here and not in the unit; see systemd.exec(5), Environment="
    ]
