"""A session in a workspace, as a host would tell the daemon of it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from uuid import uuid4

from recalld.continuity.checkpoint import parse
from recalld.continuity.model import Checkpoint
from support.daemon import Process, Reply, running
from support.e2e import until

FILE = "memory/CURRENT_STATE.md"
ARCHIVE = "memory/session_archive"
# The words decide, so no engine is needed: a daemon starts in half the time.
LEXICAL = '[embed]\nengine = "none"\n'

OBJECTIVE = "Migrate the invoice export to the new schema"
STEP = "Copied the schema, 40 of 52 tables verified"
NEXT = "Run the row count check on the staging copy"
STATE = f"""# Current State
> Last updated: 2026-05-04T10:00:00Z

## Objective
{OBJECTIVE}

## Current Step
{STEP}

## Key Decisions
- Keep the old export for one release, customers read it
- Verify by row counts, not by checksums

## Next Action
{NEXT}

## Blockers
None

## Unsurfaced Results
None
"""
# A task of several steps, told turn by turn: user, assistant.
TASK = (
    (
        "Please build the user authentication module: token signing, then the refresh endpoint,"
        " then logout.",
        "I'll build the user authentication module. First the token signing.\n\n"
        "Decision: use RS256 for token signing.\n\n"
        "Next: generate the signing keys.",
    ),
    (
        "Good, go ahead with RS256 and 15 minutes for the access token.",
        "Completed the token signing with RS256; access tokens live 15 minutes.\n\n"
        "Next: implement POST /auth/refresh.",
    ),
)
# Words that are no work: user, assistant.
CHATTER = (("continue", "Sure."), ("hi", "Hello! How can I help?"), ("好的", "好。"))


@dataclass(frozen=True, kw_only=True)
class Talk:
    """One session at a daemon; ``asked`` gives whole replies, everything else results."""

    daemon: Process
    root: Path
    key: str = field(default_factory=lambda: f"agent:main:{uuid4()}")

    @property
    def session(self) -> dict[str, Any]:
        return {"key": self.key, "workspace": str(self.root)}

    def other(self, **changes: Any) -> "Talk":
        """Another session, by default in the same workspace."""
        return replace(self, **{"key": f"agent:main:{uuid4()}", **changes})

    def asked(self, method: str, **params: Any) -> Reply:
        with self.daemon.peer() as peer:
            return peer.ask(method, session=self.session, **params)

    def told(self, method: str, **params: Any) -> Reply:
        return self.daemon.call(method, session=self.session, **params)

    def start(self, source: str = "startup", **params: Any) -> Reply:
        return self.told("session.start", source=source, **params)

    def prompt(self, text: str, **params: Any) -> Reply:
        return self.told("session.prompt", text=text, **params)

    def recovery(self, text: str) -> Any:
        """The text, or None."""
        return self.prompt(text)["recovery"]

    def turn(self, user: str, assistant: str, **params: Any) -> None:
        assert self.told("session.turn", user=user, assistant=assistant, **params)["accepted"]

    def work(self) -> None:
        for user, assistant in TASK:
            self.turn(user, assistant)

    def compact(self, phase: str, **params: Any) -> Reply:
        return self.told("session.compact", phase=phase, **params)

    def reset(self, **params: Any) -> Any:
        """The copy's path in the workspace, or None."""
        return self.told("session.reset", reason="new", **params)["archived"]

    def end(self, reason: str = "new", **params: Any) -> Any:
        """As ``reset``."""
        return self.told("session.end", reason=reason, **params)["archived"]

    def child(self, child: str, result: str = "", outcome: str = "ok", **params: Any) -> int:
        left = {"child": child, "outcome": outcome, "result": result}
        count: int = self.told("subagent.end", **left, **params)["unsurfaced"]
        return count

    @property
    def file(self) -> Path:
        return self.root / FILE

    def write(self, text: str) -> None:
        self.file.parent.mkdir(parents=True, exist_ok=True)
        self.file.write_text(text, encoding="utf-8")

    def read(self) -> Checkpoint:
        """What the file says now; empty where there is none."""
        if not self.file.exists():
            return Checkpoint()
        return parse(self.file.read_text("utf-8")).checkpoint

    def archived(self) -> list[Path]:
        return sorted((self.root / ARCHIVE).glob("*.md"))

    def until_active(self) -> Checkpoint:
        until(lambda: self.read().active, what="a checkpoint with active work")
        return self.read()

    def until_lines(self, *parts: str) -> None:
        """Until the last section holds these, and nothing else of sub-agents."""

        def there() -> bool:
            text = self.read().unsurfaced_results
            lines = [line for line in text.split("\n") if line.startswith("- sub-agent")]
            return len(lines) == len(parts) and all(part in text for part in parts)

        until(there, what=f"the results {parts} in the file")


class Checks(dict[str, Callable[[Talk], None]]):
    """What is promised, by the name of its row."""

    def row(self, *names: str) -> Callable[[Callable[[Talk], None]], Callable[[Talk], None]]:
        """The decorated check is that of these rows."""

        def add(check: Callable[[Talk], None]) -> Callable[[Talk], None]:
            for name in names:
                assert name not in self, f"{name} is checked twice"
                self[name] = check
            return check

        return add


@contextmanager
def many_workspaces(home: Path, *, count: int, config: str = LEXICAL) -> Iterator[Iterator[Talk]]:
    """One daemon over ``count`` empty folders, and a session in each."""
    folders = [home / "w" / f"{number:03}" for number in range(count)]
    for folder in folders:
        folder.mkdir(parents=True)
    with running(home / "d", config=f'workspaces = ["{home}/w/*"]\n{config}') as daemon:
        yield iter([Talk(daemon=daemon, root=folder) for folder in folders])


def counter(daemon: Process, name: str) -> int:
    found: int = daemon.call("status")["counters"].get(name, 0)
    return found
