"""Real repositories for tests, with nothing of the machine's own settings."""

import os
import subprocess
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from support.snapshots import NOW

_ENVIRON = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_AUTHOR_NAME": "Ann",
    "GIT_AUTHOR_EMAIL": "ann@example.org",
    "GIT_COMMITTER_NAME": "Ann",
    "GIT_COMMITTER_EMAIL": "ann@example.org",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """A repository at ``root``."""

    root: Path

    def git(self, *arguments: str, at: datetime = NOW) -> str:
        dates = {"GIT_AUTHOR_DATE": at.isoformat(), "GIT_COMMITTER_DATE": at.isoformat()}
        done = subprocess.run(
            ["git", *arguments],
            cwd=self.root,
            env={**os.environ, **_ENVIRON, **dates},
            check=True,
            capture_output=True,
            text=True,
        )
        return done.stdout.strip()

    def commit(self, subject: str, *paths: str, at: datetime = NOW) -> str:
        """Change ``paths`` and commit them; the hash."""
        for path in paths:
            file = self.root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            with file.open("a", encoding="utf-8") as opened:
                opened.write(f"{subject}\n")
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "-m", subject, at=at)
        return self.git("rev-parse", "HEAD")


def a_room(root: Path) -> Room:
    """An empty repository on ``main``."""
    root.mkdir(parents=True, exist_ok=True)
    room = Room(root=root)
    room.git("init", "--quiet", "--initial-branch=main")
    return room
