"""Parts that hang while a file exists, and the daemon process that is built from them.

Run as a module it is ``recalld serve`` with such parts, told by ``FAULTS`` where the files are;
with ``FAULTS_NOW`` its clock stands at that time.
"""

import argparse
import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path

import anyio

from recalld.app import Launch, serve
from recalld.base import Base
from recalld.config import Settings
from recalld.counters import Counters
from recalld.embed import usem3
from recalld.embed.policy import EmbedPolicy
from recalld.embed.port import Purpose, Vectors
from recalld.embed.threaded import Model, ThreadedEmbedder, ThreadedEngine
from recalld.journal import Journal, append
from recalld.service import logs
from recalld.service.signals import StopRequest
from recalld.store.bridge import Database
from recalld.store.repair import Opened
from support.daemon import PACKAGE_ROOT
from support.store_world import HangingReads

FOLDER, NOW = "FAULTS", "FAULTS_NOW"
EMBEDDER, READERS, TRACES = "embedder", "readers", "traces"
PROGRAM = ("support.faulty",)
POLL_S = 0.02


class FileSwitch(threading.Event):
    """An event that is set while its file is absent, so another process can clear it."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self._file = file

    def is_set(self) -> bool:
        return not self._file.exists()

    def wait(self, timeout: float | None = None) -> bool:
        del timeout
        while not self.is_set():
            super().wait(POLL_S)
        return True


@contextmanager
def hanging(folder: Path, names: Sequence[str]) -> Iterator[None]:
    """Those parts hang inside the block."""
    with ExitStack() as stack:
        for name in names:
            (folder / name).touch()
            stack.callback((folder / name).unlink)
        yield


class HangingModel:
    def __init__(self, model: Model, go: FileSwitch) -> None:
        self._model = model
        self._go = go

    def encode(self, texts: Sequence[str], purpose: Purpose) -> Vectors:
        self._go.wait()
        return self._model.encode(texts, purpose)


class SwitchedReads(HangingReads):
    def __init__(self, real: Database, go: FileSwitch) -> None:
        super().__init__(real)
        self._go = go


def adjusted(base: Base, folder: Path) -> Base:
    """``base`` with an engine and readers that hang while told to."""

    def load(policy: EmbedPolicy) -> Model:
        return HangingModel(usem3.UseModel(policy.threads), FileSwitch(folder / EMBEDDER))

    def switched(opened: Opened) -> Opened:
        return replace(
            opened, database=SwitchedReads(opened.database, FileSwitch(folder / READERS))
        )

    engine = ThreadedEngine(identity=usem3.IDENTITY, load=load)
    policy = base.settings.current.embed
    standing = os.environ.get(NOW)
    return replace(
        base,
        now=base.now if standing is None else partial(datetime.fromisoformat, standing),
        embedder=ThreadedEmbedder(engine, policy=policy, counters=base.counters),
        state=switched(base.state),
        index=switched(base.index),
    )


def program_environment(folder: Path, **extra: str) -> dict[str, str]:
    """What the program needs besides the daemon's own environment."""
    tests = Path(__file__).resolve().parents[1]
    return {FOLDER: str(folder), "PYTHONPATH": os.pathsep.join([str(PACKAGE_ROOT), str(tests)])} | (
        extra
    )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--socket")
    parser.add_argument("--config")
    parser.add_argument("--workspace", action="append", default=[])
    given = parser.parse_args()
    folder = Path(os.environ[FOLDER])
    environ = dict(os.environ) | {"RECALLD_SOCKET": given.socket}
    overrides: dict[str, object] = {"workspaces": given.workspace}
    settings = Settings(given.config, environ, overrides=overrides)
    counters = Counters()
    logs.set_up(level="info", form="json", counters=counters)

    def write(journal: Journal, lines: Sequence[bytes]) -> None:
        FileSwitch(folder / TRACES).wait()
        append(journal, lines, count=lambda name, n: counters.add(f"trace.{name}", n))

    launch = Launch(
        counters=counters,
        stop=StopRequest(),
        obey_signals=True,
        adjust=partial(adjusted, folder=folder),
        write_traces=write,
    )
    anyio.run(partial(serve, settings, launch), backend="trio")


if __name__ == "__main__":
    main()
