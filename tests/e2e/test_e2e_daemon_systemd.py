"""The user units pass the strict check of systemd."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

UNITS = Path(__file__).resolve().parents[2] / "systemd"


def test_the_user_units_verify_without_a_finding(tmp_path: Path):
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        pytest.skip("systemd-analyze is not installed")
    copies = []
    for unit in sorted(UNITS.iterdir()):
        text = unit.read_text(encoding="utf-8")
        # The command must exist for the check.
        text = text.replace("%h/.local/bin/recalld", sys.executable)
        copies.append(tmp_path / unit.name)
        copies[-1].write_text(text, encoding="utf-8")
    runtime = tmp_path / "run"
    runtime.mkdir(mode=0o700)
    check = subprocess.run(
        [analyze, "--user", "verify", "--recursive-errors=no", "--man=no", *map(str, copies)],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"XDG_RUNTIME_DIR": str(runtime)},
    )
    assert (check.returncode, check.stderr) == (0, "")
    assert {unit.name for unit in copies} == {"recalld.service", "recalld.socket"}
