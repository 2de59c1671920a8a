"""Everything the doctor looks at, put together: each workspace, then what all of them share."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import anyio

from recalld.cli._doctor_daemon import (
    Answers,
    ask,
    daemon_troubles,
    index_troubles,
    roots_of,
    synced,
)
from recalld.cli._doctor_hooks import Failure, failure_troubles, failures, hook_troubles
from recalld.cli._doctor_places import (
    Trouble,
    Troubles,
    leftovers,
    model_troubles,
    socket_troubles,
    stale_socket,
    state_troubles,
    trace_troubles,
    trouble,
)
from recalld.cli._doctor_talk import Talk, is_users, talk_of, transcripts
from recalld.cli._roots import configured, home_among, real_path
from recalld.cli._state import StateFile
from recalld.client import Client, socket_path
from recalld.config import Config, problems, read, state_dir
from recalld.continuity.doctor import diagnose
from recalld.continuity.examine import Surroundings, examine
from recalld.continuity.findings import Finding, Severity, worst
from recalld.errors import BadConfig, Unavailable
from recalld.there import is_folder


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What the command line said. ``folders`` are absolute."""

    folders: tuple[str, ...]
    socket: str | None
    config: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """The troubles of the workspace ``folder``, or, where it is None, of what all share."""

    title: str
    troubles: tuple[Trouble, ...]
    folder: str | None = None

    @property
    def findings(self) -> tuple[Finding, ...]:
        return tuple(each.finding for each in self.troubles)

    @property
    def status(self) -> Severity:
        return worst(self.findings)


def examined(asked: Asked) -> tuple[Block, ...]:
    """Everything as it is now; empty where no workspace is known and the settings are sound."""
    config, faults = _settings(asked.config)
    now = datetime.now(UTC)
    path = Path(socket_path(asked.socket, os.environ, config=asked.config))
    with Client(path) as client:
        answers = ask(client)
    known = _roots(config) or roots_of(answers)
    folders = asked.folders or known
    if not folders and worst([fault.finding for fault in faults]) < Severity.CRITICAL:
        return ()
    real = {folder: real_path(folder) for folder in (*known, *folders)}
    world = _World(
        config=config,
        answers=answers,
        socket=path,
        real=real,
        state=StateFile(state_dir(os.environ)),
        failed=failures(state_dir(os.environ), now=now),
        now=now,
    )
    talks, unread = world.talks()
    blocks = [world.block(folder, talks) for folder in folders]
    troubles = (*faults, *unread, *world.shared())
    return (*blocks, Block(title=f"daemon at {path}", troubles=troubles))


def _settings(config: str | None) -> tuple[Config, tuple[Trouble, ...]]:
    """The settings, or the built-in ones where they are wrong, and what is wrong with them."""
    try:
        loaded = read(config, os.environ)
        configured(loaded.config)
    except BadConfig as error:
        found = problems(config, os.environ) or (error,)
        critical = partial(trouble, "config", Severity.CRITICAL)
        return Config(), tuple(critical(f"the settings are wrong: {one}") for one in found)
    warnings = (trouble("config", Severity.INFO, f"the settings: {w}") for w in loaded.warnings)
    return loaded.config, tuple(warnings)


def _roots(config: Config) -> tuple[str, ...]:
    return tuple(workspace.root for workspace in configured(config))


@dataclass(frozen=True, slots=True, kw_only=True)
class _World:
    """``real``: where every folder that is or might be a workspace lies, None: its disk hangs."""

    config: Config
    answers: Answers
    socket: Path
    real: Mapping[str, str | None]
    state: StateFile
    failed: tuple[Failure, ...]
    now: datetime

    def talks(self) -> tuple[Mapping[str, Talk], tuple[Trouble, ...]]:
        """What was said, by workspace, and what of it could not be read."""
        roots = tuple(dict.fromkeys(root for root in self.real.values() if root is not None))
        home = home_among(roots)
        patterns = tuple(map(os.path.expanduser, self.config.index.transcripts))
        said = transcripts(roots, patterns, home=home, now=self.now)
        try:
            return talk_of(self.state, said, home=home, now=self.now), ()
        except Unavailable as error:
            return {}, (
                trouble("state", Severity.WARNING, f"no session can be told of: {error.problem}"),
            )

    def block(self, folder: str, talks: Mapping[str, Talk]) -> Block:
        title, root = f"workspace {folder}", self.real[folder]
        if root is None:
            hangs = trouble("file", Severity.CRITICAL, f"the disk of {folder} does not answer")
            return Block(title=title, troubles=(hangs,), folder=folder)
        talk = talks.get(root) or Talk(since=self.state.since)
        around = Surroundings(
            trace_file=self.config.trace.file,
            is_users=is_users,
            exchanges=talk.exchanges,
            activity=talk.activity,
        )
        seen = anyio.run(partial(examine, root, around, now=self.now), backend="trio")
        troubles = [Trouble(finding=finding) for finding in diagnose(seen)]
        if is_folder(root):
            troubles += self._beside(root, talk)
        return Block(title=title, troubles=tuple(troubles), folder=folder)

    def _beside(self, root: str, talk: Talk) -> Iterator[Trouble]:
        uid = os.getuid()
        yield from trace_troubles(root, self.config, uid=uid)
        yield from leftovers(root, now=self.now)
        yield from hook_troubles(talk, self.failed)
        syncing = partial(synced, self.socket)
        yield from index_troubles(self.answers, root, syncing=syncing)

    def shared(self) -> Troubles:
        uid = os.getuid()
        stale = stale_socket(self.socket, uid=uid) if self.answers.absent else None
        if stale is not None:
            yield stale
        else:
            relied_on = self.state.since is not None
            yield from daemon_troubles(self.answers, self.socket, relied_on=relied_on)
        yield from socket_troubles(self.socket, uid=uid)
        yield from state_troubles(self.state.path.parent, uid=uid)
        yield from failure_troubles(self.failed, now=self.now)
        yield from model_troubles(self.config)
