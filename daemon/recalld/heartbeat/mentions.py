"""Whether a text names a file or a branch. Pure."""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

# A name ends where none of these goes on with it. Chinese may stand right beside it.
_WITHIN = r"[A-Za-z0-9_\-]"
_BEFORE = r"(?<![A-Za-z0-9_\-/.~])"
_NEVER = re.compile(r"(?!)")
# A branch with one of these names is no sign of any plan.
COMMON_BRANCHES = frozenset({"main", "master", "develop", "dev", "trunk", "release", "test"})
MIN_BRANCH_CHARS = 4


def named_path(text: str, paths: Iterable[str], *, root: str = "") -> str | None:
    """The first of ``paths`` (relative, with ``/``) that ``text`` names; None for none.

    By its last parts, as many as the text gives: ``upload.py`` or ``api/upload.py`` for
    ``src/api/upload.py``, never ``web/upload.py``. A name without a dot or a folder is taken for
    a file only where it has a capital (``Makefile``): others are words.
    """
    for path in paths:
        last = path.rpartition("/")[2]
        if last in text and _pattern(path, root).search(text):
            return path
    return None


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
