"""Reading the configuration again: it changes whole or not at all, and a refusal is remembered."""

import glob
import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path

import anyio
import anyio.to_thread

from recalld.config import Config, Loaded, Settings
from recalld.counters import Counters
from recalld.errors import RecalldError
from recalld.index.flow import Indexer
from recalld.index.ignore import trace_paths
from recalld.index.workspaces import expand
from recalld.server.health import Condition
from recalld.there import is_folder


class Reloading:
    """One reload at a time. Counted: ``config.reloaded``, ``config.refused``."""

    def __init__(
        self,
        settings: Settings,
        indexer: Indexer,
        *,
        counters: Counters,
        now: Callable[[], datetime],
    ) -> None:
        self._settings = settings
        self._indexer = indexer
        self._counters = counters
        self._now = now
        self._turn = anyio.Lock()
        self._refused: tuple[str, str] | None = None

    async def reload(self) -> Mapping[str, object]:
        """What changed. Raise ``BadConfig``; then everything is as it was."""
        async with self._turn:
            try:
                fresh = await self._read()
            except RecalldError as error:
                self._counters.add("config.refused")
                self._refused = (str(error), self._now().isoformat(timespec="seconds"))
                raise
            done = self._settings.adopt(fresh)
            self._refused = None
        self._counters.add("config.reloaded")
        return {
            "changed": done.changed,
            "needs_restart": done.needs_restart,
            "warnings": done.warnings,
        }

    async def _read(self) -> Loaded:
        """What can fail comes first: settings change only when the folders have."""
        settings = self._settings
        fresh = await anyio.to_thread.run_sync(settings.reread, abandon_on_cancel=True)
        await apply_workspaces(fresh.config, settings.environ, self._indexer)
        return fresh

    async def condition(self) -> Condition:
        """Degraded from a refused reload to the next good one: the file is not in effect."""
        path = self._settings.path
        facts: dict[str, object] = {"file": None if path is None else str(path)}
        if self._refused is None:
            return Condition(facts=facts)
        problem, at = self._refused
        return Condition(
            degraded=(f"the last reload was refused: {problem}",),
            facts={**facts, "problem": problem, "refused_at": at},
        )


async def apply_workspaces(config: Config, environ: Mapping[str, str], indexer: Indexer) -> None:
    """Index exactly what is configured. Raise ``BadConfig`` and change nothing."""
    expanded = partial(
        expand,
        config.workspaces,
        home=environ.get("HOME") or str(Path.home()),
        list_folders=_folders,
        real_path=os.path.realpath,
    )
    wanted = await anyio.to_thread.run_sync(expanded, abandon_on_cancel=True)
    never = trace_paths(config.trace.file, config.trace.keep)
    known = tuple(replace(each, id=0) for each in indexer.workspaces)
    # Setting them arms every watch anew; a reload that changes nothing here should not.
    if (wanted, never) != (known, indexer.never) or not wanted:
        await indexer.set_workspaces(wanted, never=never)


def _folders(pattern: str) -> list[str]:
    return [found for found in glob.glob(pattern) if is_folder(found)]  # noqa: PTH207
