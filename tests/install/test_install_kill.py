"""Killed at any step of an install, the settings are the old ones or the new ones."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from support.install_home import JSON_TARGETS, RICH, Home, laid

PROGRAM = """
import os, signal, sys
from pathlib import Path
from recalld import atomic
from recalld.install import flow
from support.install_home import Home

left = int(sys.argv[3])

def killing(name):
    real = getattr(atomic.Disk, name)
    def call(self, *given, **named):
        global left
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        left -= 1
        return real(self, *given, **named)
    return call

names = ("create", "chmod", "write", "sync", "rename", "sync_folder", "unlink")
Killing = type("Killing", (atomic.Disk,), {name: killing(name) for name in names})
home = Home(root=Path(sys.argv[1]))
flow.run(home.target(sys.argv[2]), home.records, uninstall=sys.argv[4] == "uninstall",
         dry_run=False, show=lambda steps: None, files=Killing())
"""
STEPS = 7


def killed(home: Home, name: str, step: int, what: str) -> int:
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    arguments = [str(home.root), name, str(step), what]
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments], env=environ, check=False
    ).returncode


@pytest.mark.parametrize("what", ["install", "uninstall"])
@pytest.mark.parametrize("step", range(STEPS))
def test_a_kill_leaves_the_old_file_or_the_new_one(tmp_path: Path, step: int, what: str):
    name = JSON_TARGETS[step % len(JSON_TARGETS)]
    home = Home(root=tmp_path)
    file = laid(home, name, RICH[name])
    home.run(name)
    new = file.read_bytes()
    old = RICH[name].encode()
    if what == "install":
        home.run(name, uninstall=True)
    code = killed(home, name, step, what)
    # Creating, setting the mode, writing, syncing, renaming, syncing the folder: then it is done.
    assert code == (-signal.SIGKILL if step < STEPS - 1 else 0)
    assert file.read_bytes() in (old, new)
    home.run(name)
    assert file.read_bytes() == new
    home.run(name, uninstall=True)
    assert file.read_bytes() == old
    assert [path.name for path in file.parent.iterdir()] == [file.name]
