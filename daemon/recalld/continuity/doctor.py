"""Whether a workspace's continuity can be relied on: eight checks over what was seen. Pure."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta

from recalld.continuity import alignment
from recalld.continuity.findings import Examined, Exchange, Finding, Severity
from recalld.continuity.greetings import opens_with_greeting
from recalld.continuity.guard import is_poison
from recalld.continuity.model import Checkpoint, Parsed
from recalld.continuity.questions import asks_to_resume
from recalld.text.quote import shortened
from recalld.text.redact import redact

FILE = "memory/CURRENT_STATE.md"
ARCHIVE = "memory/session_archive"
# The last words of an exchange come after the checkpoint that was written in it.
GRACE = timedelta(minutes=5)
# A file is written a moment after the time it says.
SAME_TIME = timedelta(minutes=5)
OLD, VERY_OLD = timedelta(hours=4), timedelta(hours=24)
# Words that say only "go on" are no next action; a longer sentence may begin with them.
MAX_BARE_CHARS = 24
_QUOTE_CHARS = 60


Told = Iterator[tuple[Severity, str]]


def diagnose(seen: Examined) -> tuple[Finding, ...]:
    """The findings of every check, in order; at least one each, OK where nothing is wrong.

    Without a checkpoint there is one finding, and it is critical.
    """
    if seen.fault is not None:
        return (Finding(check="file", severity=Severity.CRITICAL, message=seen.fault),)
    return tuple(
        Finding(check=name, severity=severity, message=message)
        for name, look in CHECKS
        for severity, message in look(seen)
    )


def _file(seen: Examined) -> Told:
    del seen
    yield Severity.OK, f"{FILE} is there"


def _staleness(seen: Examined) -> Told:
    """Against the newest activity that is known, else by age. What is idle cannot be behind."""
    yield from _disagreement(seen)
    at = _written_at(seen)
    if at is None:
        yield Severity.INFO, "nothing says when the checkpoint was written"
        return
    bad = Severity.WARNING if seen.parsed.checkpoint.active else Severity.INFO
    if seen.activity is not None:
        behind = seen.activity.at - at
        if behind > GRACE:
            where = f"{_time(seen.activity.at)}, {seen.activity.seen_in}"
            yield bad, f"the checkpoint is {_span(behind)} older than the last activity ({where})"
        else:
            yield Severity.OK, "the checkpoint is as new as the last activity that is known"
        return
    age = seen.now - at
    severity = bad if age > VERY_OLD else Severity.INFO if age > OLD else Severity.OK
    yield severity, f"the checkpoint is {_span(age)} old; no later activity is known"


def _disagreement(seen: Examined) -> Told:
    said, modified = seen.parsed.checkpoint.updated_at, seen.modified_at
    if said is None:
        yield Severity.INFO, "the checkpoint does not say when it was last updated"
    elif said - seen.now > SAME_TIME:
        yield Severity.INFO, f"the checkpoint says it was updated in the future ({_time(said)})"
    elif modified is not None and abs(said - modified) > SAME_TIME:
        times = f"{_time(said)}, which counts, and the file was changed {_time(modified)}"
        yield Severity.INFO, f"two times disagree: the checkpoint says {times}"


def _written_at(seen: Examined) -> datetime | None:
    """As the file says it; where it does not, or claims a future, when its bytes changed."""
    said = seen.parsed.checkpoint.updated_at
    believed = said is not None and said - seen.now <= SAME_TIME
    return said if believed else seen.modified_at


def _sections(seen: Examined) -> Told:
    parsed = seen.parsed
    for name in parsed.missing:
        yield Severity.WARNING, f"the section {name} is missing"
    if parsed.template:
        names = ", ".join(parsed.placeholders)
        yield Severity.WARNING, f"the file is an unfilled template: {names} still to be filled in"
        return
    for name in parsed.placeholders:
        yield _unfilled(name, parsed), f"the section {name} holds placeholder text"
    if not parsed.missing and not parsed.placeholders:
        yield Severity.OK, "all six sections are there, none with placeholder text"


def _unfilled(name: str, parsed: Parsed) -> Severity:
    """Worse where of the two that recovery needs one is filled in and the other is not."""
    checkpoint = parsed.checkpoint
    other = {"Objective": checkpoint.next_action, "Next Action": checkpoint.objective}
    return Severity.WARNING if other.get(name) else Severity.INFO


def _usability(seen: Examined) -> Told:
    checkpoint = seen.parsed.checkpoint
    if checkpoint.active:
        told = list(_use_of(checkpoint))
        yield from told
        if not told:
            yield Severity.OK, f"there is active work: {_quoted(checkpoint.objective)}"
    elif said := [name for name, text in _texts(checkpoint) if text]:
        told_of = " and ".join(said)
        yield Severity.WARNING, f"nothing can be resumed: {told_of} without an Objective"
    elif seen.parsed.template:
        yield Severity.WARNING, "nothing can be resumed: the template was never filled in"
    else:
        yield Severity.INFO, "there is no active work"


def _use_of(checkpoint: Checkpoint) -> Told:
    objective, step = checkpoint.objective, checkpoint.next_action
    if is_poison(objective):
        yield Severity.WARNING, f"the Objective is an error message: {_quoted(objective)}"
    elif _only_goes_on(objective):
        yield Severity.WARNING, f"the Objective names no work: {_quoted(objective)}"
    if not step:
        yield Severity.WARNING, "the Next Action says nothing, so nobody knows how to go on"
    elif _only_goes_on(step):
        yield Severity.WARNING, f"the Next Action names nothing to do: {_quoted(step)}"


def _only_goes_on(text: str) -> bool:
    return len(text) <= MAX_BARE_CHARS and asks_to_resume(text) is not None


def _texts(checkpoint: Checkpoint) -> tuple[tuple[str, object], ...]:
    return (
        ("Current Step", checkpoint.current_step),
        ("Key Decisions", checkpoint.key_decisions),
        ("Next Action", checkpoint.next_action),
        ("Blockers", checkpoint.blockers),
    )


def _unsurfaced(seen: Examined) -> Told:
    text = seen.parsed.checkpoint.unsurfaced_results
    if text:
        yield Severity.WARNING, f"results wait to be told to the user: {_quoted(text)}"
    else:
        yield Severity.OK, "no result waits to be told to the user"


def _archive(seen: Examined) -> Told:
    if seen.unreadable:
        yield Severity.INFO, f"copies that cannot be read: {', '.join(seen.unreadable)}"
    if not seen.archive:
        yield Severity.INFO, f"{ARCHIVE}/ holds no copy yet"
        return
    newest = seen.archive[0]
    before, now = newest.checkpoint.objective, seen.parsed.checkpoint.objective
    if " ".join(before.split()) == " ".join(now.split()):
        yield Severity.OK, f"the newest copy, {newest.name}, has the same objective"
    else:
        was = _quoted(before) if before else "none"
        yield Severity.INFO, f"the newest copy, {newest.name}, has another objective: {was}"


def _greeting(seen: Examined) -> Told:
    """Judged by the checkpoint that was in force then; where none is known, not at all."""
    asked = [
        (one, objective)
        for one in seen.exchanges
        if asks_to_resume(one.user) is not None and (objective := _objective_at(seen, one.at))
    ]
    if not asked:
        yield Severity.OK, "no recovery question is known that a checkpoint could have answered"
        return
    missed = [one for one, objective in asked if _is_missed(one, objective)]
    if not missed:
        count = len(asked)
        yield Severity.OK, f"{count} of {count} recovery questions were not met by a greeting"
        return
    last = max(missed, key=lambda one: one.at)
    yield (
        Severity.WARNING,
        f"a recovery question was met by a greeting ({len(missed)} of {len(asked)}), last "
        f"{_time(last.at)}: {_quoted(last.user)} got {_quoted(last.assistant)}",
    )


def _is_missed(exchange: Exchange, objective: str) -> bool:
    speaks_of_it = alignment.mentions(exchange.assistant, objective)
    return opens_with_greeting(exchange.assistant) and not speaks_of_it


def _objective_at(seen: Examined, at: datetime) -> str:
    """What the newest checkpoint written before ``at`` was about; '' where there was none."""
    known = [(copy.checkpoint.updated_at or copy.at, copy.checkpoint) for copy in seen.archive]
    current = seen.parsed.checkpoint
    written = current.updated_at or seen.modified_at
    if written is not None:
        known.append((written, current))
    before = [one for one in known if one[0] <= at]
    return max(before, key=lambda one: one[0])[1].objective if before else ""


def _plans(seen: Examined) -> Told:
    objective = seen.parsed.checkpoint.objective
    if not seen.plans:
        yield Severity.OK, "there is no tasks.md or openspec/ to agree with"
    elif not objective:
        yield Severity.OK, "without an objective there is nothing for the plans to agree with"
    elif any(alignment.mentions(plan.text, objective) for plan in seen.plans):
        yield Severity.OK, "the objective is named in the plans"
    else:
        paths = ", ".join(plan.path for plan in seen.plans[:3])
        more = f" and {len(seen.plans) - 3} more" if len(seen.plans) > 3 else ""
        yield Severity.INFO, f"no word of the objective is in {paths}{more}"


CHECKS: tuple[tuple[str, Callable[[Examined], Told]], ...] = (
    ("file", _file),
    ("staleness", _staleness),
    ("sections", _sections),
    ("usability", _usability),
    ("unsurfaced", _unsurfaced),
    ("archive", _archive),
    ("greeting", _greeting),
    ("plans", _plans),
)


def _quoted(text: str) -> str:
    return f'"{shortened(" ".join(redact(text).text.split()), _QUOTE_CHARS)}"'


def _time(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")


def _span(length: timedelta) -> str:
    """In the largest unit that is there at least twice: ``90 min``, ``3 h``, ``2 days``."""
    minutes = max(0, int(length.total_seconds() // 60))
    for unit, size in (("days", 1_440), ("h", 60)):
        if minutes >= 2 * size:
            return f"{minutes // size} {unit}"
    return f"{minutes} min"
