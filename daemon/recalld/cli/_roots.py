"""Which folders are workspaces, and which of them a path belongs to, without the daemon."""

import glob
import os
import queue
import threading
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path

from recalld.cli._options import absolute
from recalld.cli._traces import NO_WORKSPACE, daemon_folders, instead_of
from recalld.config import Config, read
from recalld.continuity.disk import FILE
from recalld.errors import BadConfig, BadRequest
from recalld.index.model import Workspace
from recalld.index.workspaces import expand, resolve
from recalld.there import is_file, is_folder

# A disk that works says where a path leads in microseconds, over a network in milliseconds.
DISK_S = 2.0


def real_path(
    path: str, *, look: Callable[[str], str] = os.path.realpath, limit_s: float = DISK_S
) -> str | None:
    """Where ``path`` really leads; None where the disk does not say in time, as a mount that hangs.

    The thread that asked is left behind then.
    """
    told: queue.SimpleQueue[str] = queue.SimpleQueue()
    threading.Thread(target=lambda: told.put(look(path)), daemon=True).start()
    try:
        return told.get(timeout=limit_s)
    except queue.Empty:
        return None


def configured(config: Config) -> tuple[Workspace, ...]:
    """The workspaces that the settings name, globs expanded, each once, by their real paths.

    Raises ``BadConfig``.
    """
    home = os.environ.get("HOME") or str(Path.home())
    return expand(config.workspaces, home=home, list_folders=_folders, real_path=_real)


def home_among(roots: Sequence[str]) -> Callable[[str | None], str | None]:
    """Tells the root that a path lies in, the nearest one; of no path the only root there is."""
    workspaces = tuple(Workspace(root=root) for root in dict.fromkeys(roots))
    sole = workspaces[0].root if len(workspaces) == 1 else None

    @lru_cache(maxsize=4_096)
    def home(path: str | None) -> str | None:
        if path is None:
            return sole
        found = resolve(os.path.realpath(path), workspaces)
        return None if found is None else found.root

    return home


def _real(path: str) -> str:
    return real_path(path) or path


def _folders(pattern: str) -> list[str]:
    return [found for found in glob.glob(pattern) if is_folder(found)]  # noqa: PTH207


def chosen(named: str | None, *, socket: str | None, config: str | None) -> str:
    """The workspace a command is about: ``named``, else the one around the current folder, else
    the current folder if it has a checkpoint, else the only workspace.

    Of a named folder inside a workspace it is that workspace. Raises ``BadRequest`` where that
    leaves a choice or nothing or names no folder, and ``BadConfig`` for a ``config`` that is
    named and wrong.
    """
    if named is not None:
        folder = absolute(named)
        around = home_among(_configured(socket, config, folder))(folder)
        if around is None and not is_folder(folder):
            raise BadRequest("--workspace", f"{folder} is not a folder")
        return around or folder
    roots = _configured(socket, config, None) or tuple(daemon_folders(socket, config))
    home = home_among(roots)
    here = str(Path.cwd())
    if home(here) is None and is_file(Path(here) / FILE):
        return here
    found = home(here) or home(None)
    if found is not None:
        return found
    if not roots:
        raise BadRequest("--workspace", NO_WORKSPACE)
    raise BadRequest("--workspace", f"name the workspace (one of {', '.join(roots)})")


def _configured(socket: str | None, config: str | None, named: str | None) -> tuple[str, ...]:
    """As the settings have them; where those are wrong, with a warning, what there is instead."""
    try:
        return tuple(workspace.root for workspace in configured(read(config, os.environ).config))
    except BadConfig as error:
        folders = [] if named is None else [named]
        return tuple(instead_of(error, socket=socket, config=config, named=folders))
