"""Which files are transcripts, and where they belong. Pure."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from recalld.index.model import Stamp, Workspace
from recalld.index.workspaces import resolve

# A workspace's own folder of them.
FOLDER = "sessions"
# A transcript, also one that was rotated: s.jsonl, s.jsonl.1, s.jsonl-20260801.
_NAME = re.compile(r".\.jsonl(?:[.-]\d{1,14})?\Z")
_ROTATED = re.compile(r"(?<=\.jsonl)[.-]\d{1,14}\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenTranscript:
    """A regular file that may be a transcript; ``path`` is absolute and real."""

    path: str
    stamp: Stamp


def is_named_so(name: str) -> bool:
    return _NAME.search(name) is not None


def family_of(path: str) -> str:
    """The path without what rotation appends."""
    return _ROTATED.sub("", path)


def session_of(path: str) -> str:
    """The key of a session that no line names: the file's own name."""
    return family_of(path).rsplit("/", 1)[-1].removesuffix(".jsonl")


def home_of(path: str, cwd: str | None, workspaces: Iterable[Workspace]) -> Workspace | None:
    """Where the session worked, else where its file lies; None outside of all workspaces.

    ``cwd`` is a real path.
    """
    workspaces = tuple(workspaces)
    worked = None if cwd is None else resolve(cwd, workspaces)
    return worked or resolve(path, workspaces)


def stored_path(path: str, workspace: Workspace) -> str:
    """Relative to the workspace that holds the file, else absolute."""
    inside = workspace.root.rstrip("/") + "/"
    return path.removeprefix(inside)


def absolute_path(stored: str, workspace: Workspace) -> str:
    return stored if stored.startswith("/") else f"{workspace.root.rstrip('/')}/{stored}"
