"""The configuration: one tree that nests each feature's policy, and where it comes from.

A later layer wins: defaults, the file, ``RECALLD_…`` variables, the command line.
"""

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from recalld.config_decode import convert, faults_of, from_environment, parse, put, variable_of
from recalld.config_schema import leaves, value_at
from recalld.continuity.policy import ContinuityPolicy
from recalld.embed.policy import EmbedPolicy
from recalld.errors import BadConfig
from recalld.fallback.policy import FallbackPolicy
from recalld.heartbeat.policy import HeartbeatPolicy
from recalld.index.policy import IndexPolicy, Pattern, check_patterns
from recalld.llm.policy import LlmPolicy
from recalld.recall.policy import (
    RESCUE_TIMEOUT_CAP_MS,
    GraphMemoryPolicy,
    Policy,
    RecallPolicy,
    SemanticGatePolicy,
    TracePolicy,
)
from recalld.server.policy import HookPolicy, LogPolicy, ServerPolicy, SubscribeEntry
from recalld.there import is_missing

# Far above any real file, far below what would hurt; /dev/zero must end somewhere.
MAX_FILE_BYTES = 1 << 20

# These are bound once at start; a reload reports them instead of half-applying them.
RESTART_TABLES = ("server", "index", "embed", "log", "subscribe")

WorkspacePath = Annotated[str, Meta(min_length=1, max_length=4_096)]


class WorkspaceEntry(Policy, frozen=True, kw_only=True):
    """A workspace, or a glob of them, with globs of its own that decide a file's source.

    The globs are .gitignore patterns relative to the workspace; a file they name is indexed
    also when ``index.include`` does not name it.
    """

    path: WorkspacePath
    memory: tuple[Pattern, ...] = ()
    wiki: tuple[Pattern, ...] = ()
    documents: tuple[Pattern, ...] = ()

    def __post_init__(self) -> None:
        for name in ("memory", "wiki", "documents"):
            check_patterns(f"workspaces.{name}", getattr(self, name))


class Config(Policy, frozen=True, kw_only=True):
    """Everything a user may set."""

    workspaces: tuple[WorkspacePath | WorkspaceEntry, ...] = ()
    recall: RecallPolicy = RecallPolicy()
    trace: TracePolicy = TracePolicy()
    graph_memory: GraphMemoryPolicy = GraphMemoryPolicy()
    server: ServerPolicy = ServerPolicy()
    index: IndexPolicy = IndexPolicy()
    embed: EmbedPolicy = EmbedPolicy()
    search: FallbackPolicy = FallbackPolicy()
    llm: LlmPolicy = LlmPolicy()
    continuity: ContinuityPolicy = ContinuityPolicy()
    heartbeat: HeartbeatPolicy = HeartbeatPolicy()
    hook: HookPolicy = HookPolicy()
    log: LogPolicy = LogPolicy()
    subscribe: tuple[SubscribeEntry, ...] = ()

    def __post_init__(self) -> None:
        for entry in self.workspaces:
            path = entry if isinstance(entry, str) else entry.path
            if not path.startswith(("/", "~")) or "\0" in path:
                raise ValueError(f"workspaces: {path!r} is neither absolute nor under ~")


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """A configuration with its file (None: built-in defaults) and what to tell the user."""

    config: Config
    path: Path | None
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Reloaded:
    """What a reload did: keys that changed, and those of them that wait for a restart."""

    changed: tuple[str, ...]
    needs_restart: tuple[str, ...]
    warnings: tuple[str, ...]


def choose_file(explicit: str | Path | None, environ: Mapping[str, str]) -> Path | None:
    """``explicit``, else ``$RECALLD_CONFIG``, else the user's file if it is there, else None.

    One that cannot be looked at is there: reading it says why.
    """
    named = explicit or environ.get("RECALLD_CONFIG")
    if named:
        return Path(named).expanduser()
    usual = user_file(environ)
    return None if is_missing(usual) else usual


def user_file(environ: Mapping[str, str]) -> Path:
    """Where the user's own file lies, whether it is there or not."""
    return _base(environ, "XDG_CONFIG_HOME", ".config") / "recalld" / "config.toml"


def state_dir(environ: Mapping[str, str]) -> Path:
    """``$RECALLD_STATE_DIR``, else ``$XDG_STATE_HOME/recalld``: the databases lie here."""
    named = environ.get("RECALLD_STATE_DIR")
    if named:
        return Path(named).expanduser()
    return _base(environ, "XDG_STATE_HOME", ".local/state") / "recalld"


def socket_path(config: Config, environ: Mapping[str, str]) -> Path:
    """``$RECALLD_SOCKET``, else ``server.socket``, else the runtime directory, else /tmp."""
    named = environ.get("RECALLD_SOCKET") or config.server.socket
    if named:
        return Path(named).expanduser()
    runtime = environ.get("XDG_RUNTIME_DIR", "")
    if runtime.startswith("/"):
        return Path(runtime) / "recalld" / "recalld.sock"
    return Path(f"/tmp/recalld-{os.getuid()}") / "recalld.sock"  # noqa: S108 (0700, lstat-checked)


def _base(environ: Mapping[str, str], variable: str, usual: str) -> Path:
    # The XDG specification: a relative path in these variables is to be ignored.
    named = environ.get(variable, "")
    if named.startswith("/"):
        return Path(named)
    return Path(environ.get("HOME") or "~").expanduser() / usual


