"""The compiled plugin is its source, compiled; and all of it is part of the package."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import recalld

PLUGIN = Path(recalld.__file__).resolve().parent / "openclaw"
REPOSITORY = Path(__file__).resolve().parents[2] / "daemon" / "recalld" / "openclaw"
INSTALL_S = 180
MAX_LINES = 300


def contents(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): path.read_text("utf-8")
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_the_installed_package_holds_every_file():
    held = contents(PLUGIN)
    assert held == contents(REPOSITORY)
    assert {"openclaw.plugin.json", "package.json", "dist/index.js", "src/index.ts"} <= set(held)
    stems = {Path(name).stem for name in held if name.startswith("src/")}
    assert stems == {Path(name).stem for name in held if name.startswith("dist/")}


def test_nothing_is_needed_at_run_time_and_nothing_names_a_registry():
    package = json.loads((PLUGIN / "package.json").read_text("utf-8"))
    assert "dependencies" not in package
    for name, text in contents(PLUGIN).items():
        assert "lock" not in name
        assert not re.search(r"https?://", text), name
        for imported in re.findall(r'(?:from|import\() ?"([^"]+)"', text):
            assert imported.startswith(("./", "node:")), (name, imported)
    assert all(len(text.splitlines()) <= MAX_LINES for text in contents(PLUGIN / "src").values())


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the compiler makes of the source, in a folder of its own."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm is not installed: the compiled plugin is not compared with its source")
    folder = tmp_path_factory.mktemp("plugin")
    for name in ("package.json", "tsconfig.json"):
        shutil.copy(PLUGIN / name, folder)
    shutil.copytree(PLUGIN / "src", folder / "src")
    quiet = ["--no-package-lock", "--ignore-scripts", "--no-audit", "--no-fund"]
    try:
        installed = subprocess.run(
            [npm, "install", *quiet],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=INSTALL_S,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired:
        pytest.skip(f"npm did not answer in {INSTALL_S} s: the plugin is not compiled")
    if installed.returncode != 0:
        pytest.skip(f"the compiler could not be installed: {installed.stderr[-300:]}")
    build = subprocess.run(
        [npm, "run", "--silent", "build"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=INSTALL_S,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert build.returncode == 0, build.stdout
    return folder / "dist"


def test_what_is_shipped_is_what_the_compiler_makes(compiled):
    assert contents(PLUGIN / "dist") == contents(compiled), (
        "run `npm install && npm run build` in a copy of daemon/recalld/openclaw and copy its dist/"
    )
