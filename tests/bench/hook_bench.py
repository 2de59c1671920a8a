"""What a hook costs its user: ``PYTHONPATH=daemon:tests python -m bench hook``.

One prompt through ``recalld-hook claude-code`` beside the two things it cannot do without: an
interpreter that does nothing, and the daemon's own time for that prompt. The three are taken in
turn, so that a busy machine slows all of them; each ratio is of one turn, and medians are printed.
Exit code 1 when a promise is missed.
"""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from statistics import median

from bench.perf.lines import Line, median_ratio
from support.daemon import Peer, request, running
from support.e2e import write_notes
from support.hooking import RUN, Hooks

ROUNDS = 60
WARM_UP = 5
MOST = 1.5
PROMPTS = {
    "a prompt that asks for nothing": "fix the typo in the footer",
    "a prompt that is answered": "what did we decide last time about the ferry schedule?",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One prompt, three times."""

    bare_s: float
    daemon_s: float
    hook_s: float


def taken(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def turns(hooks: Hooks, peer: Peer, folder: Path, text: str, command: list[str]) -> list[Turn]:
    """Every prompt has a session of its own: none was shown anything before."""
    environ, keys = hooks.environ(), count()

    def run(program: list[str], data: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(program, input=data, env=environ, capture_output=True, check=True)

    def hook() -> None:
        event = {"hook_event_name": "UserPromptSubmit", "session_id": f"h{next(keys)}"}
        data = json.dumps({**event, "cwd": str(folder), "prompt": text}).encode()
        ran = run([*command, "claude-code"], data)
        if ran.stderr or hooks.log:
            raise RuntimeError(f"the hook failed: {ran.stderr.decode()} {hooks.log}")

    def ask() -> None:
        session = {"key": f"p{next(keys)}", "workspace": str(folder), "client": "claude-code"}
        peer.say(request("session.prompt", session=session, text=text, budget_ms=1_400))
        peer.hear()

    taken_so = [
        Turn(
            bare_s=taken(lambda: run([sys.executable, "-c", "pass"])),
            daemon_s=taken(ask),
            hook_s=taken(hook),
        )
        for _ in range(WARM_UP + ROUNDS)
    ]
    return taken_so[WARM_UP:]


def lines(name: str, measured: list[Turn], *, promised: bool) -> Iterator[Line]:
    most = MOST if promised else None
    bare, daemon, hook = (
        median(getattr(turn, part) for turn in measured) * 1_000
        for part in ("bare_s", "daemon_s", "hook_s")
    )
    yield Line(
        name=f"{name}: hook / (python -c pass + daemon)",
        value=median_ratio([(t.hook_s, t.bare_s + t.daemon_s) for t in measured]),
        at_most=most,
        detail=f"{hook:.1f} ms / ({bare:.1f} + {daemon:.1f} ms), n={len(measured)}",
    )
    yield Line(
        name=f"{name}: (hook - daemon) / python -c pass",
        value=median_ratio([(t.hook_s - t.daemon_s, t.bare_s) for t in measured]),
        at_most=most,
    )


def commands() -> dict[str, tuple[list[str], bool]]:
    """The hook as it is called, and whether a promise holds for it.

    The console script is the installer's: an older pip's imports ``re``, half an interpreter.
    """
    script = Path(sys.executable).with_name("recalld-hook")
    found = {"": ([sys.executable, "-c", RUN], True)}
    return found | ({", console script": ([str(script)], False)} if script.exists() else {})


def measured(home: Path) -> Iterator[Line]:
    folder = home / "notes"
    write_notes(folder)
    with running(home / "d", workspaces=[folder]) as daemon, daemon.peer() as peer:
        peer.result("index.sync", workspace=str(folder))
        hooks = Hooks(socket=daemon.socket_path, state=home / "hooks")
        for suffix, (command, promised) in commands().items():
            for name, text in PROMPTS.items():
                taken_so = turns(hooks, peer, folder, text, command)
                yield from lines(name + suffix, taken_so, promised=promised)


def main() -> int:
    missed = 0
    with tempfile.TemporaryDirectory(prefix="rh") as name:
        for line in measured(Path(name)):
            print(line, flush=True)
            missed += not line.holds
    print(f"{missed} missed")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
