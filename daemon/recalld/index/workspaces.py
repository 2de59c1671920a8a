"""Which folders are indexed, and which of them a path belongs to. Pure: looking is injected."""

import re
from collections.abc import Callable, Iterable
from typing import Protocol

from pathspec import GitIgnoreSpec

from recalld.errors import BadConfig
from recalld.index.model import Workspace

_GLOB = re.compile(r"[*?\[]")

# Absolute pattern to the folders that match it, in any order.
Lister = Callable[[str], Iterable[str]]
# A path to its real path: absolute, without symbolic links.
Resolver = Callable[[str], str]


class Entry(Protocol):
    """A workspace with globs of its own, as the configuration has it."""

    @property
    def path(self) -> str: ...
    @property
    def memory(self) -> tuple[str, ...]: ...
    @property
    def wiki(self) -> tuple[str, ...]: ...
    @property
    def documents(self) -> tuple[str, ...]: ...


def expand(
    entries: Iterable[str | Entry], *, home: str, list_folders: Lister, real_path: Resolver
) -> tuple[Workspace, ...]:
    """The workspaces that ``entries`` name, in order, each root once: the first entry wins.

    A plain path needs not exist yet. ``BadConfig`` for a relative path, a path that is no valid
    text, and a glob that is no pattern.
    """
    found: dict[str, Workspace] = {}
    for entry in entries:
        path = entry if isinstance(entry, str) else entry.path
        pattern = _absolute(path, home)
        folders = sorted(list_folders(pattern)) if _GLOB.search(pattern) else [pattern]
        for folder in folders:
            root = real_path(folder)
            if not _is_text(root):
                raise BadConfig("workspaces", f"{root!r}: the name is not valid UTF-8")
            if root not in found:
                found[root] = _workspace(root, entry)
    return tuple(found.values())


def resolve(path: str, workspaces: Iterable[Workspace]) -> Workspace | None:
    """The workspace whose root is ``path`` or nearest above it; None outside of all.

    ``path`` is a real path.
    """
    holding = [w for w in workspaces if path == w.root or path.startswith(_inside(w.root))]
    return max(holding, key=lambda w: len(w.root), default=None)


def inner_roots(workspace: Workspace, workspaces: Iterable[Workspace]) -> tuple[str, ...]:
    """Roots of other workspaces inside this one, relative to it: their files are theirs alone."""
    inside = _inside(workspace.root)
    roots = (other.root for other in workspaces if other.root != workspace.root)
    return tuple(sorted(root[len(inside) :] for root in roots if root.startswith(inside)))


def _inside(root: str) -> str:
    return root if root.endswith("/") else f"{root}/"


def _absolute(path: str, home: str) -> str:
    if path == "~" or path.startswith("~/"):
        path = home.rstrip("/") + path[1:]
    if not path.startswith("/") or "\0" in path:
        raise BadConfig("workspaces", f"{path!r} is neither absolute nor under ~")
    return path.rstrip("/") or "/"


def _is_text(path: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in path)


def _workspace(root: str, entry: str | Entry) -> Workspace:
    if isinstance(entry, str):
        return Workspace(root=root)
    for name in ("memory", "wiki", "documents"):
        try:
            GitIgnoreSpec.from_lines(getattr(entry, name))
        except ValueError as error:
            raise BadConfig(f"workspaces.{name}", f"not a pattern: {error}") from error
    return Workspace(root=root, memory=entry.memory, wiki=entry.wiki, documents=entry.documents)
