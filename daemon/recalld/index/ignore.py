"""What the index leaves alone. Pure: .gitignore texts come in as arguments.

Four layers, the first that decides wins: names that are never memory (built in), the user's
patterns, hidden folders that no glob of the user's names (programs keep their own there), then
the .gitignore files from the deepest folder up.
"""

import fnmatch
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from pathspec import GitIgnoreSpec

from recalld.index.model import Workspace
from recalld.index.policy import IndexPolicy
from recalld.index.source import Sources, hidden_parts, sources_of

_FOLDERS = (
    (".git", ".hg", ".svn", ".jj", ".bzr"),  # version control
    ("node_modules", ".venv", "venv", "site-packages", "__pycache__", ".tox", ".nox"),  # of others
    (".cache", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".Trash", ".Trash-*"),
    (".ssh", ".gnupg", ".aws", ".azure", ".kube", ".password-store", "*.keychain-db"),  # key stores
)
_EDITORS = (
    ("*~", "#*#", ".#*"),  # Emacs and others
    ("*.swp", "*.swo", "*.swx", "4913"),  # Vim; 4913 is its test whether a folder is writable
    (".*.tmp", "*.tmp", "*.temp", ".goutputstream-*", "*.kate-swp", ".~lock.*#", "~$*"),
    (".DS_Store", "._*", ".fuse_hidden*", ".nfs*", ".syncthing.*", "*.crdownload", "*.part"),
)
_SECRETS = (
    (".env", ".env.*", ".netrc", ".pgpass", ".npmrc", ".pypirc", ".git-credentials"),
    ("*.pem", "*.key", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.kdbx", "*.gpg", "*.age"),
    ("id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*"),
)
BUILT_IN = tuple(name for group in (*_FOLDERS, *_EDITORS, *_SECRETS) for name in group)
# Continuity owns these; as memory they would repeat what it injects itself.
RESERVED = ("memory/CURRENT_STATE.md", "memory/session_archive")

_BUILT_IN = re.compile("|".join(f"(?:{fnmatch.translate(name)})" for name in BUILT_IN))


@dataclass(frozen=True, slots=True)
class Level:
    """The ignore rules of one folder: its .gitignore, and those above it."""

    base: str = ""
    spec: GitIgnoreSpec | None = None
    above: "Level | None" = None

    def ignores(self, path: str, *, folder: bool) -> bool:
        level: Level | None = self
        while level is not None:
            if level.spec is not None:
                inside = path[len(level.base) :] + ("/" if folder else "")
                verdict = level.spec.check_file(inside).include
                if verdict is not None:
                    return verdict
            level = level.above
        return False


@dataclass(frozen=True, slots=True)
class Rules:
    """What one workspace indexes. ``never`` are paths left out with everything below them."""

    include: GitIgnoreSpec
    ignore: GitIgnoreSpec
    never: tuple[str, ...]
    sources: Sources
    gitignore: bool = True

    def enters(self, path: str, level: Level) -> bool:
        """Whether the folder ``path`` is looked into."""
        return not self._left_out(path, level, folder=True)

    def takes(self, path: str, level: Level) -> bool:
        """Whether the file ``path`` is indexed."""
        wanted = self.include.match_file(path) or self.sources.names(path)
        return wanted and not self._left_out(path, level, folder=False)

    def may_matter(self, path: str) -> bool:
        """Whether an event about ``path`` needs a look; without .gitignore files, so cheap."""
        if self.gitignore and path.rsplit("/", 1)[-1] == ".gitignore":
            return True
        return not self._reserved(path) and not any(map(_built_in, path.split("/")))

    def below(self, level: Level, folder: str, gitignore: str | None) -> Level:
        """The rules inside ``folder``, whose .gitignore holds ``gitignore``."""
        if gitignore is None:
            return level
        base = f"{folder}/" if folder else ""
        return Level(base=base, spec=gitignore_spec(gitignore.splitlines()), above=level)

    def _left_out(self, path: str, level: Level, *, folder: bool) -> bool:
        if _built_in(path.rsplit("/", 1)[-1]) or self._reserved(path):
            return True
        verdict = self.ignore.check_file(path + ("/" if folder else "")).include
        if verdict is not None:
            return verdict
        if folder and self._hidden(path.rsplit("/", 1)[-1]):
            return True
        return level.ignores(path, folder=folder)

    def _hidden(self, name: str) -> bool:
        if not name.startswith("."):
            return False
        wanted = (*self.sources.hidden(), *hidden_parts((self.include,)))
        return not any(fnmatch.fnmatchcase(name, part) for part in wanted)

    def _reserved(self, path: str) -> bool:
        return any(path == name or path.startswith(f"{name}/") for name in self.never)


def rules_of(workspace: Workspace, policy: IndexPolicy, *, never: Iterable[str]) -> Rules:
    """``never`` are paths to leave out beside those that always are."""
    return Rules(
        include=GitIgnoreSpec.from_lines(policy.include),
        ignore=GitIgnoreSpec.from_lines(policy.ignore),
        never=(*RESERVED, *never),
        sources=sources_of(workspace),
        gitignore=policy.gitignore,
    )


def gitignore_spec(lines: Iterable[str]) -> GitIgnoreSpec:
    """The lines that are patterns; git passes over those that are none, and so does this."""
    return GitIgnoreSpec.from_lines(line for line in lines if _is_pattern(line))


def trace_paths(trace_file: str, keep: int) -> tuple[str, ...]:
    """The trace file and its rotations, for ``Rules.never``."""
    return (trace_file, *(f"{trace_file}.{number}" for number in range(1, keep + 1)))


def _is_pattern(line: str) -> bool:
    try:
        GitIgnoreSpec.from_lines([line])
    except ValueError:
        return False
    return True


_built_in: Callable[[str], object] = _BUILT_IN.match
