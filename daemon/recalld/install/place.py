"""Where this installation's parts lie, and whose machine this is."""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path

import recalld
from recalld.install.model import Place
from recalld.there import is_file, is_folder

_VERSION = re.compile(r"\d+(?:\.\d+)+", re.ASCII)
_VERSION_TIMEOUT_S = 10
_PACKAGE = Path(recalld.__file__).resolve().parent


def here(environ: Mapping[str, str]) -> Place:
    return Place(
        home=str(Path.home()),
        environ=environ,
        hook=command("recalld-hook", environ),
        recalld=command("recalld", environ),
        plugin=_plugin(),
        units={path.name: path.read_text(encoding="utf-8") for path in _units()},
        skill=(_PACKAGE / "install" / "SKILL.md").read_text(encoding="utf-8"),
        read=_read,
        exists=os.path.lexists,
        version=partial(_version, environ),
    )


def command(name: str, environ: Mapping[str, str]) -> str | None:
    """The absolute path of a script of this installation: beside the interpreter, if it is there.

    Links are not followed: a virtual environment's interpreter is one.
    """
    return next((path for path in _candidates(name, environ) if _runs(path)), None)


def _candidates(name: str, environ: Mapping[str, str]) -> Iterator[str]:
    folders = [
        *(os.path.dirname(path) for path in (sys.executable, sys.argv[0])),  # noqa: PTH120
        sysconfig.get_path("scripts"),
        sysconfig.get_path("scripts", sysconfig.get_preferred_scheme("user")),
    ]
    for folder in folders:
        if folder:
            yield os.path.abspath(os.path.join(folder, name))  # noqa: PTH100, PTH118
    found = shutil.which(name, path=environ.get("PATH"))
    if found:
        yield os.path.abspath(found)  # noqa: PTH100


def _runs(path: str) -> bool:
    return is_file(path) and os.access(path, os.X_OK)


def _plugin() -> str | None:
    folder = _PACKAGE / "openclaw"
    return str(folder) if is_file(folder / "openclaw.plugin.json") else None


def _units() -> list[Path]:
    """The units of the package; of a source tree, those at its top."""
    for folder in (_PACKAGE / "systemd", _PACKAGE.parents[1] / "systemd"):
        if is_folder(folder):
            return sorted(folder.iterdir())
    return []


def _read(path: str) -> str | None:
    try:
        return Path(path).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return None


def _version(environ: Mapping[str, str], program: str) -> tuple[int, ...] | None:
    found = shutil.which(program, path=environ.get("PATH"))
    if found is None:
        return None
    try:
        told = subprocess.run(  # noqa: S603  the user's own program, by its own name
            [found, "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_VERSION_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    number = _VERSION.search(told.stdout)
    return None if number is None else tuple(map(int, number[0].split(".")))
