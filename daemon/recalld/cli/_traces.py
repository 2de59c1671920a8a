"""Where the traces of the workspaces lie, and one trace as a line a person can read."""

import glob
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from recalld.cli._options import absolute, daemon
from recalld.cli._output import safe
from recalld.client import ClientError
from recalld.config import Config, read, state_dir
from recalld.errors import BadConfig
from recalld.there import is_file

_STATUS_WIDTH = 20
_QUERY_CHARS = 60
_HOMELESS = "recall-traces.jsonl"
NO_WORKSPACE = (
    "none is configured; 'recalld workspace add DIR' remembers a folder, --workspace DIR names one"
)


def trace_files(
    workspaces: list[str] | None, *, socket: str | None, config: str | None
) -> tuple[Path, ...]:
    """One file a workspace: of those named here, else in ``config``, else of the daemon's.

    Without a daemon it is the configured ones. Prompts without a workspace are traced in the
    state directory; that file comes last, if it is there. The others need not exist. Raises
    ``BadConfig`` when there is no file to look into, or when a named one is missing or wrong.
    """
    folders = [absolute(folder) for folder in workspaces or ()]
    try:
        loaded = read(config, os.environ).config
    except BadConfig as error:
        folders = instead_of(error, socket=socket, config=config, named=folders)
        loaded = Config()
    configured = _expanded(loaded)
    if not folders and config is not None:
        folders = configured
    folders = folders or daemon_folders(socket, config) or configured
    files = [Path(folder) / loaded.trace.file for folder in dict.fromkeys(folders)]
    homeless = state_dir(os.environ) / _HOMELESS
    if not workspaces and is_file(homeless):
        files.append(homeless)
    if not files:
        raise BadConfig("workspaces", NO_WORKSPACE)
    return tuple(files)


def instead_of(
    error: BadConfig, *, socket: str | None, config: str | None, named: list[str] | None = None
) -> list[str]:
    """``named``, else the daemon's folders, with a warning that the settings are ``error``.

    Raises ``error`` itself where nothing is there to go on with, or where the user named the
    file.
    """
    folders = [] if config is not None else named or daemon_folders(socket, None)
    if not folders:
        raise error
    source = "those you name" if named else "those of the running daemon"
    sys.stderr.write(f"warning: {safe(str(error))}; the folders are {source}\n")
    return folders


def _expanded(config: Config) -> list[str]:
    entries = (item if isinstance(item, str) else item.path for item in config.workspaces)
    return [found for entry in entries for found in sorted(glob.glob(absolute(entry)))]  # noqa: PTH207


def daemon_folders(socket: str | None, config: str | None) -> list[str]:
    """The roots of the daemon's workspaces; none when no daemon says so in time."""
    try:
        with daemon(socket, config) as client:
            status = client.call("index.status", timeout_s=2.0)
    except ClientError:
        return []
    listed = status.get("workspaces")
    parts = [part for part in listed if isinstance(part, dict)] if isinstance(listed, list) else []
    return [root for part in parts if isinstance(root := part.get("workspace"), str)]


def daemon_answers(socket: str | None, config: str | None) -> bool:
    try:
        with daemon(socket, config) as client:
            client.call("ping", timeout_s=2.0)
    except ClientError:
        return False
    return True


def rotations(file: Path) -> Iterator[Path]:
    """``file.1`` (the youngest), ``file.2``, … as far as they go."""
    number = 1
    while is_file(rotated := file.with_name(f"{file.name}.{number}")):
        yield rotated
        number += 1


def parsed(line: bytes) -> dict[str, object] | None:
    """The trace in ``line``; None where the line is none (a torn one, an older format)."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def readable(trace: dict[str, object]) -> str:
    """Time, what became of it, the gate's word, how long, the best hit, the query, the id."""
    when = str(trace.get("ts", ""))
    time = when[11:19] if len(when) >= 19 else when
    gate = f"{trace.get('gateDecision') or '-'}/{trace.get('gateReason') or '-'}"
    elapsed = trace.get("elapsedMs", trace.get("totalMs"))
    took = f"{elapsed:7.1f} ms" if isinstance(elapsed, int | float) else " " * 10
    parts = [time, str(trace.get("status", "-")).ljust(_STATUS_WIDTH), took, gate]
    parts.append(str(trace.get("recallDepth") or "-"))
    hits = best_hits(trace)
    if hits:
        many = "hits" if len(hits) > 1 else "hit"
        parts.append(f"{len(hits)} {many}, best {hits[0]['bestRawScore']:.2f} {hits[0]['path']}")
    query = query_of(trace)
    if query:
        short = query if len(query) <= _QUERY_CHARS else query[:_QUERY_CHARS] + "…"
        parts.append(json.dumps(short, ensure_ascii=False))
    parts.append(str(trace.get("traceId") or ""))
    return "  ".join(part for part in parts if part)


def best_hits(trace: dict[str, object]) -> list[dict[str, object]]:
    """The fused hits, best first; empty where there are none."""
    fused = trace.get("fusionTop")
    found = [hit for hit in fused if isinstance(hit, dict)] if isinstance(fused, list) else []
    return [hit for hit in found if isinstance(hit.get("bestRawScore"), int | float)]


def query_of(trace: dict[str, object]) -> str:
    """The prompt, else what was searched first; empty where the text is not kept."""
    if trace.get("prompt"):
        return str(trace["prompt"])
    searches = trace.get("searches")
    if isinstance(searches, list) and searches and isinstance(searches[0], dict):
        return str(searches[0].get("query") or "")
    return ""
