"""Whether the hosts' hooks fire, and get through to the daemon when they do."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import takewhile
from pathlib import Path

from recalld.cli._doctor_places import Troubles, trouble
from recalld.cli._doctor_talk import RECENT, Conversation, Talk
from recalld.cli._state import Row
from recalld.client.hooks import HOSTS
from recalld.continuity.findings import Severity

# So many sessions in a row without a sign of the hook are no accident.
UNSEEN_IN_A_ROW = 3
# So many failures within a day are no accident either.
FAILURES_A_DAY = 3
DAY = timedelta(days=1)
LOG = "hook.log"
_LOG_TAIL_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A hook that said nothing, as it noted itself."""

    at: datetime
    host: str
    line: str


def failures(folder: Path, *, now: datetime) -> tuple[Failure, ...]:
    """What hooks noted of late in the state directory, oldest first."""
    try:
        with (folder / LOG).open("rb") as stream:
            size = stream.seek(0, 2)
            stream.seek(max(0, size - _LOG_TAIL_BYTES))
            lines = stream.read(_LOG_TAIL_BYTES).decode("utf-8", "replace").split("\n")
    except OSError:
        return ()
    found = (_failure(line) for line in lines)
    return tuple(one for one in found if one is not None and now - one.at <= RECENT)


def _failure(line: str) -> Failure | None:
    when, _, rest = line.partition(" ")
    try:
        at = datetime.fromisoformat(when)
    except ValueError:
        return None
    host = rest.replace(":", " ").split(" ")[0]
    return Failure(at=at, host=host, line=rest) if at.tzinfo is not None else None


def failure_troubles(failed: Sequence[Failure], *, now: datetime) -> Troubles:
    if failed:
        today = sum(now - one.at <= DAY for one in failed)
        severity = Severity.WARNING if today >= FAILURES_A_DAY else Severity.INFO
        many = f"{len(failed)} time{'s' if len(failed) > 1 else ''}"
        message = f"hooks gave up {many} in the last {RECENT.days} days, last: {failed[-1].line}"
        yield trouble("hooks", severity, message)


def hook_troubles(talk: Talk, failed: Sequence[Failure]) -> Troubles:
    """By the sessions that left a transcript and those that the daemon noted.

    Nothing where no daemon was ever there to be told.
    """
    if talk.since is None:
        return
    failing = {one.host for one in failed}
    missing = [one for host in HOSTS if (one := _missed(host, talk)) is not None]
    for host, missed, all_of_them in missing:
        many = f"{missed} session{'s' if missed > 1 else ''}"
        severity = Severity.WARNING if missed >= UNSEEN_IN_A_ROW else Severity.INFO
        how = "never fired" if all_of_them else "has not fired lately"
        told = f"{how}, in {many}: recalld install {host}"
        if host in failing:
            told = f"fires and does not get through, in {many}: see {LOG}"
        yield trouble("hooks", severity, f"the hook of {host} {told}")
    if talk.sessions:
        yield trouble("hooks", Severity.OK, f"hosts that were heard: {_heard(talk.sessions)}")
    elif not missing:
        message = "no host has told of a session here yet: recalld install HOST"
        yield trouble("hooks", Severity.INFO, message)


def _missed(host: str, talk: Talk) -> tuple[str, int, bool] | None:
    """How many of the host's newest sessions in a row went unheard, and whether that is all."""
    since = talk.since
    talks = [one for one in talk.conversations if one.host == host and one.spoken]
    talks = [one for one in talks if since is not None and one.started_at >= since]
    talks.sort(key=lambda one: one.started_at, reverse=True)
    missed = len(list(takewhile(lambda one: not _fired(one, talk.sessions), talks)))
    return (host, missed, missed == len(talks)) if missed else None


def _fired(talk: Conversation, sessions: Sequence[Row]) -> bool:
    """The session itself is known, or its host was heard while it ran."""
    return any(
        row.key == talk.session
        or (
            row.client == talk.host
            and row.started_at <= talk.ended_at
            and row.seen_at >= talk.started_at
        )
        for row in sessions
    )


def _heard(sessions: Sequence[Row]) -> str:
    counts: dict[str, int] = {}
    for row in sessions:
        name = row.client or "an unnamed host"
        counts[name] = counts.get(name, 0) + 1
    return ", ".join(
        f"{name} in {counts[name]} session{'s' if counts[name] > 1 else ''}"
        for name in sorted(counts)
    )
