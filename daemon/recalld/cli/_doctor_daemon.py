"""What the running daemon says of itself. One that hangs costs two seconds at most."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from recalld import __version__
from recalld.cli._doctor_places import Trouble, Troubles, trouble
from recalld.cli._roots import home_among
from recalld.cli.index import sync
from recalld.client import Client, ClientError, NoDaemon, RpcError, TimedOut
from recalld.continuity.findings import Severity

# Silence as a whole: after one question without an answer no other is asked.
SILENCE_S = 1.8
PROTOCOL = 1
COUNTED = ("files", "chunks", "lexical", "vectors")

Facts = Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """What was answered, by method. ``fault``: why the asking ended, None: everything was said.

    ``absent``: nobody listens.
    """

    told: Mapping[str, Facts] = field(default_factory=dict)
    fault: str | None = None
    absent: bool = False

    @property
    def ping(self) -> Facts | None:
        return self.told.get("ping")

    @property
    def status(self) -> Facts | None:
        return self.told.get("status")

    @property
    def index(self) -> Facts | None:
        return self.told.get("index.status")


def ask(client: Client) -> Answers:
    """Never raises."""
    told: dict[str, Facts] = {}
    fault = None
    for method in ("ping", "status", "index.status"):
        try:
            told[method] = client.call(method, timeout_s=SILENCE_S)
        except NoDaemon as error:
            return Answers(absent=True, fault=error.problem)
        except TimedOut:
            fault = f"{method} is not answered within {SILENCE_S:g} s"
            break
        except RpcError as error:
            fault = f"{method} is refused: {error.message}"
        except ClientError as error:
            fault = f"{method}: {error}"
            break
    return Answers(told=told, fault=fault)


def daemon_troubles(answers: Answers, path: Path, *, relied_on: bool) -> Troubles:
    """``relied_on``: a daemon has run for this user, so one that does not run is worth a word."""
    if answers.absent:
        severity = Severity.INFO if relied_on else Severity.OK
        message = f"no daemon runs at {path}; what it would say is left out"
        yield trouble("daemon", severity, message)
        return
    if answers.ping is None:
        message = f"the daemon does not answer: {answers.fault}"
        yield trouble("daemon", Severity.CRITICAL, message)
        return
    yield trouble("daemon", Severity.OK, f"the daemon answers (pid {answers.ping.get('pid')})")
    yield from _versions(answers.ping)
    if answers.fault is not None:
        yield trouble("daemon", Severity.WARNING, f"the daemon is in trouble: {answers.fault}")
    yield from _degraded(answers)


def _versions(ping: Facts) -> Troubles:
    version, protocol = ping.get("version"), ping.get("protocol")
    if version != __version__:
        message = f"the daemon is {version}, this command is {__version__}: restart the daemon"
        yield trouble("versions", Severity.WARNING, message)
    elif protocol != PROTOCOL:
        message = f"the daemon speaks protocol {protocol}, this command {PROTOCOL}"
        yield trouble("versions", Severity.WARNING, message)
    else:
        yield trouble("versions", Severity.OK, f"daemon and command are {__version__}")


def _degraded(answers: Answers) -> Troubles:
    """What does not work, part by part; the index is told of workspace by workspace."""
    if answers.status is None:
        return
    listed = answers.status.get("degraded")
    reasons = [str(reason) for reason in listed] if isinstance(listed, list) else []
    if answers.index is not None:
        reasons = [reason for reason in reasons if not reason.startswith("index: ")]
    for reason in reasons:
        loading = reason.endswith(": loading")
        yield trouble("degraded", Severity.INFO if loading else Severity.WARNING, reason)
    if not reasons:
        yield trouble("degraded", Severity.OK, "every part of the daemon works")


def index_troubles(answers: Answers, root: str, *, syncing: Callable[[str], str]) -> Troubles:
    """Of one workspace. Nothing where the daemon did not say."""
    if answers.index is None:
        return
    known = {str(part.get("workspace")): part for part in _parts(answers.index)}
    part = known.get(root)
    if part is None:
        yield _unknown(root, tuple(known))
        return
    yield from _watching(part)
    yield from _agreement(part, root, syncing)


def _unknown(root: str, known: Sequence[str]) -> Trouble:
    home = home_among(known)(root)
    if home is not None:
        message = f"this folder is part of the workspace {home}, whose checkpoint counts"
        return trouble("index", Severity.INFO, message)
    message = f"the daemon does not remember this folder: recalld workspace add {root}"
    return trouble("index", Severity.WARNING, message)


_WATCHING = {
    "watch": (Severity.OK, "changes are watched"),
    "starting": (Severity.INFO, "the watcher is starting"),
    "polling": (Severity.INFO, "changes are polled for, not watched"),
}


def _watching(part: Facts) -> Troubles:
    watch = str(part.get("watch"))
    severity, said = _WATCHING.get(watch, (Severity.WARNING, f"the watcher is {watch}"))
    yield trouble("watcher", severity, said)


def _agreement(part: Facts, root: str, syncing: Callable[[str], str]) -> Troubles:
    invariants, reading = part.get("invariants"), part.get("reading")
    holds = isinstance(invariants, Mapping) and invariants.get("holds") is True
    counts = ", ".join(f"{name} {part.get(name)}" for name in COUNTED)
    if holds:
        yield trouble("index", Severity.OK, f"the parts of the index agree: {counts}")
    elif _is_busy(reading) or part.get("reembedding"):
        yield trouble("index", Severity.INFO, f"the index is being built: {counts}")
    else:
        message = f"the parts of the index disagree: {counts}"
        yield trouble("index", Severity.WARNING, message, partial(syncing, root))
    listed = part.get("degraded")
    for reason in listed if isinstance(listed, list) else ():
        if not str(reason).startswith("watch: "):
            yield trouble("index", Severity.WARNING, str(reason))


def _is_busy(reading: object) -> bool:
    if not isinstance(reading, Mapping):
        return False
    done, total = reading.get("done"), reading.get("total")
    return isinstance(done, int) and isinstance(total, int) and done < total


def roots_of(answers: Answers) -> tuple[str, ...]:
    """The workspaces of the running daemon; none where it did not say."""
    parts = [] if answers.index is None else _parts(answers.index)
    return tuple(root for part in parts if isinstance(root := part.get("workspace"), str))


def _parts(index: Facts) -> Sequence[Facts]:
    listed = index.get("workspaces")
    return [part for part in listed if isinstance(part, dict)] if isinstance(listed, list) else []


def synced(path: Path, root: str) -> str:
    """Bring the index up to what is on disk, and wait for it."""
    with Client(path) as client, Client(path) as other:
        told = sync(client, other, {"workspace": root}, quiet=False)
    return f"rebuilt the index of {root}: {told.get('files')} files, {told.get('chunks')} chunks"
