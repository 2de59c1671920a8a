"""A real browser without a window: what a page becomes in it, and what it complains of."""

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome")
LOAD_S = 60
_CONSOLE = re.compile(r":CONSOLE[:(]|\bCONSOLE\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """``dom``: the page after loading. ``console``: what was written there, a line each."""

    dom: str
    console: tuple[str, ...]


def browser() -> str:
    """``$RECALLD_TEST_BROWSER``, else the first on the path; without one the test skips."""
    named = os.environ.get("RECALLD_TEST_BROWSER")
    found = named or next((path for name in NAMES if (path := shutil.which(name))), None)
    if found is None:
        pytest.skip(f"no browser ({', '.join(NAMES)}); set RECALLD_TEST_BROWSER")
    return found


def load(file: Path, scratch: Path) -> Loaded:
    command = [
        *(browser(), "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic"),
        *("--no-first-run", "--disable-background-networking", "--disable-component-update"),
        *("--disable-sync", "--disable-dev-shm-usage", f"--user-data-dir={scratch}"),
        *("--enable-logging=stderr", "--v=0", "--dump-dom", file.as_uri()),
    ]
    done = subprocess.run(
        command, capture_output=True, check=True, timeout=LOAD_S, stdin=subprocess.DEVNULL
    )
    said = done.stderr.decode("utf-8", "replace").split("\n")
    return Loaded(
        dom=done.stdout.decode("utf-8"),
        console=tuple(line for line in said if _CONSOLE.search(line)),
    )
