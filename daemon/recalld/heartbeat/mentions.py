"""Whether a text names a file or a branch. Pure."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

# A name ends where none of these goes on with it. Chinese may stand right beside it.
_WITHIN = r"[A-Za-z0-9_\-]"
_RUN = re.compile(r"[A-Za-z0-9_.\-/~]+")
_BEFORE = r"(?<![A-Za-z0-9_\-/.~])"
_NEVER = re.compile(r"(?!)")
# A branch with one of these names is no sign of any plan.
COMMON_BRANCHES = frozenset({"main", "master", "develop", "dev", "trunk", "release", "test"})
MIN_BRANCH_CHARS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Paths:
    """Paths (relative, with ``/``) of a workspace at ``root``, by their last part. ``foreign``:
    those of another script, around which a text sets no blanks."""

    root: str
    plain: Mapping[str, tuple[str, ...]]
    foreign: tuple[tuple[str, str], ...]


def indexed(paths: Iterable[str], *, root: str = "") -> Paths:
    plain: dict[str, list[str]] = {}
    foreign = []
    for path in dict.fromkeys(paths):
        name = path.rpartition("/")[2]
        if _RUN.fullmatch(name):
            plain.setdefault(name, []).append(path)
        else:
            foreign.append((name, path))
    return Paths(
        root=root,
        plain={name: tuple(some) for name, some in plain.items()},
        foreign=tuple(foreign),
    )


def named_paths(text: str, paths: Paths) -> frozenset[str]:
    """Those of ``paths`` that ``text`` names.

    By their last parts, as many as the text gives: ``upload.py`` or ``api/upload.py`` for
    ``src/api/upload.py``, never ``web/upload.py``. A name without a dot or a folder is taken for
    a file only where it has a capital (``Makefile``): others are words.
    """
    names = {run.rstrip(".").rpartition("/")[2] for run in _RUN.findall(text)}
    likely = [path for name in names for path in paths.plain.get(name, ())]
    likely += [path for name, path in paths.foreign if name in text]
    return frozenset(path for path in likely if _pattern(path, paths.root).search(text))


def names_branch(text: str, branch: str) -> bool:
    """Whether ``text`` names a branch of its own name; common ones, and short ones, never."""
    if branch.casefold() in COMMON_BRANCHES or len(branch) < MIN_BRANCH_CHARS:
        return False
    return re.search(rf"{_BEFORE}{re.escape(branch)}(?!{_WITHIN})", text) is not None


@lru_cache(maxsize=1_024)
def _pattern(path: str, root: str) -> re.Pattern[str]:
    endings = "|".join(map(re.escape, _endings(path)))
    if not endings:
        return _NEVER
    inside = f"|{re.escape(root.rstrip('/'))}/" if root else ""
    return re.compile(rf"{_BEFORE}(?:\./{inside})?(?:{endings})(?!{_WITHIN}|/|\.{_WITHIN})")


def _endings(path: str) -> Iterator[str]:
    """The path and its last parts, the longest first."""
    parts = path.split("/")
    for at in range(len(parts)):
        ending = "/".join(parts[at:])
        if at < len(parts) - 1 or "." in ending.strip(".") or ending != ending.lower():
            yield ending
