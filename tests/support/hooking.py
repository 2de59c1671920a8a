"""``recalld-hook`` as a process of its own, the way hosts run it."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support.daemon import environment

# What the console script does.
RUN = "import sys; from recalld.client.hooks import main; sys.exit(main())"
PATIENCE_S = 20

Event = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """How a hook ended. ``took_s`` is from before its process was made until after it ended."""

    code: int
    out: bytes
    err: bytes
    took_s: float

    @property
    def printed(self) -> Any:
        """The one JSON value on standard output; None where nothing was printed."""
        return json.loads(self.out) if self.out else None

    @property
    def context(self) -> str | None:
        """What the model is shown by a hook of Claude Code or Codex."""
        if self.printed is None:
            return None
        (shown,) = self.printed.values()
        text: str = shown["additionalContext"]
        return text


@dataclass(frozen=True, slots=True, kw_only=True)
class Hooks:
    """Where hooks find their daemon, and where they leave their log."""

    socket: Path
    state: Path
    deadline_ms: int | None = None

    def environ(self, **extra: str) -> dict[str, str]:
        told = {"RECALLD_SOCKET": str(self.socket), **extra}
        if self.deadline_ms is not None:
            told.setdefault("RECALLD_HOOK__DEADLINE_MS", str(self.deadline_ms))
        return compiled(environment(self.state, **told), self.state.parent / "compiled")

    def __call__(
        self, host: str, event: Event | bytes | None, environ: dict[str, str] | None = None
    ) -> Ran:
        """``event`` None: the input stays open until the hook ends, and nothing comes."""
        if event is None:
            return self._with_open_input(host, environ or self.environ())
        data = event if isinstance(event, bytes) else json.dumps(event).encode()
        began = time.perf_counter()
        ran = subprocess.run(
            [sys.executable, "-c", RUN, host],
            input=data,
            capture_output=True,
            env=environ or self.environ(),
            timeout=PATIENCE_S,
            check=False,
        )
        took_s = time.perf_counter() - began
        return Ran(code=ran.returncode, out=ran.stdout, err=ran.stderr, took_s=took_s)

    def _with_open_input(self, host: str, environ: dict[str, str]) -> Ran:
        return self.fed(host, lambda _: None, environ)

    def fed(
        self, host: str, feed: Callable[[int], object], environ: dict[str, str] | None = None
    ) -> Ran:
        """``feed`` writes to the hook's input, which then stays open until the hook has ended."""
        reader, writer = os.pipe()
        began = time.perf_counter()
        child = subprocess.Popen(
            [sys.executable, "-c", RUN, host],
            stdin=reader,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environ or self.environ(),
        )
        os.close(reader)
        try:
            feed(writer)
            out, err = child.communicate(timeout=PATIENCE_S)
            took_s = time.perf_counter() - began
        finally:
            os.close(writer)
            child.kill()
            child.wait()
        return Ran(code=child.returncode, out=out, err=err, took_s=took_s)

    @property
    def log(self) -> list[str]:
        path = self.state / "hook.log"
        return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


def compiled(environ: dict[str, str], folder: Path) -> dict[str, str]:
    """As installed: modules are compiled once, here into ``folder``."""
    kept = {name: value for name, value in environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return kept | {"PYTHONPYCACHEPREFIX": str(folder)}


def overhead_s(environ: dict[str, str], wait_s: float = 0.0) -> float:
    """What the machine adds to a process that only waits ``wait_s``: its start, its waking up."""
    wait = f"import select; select.select([], [], [], {wait_s})"
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", wait], env=environ, capture_output=True, check=True)
    return time.perf_counter() - began - wait_s