def read_file(path: Path) -> bytes:
    """The bytes of a regular file or character device (``/dev/null`` is an empty file).

    Raises ``BadConfig`` naming the file: missing, a directory, a pipe, unreadable, over 1 MiB.
    """
    try:
        mode = path.stat().st_mode
        if not (stat.S_ISREG(mode) or stat.S_ISCHR(mode)):
            what = "a directory" if stat.S_ISDIR(mode) else "not a regular file"
            raise BadConfig(str(path), f"is {what}")
        with path.open("rb") as stream:
            data = stream.read(MAX_FILE_BYTES + 1)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise BadConfig(str(path), why.lower()) from error
    if len(data) > MAX_FILE_BYTES:
        raise BadConfig(str(path), f"is larger than {MAX_FILE_BYTES} bytes")
    return data


def read(
    path: str | Path | None,
    environ: Mapping[str, str],
    *,
    overrides: Mapping[str, object] | None = None,
) -> Loaded:
    """The configuration in effect. ``overrides`` are dotted keys of the command line.

    Raises ``BadConfig`` naming the dotted key or the file; nothing is guessed.
    """
    chosen = choose_file(path, environ)
    document = {} if chosen is None else parse(read_file(chosen), name=str(chosen))
    values, warnings = from_environment(environ, Config)
    for key, value in {**values, **(overrides or {})}.items():
        put(document, key, value)
    try:
        config, more = settle(convert(document, Config))
    except BadConfig as error:
        raise located(error, chosen, from_variables=tuple(values)) from error
    return Loaded(config=config, path=chosen, warnings=warnings + more)


def problems(path: str | Path | None, environ: Mapping[str, str]) -> tuple[BadConfig, ...]:
    """Everything ``read`` would refuse that can be told apart, the file's faults first."""
    chosen = choose_file(path, environ)
    document: dict[str, object] = {}
    found: list[BadConfig] = []
    variables: list[str] = []
    try:
        document = {} if chosen is None else parse(read_file(chosen), name=str(chosen))
    except BadConfig as error:
        found.append(error)
    for name in sorted(environ):
        try:
            values, _ = from_environment({name: environ[name]}, Config)
            for key, value in values.items():
                put(document, key, value)
                variables.append(key)
        except BadConfig as error:
            found.append(error)
    faults = faults_of(document, Config)
    return (*(located(fault, chosen, from_variables=tuple(variables)) for fault in faults), *found)


def located(error: BadConfig, file: Path | None, *, from_variables: tuple[str, ...]) -> BadConfig:
    """The fault with the variable or the file that its key came from."""
    for key in from_variables:
        if error.key == key or error.key.startswith((f"{key}.", f"{key}[")):
            return BadConfig(error.key, f"{error.problem} (from {variable_of(key)})")
    return BadConfig(error.key, error.problem, file=None if file is None else str(file))


def load(path: str | Path | None, environ: Mapping[str, str]) -> Config:
    """As ``read``, without the warnings."""
    return read(path, environ).config


def settle(config: Config) -> tuple[Config, tuple[str, ...]]:
    """The configuration as it takes effect, and why it differs or does less than it says."""
    warnings = []
    recall = config.recall
    if recall.expansion.timeout_ms > RESCUE_TIMEOUT_CAP_MS:
        warnings.append(
            f"recall.expansion.timeout_ms: {recall.expansion.timeout_ms} is cut to "
            f"{RESCUE_TIMEOUT_CAP_MS}, its hard limit"
        )
        capped = msgspec.structs.replace(recall.expansion, timeout_ms=RESCUE_TIMEOUT_CAP_MS)
        config = msgspec.structs.replace(
            config, recall=msgspec.structs.replace(recall, expansion=capped)
        )
    if recall.semantic_gate != SemanticGatePolicy():
        warnings.append("recall.semantic_gate: compatibility only; nothing calls it")
    return config, tuple(warnings)


def differing(before: Config, after: Config) -> tuple[str, ...]:
    """Dotted keys whose values differ, in the order of declaration."""
    old, new = msgspec.to_builtins(before), msgspec.to_builtins(after)
    return tuple(key for key, _ in leaves(Config) if value_at(old, key) != value_at(new, key))


class Settings:
    """The configuration in effect, and the only place where it changes.

    ``current`` is replaced whole by ``adopt`` or not at all; holders ask again per request.
    """

    def __init__(
        self,
        path: str | Path | None,
        environ: Mapping[str, str],
        *,
        overrides: Mapping[str, object] | None = None,
    ) -> None:
        self._explicit = path
        self._environ = dict(environ)
        self._overrides = dict(overrides or {})
        self._loaded = read(path, self._environ, overrides=self._overrides)

    @property
    def current(self) -> Config:
        return self._loaded.config

    @property
    def path(self) -> Path | None:
        return self._loaded.path

    @property
    def warnings(self) -> tuple[str, ...]:
        return self._loaded.warnings

    @property
    def environ(self) -> Mapping[str, str]:
        return self._environ

    def reread(self) -> Loaded:
        """What the sources say now; nothing changes. Raises ``BadConfig``. Blocks."""
        return read(self._explicit, self._environ, overrides=self._overrides)

    def adopt(self, fresh: Loaded) -> Reloaded:
        """Let ``fresh`` be the configuration in effect.

        Keys of ``RESTART_TABLES`` are listed in ``needs_restart``: their readers took them at
        start.
        """
        changed = differing(self._loaded.config, fresh.config)
        self._loaded = fresh
        waiting = tuple(key for key in changed if key.split(".")[0] in RESTART_TABLES)
        return Reloaded(changed=changed, needs_restart=waiting, warnings=fresh.warnings)
