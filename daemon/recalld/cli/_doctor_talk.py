"""What was said in the workspaces of late: the daemon's notes and the hosts' own transcripts."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from recalld.cli._state import Row, Said, StateFile
from recalld.continuity.findings import Activity, Exchange
from recalld.index.transcripts import host_of
from recalld.index.transcripts.disk import BLOCK_BYTES, Reader, find, reading, real_path
from recalld.index.transcripts.lines import object_of
from recalld.index.transcripts.model import Entry, Host, Role, Speech
from recalld.index.transcripts.paths import SeenTranscript, session_of
from recalld.recall.internal import is_internal_session, is_system_event
from recalld.text.clean import clean_prompt

# What lies further back says nothing about how things are.
RECENT = timedelta(days=7)
SESSIONS_SINCE = timedelta(days=30)
MAX_TRANSCRIPTS = 40
# A session that was opened and said nothing worked on nothing.
MORE_THAN_OPENED = timedelta(minutes=2)
# A person at the command line is no host.
OWN_CLIENT = "recalld-cli"
OWN_KEY = "cli:"


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """A transcript. ``root`` is the workspace it belongs to, None: to none of them.

    ``spoken``: whether anybody said anything, or it was merely opened.
    """

    host: str
    session: str
    root: str | None
    started_at: datetime
    ended_at: datetime
    spoken: bool
    exchanges: tuple[Exchange, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """What is known of one workspace. ``since``: when a daemon was first there to be told."""

    exchanges: tuple[Exchange, ...] = ()
    activity: tuple[Activity, ...] = ()
    sessions: tuple[Row, ...] = ()
    conversations: tuple[Conversation, ...] = ()
    since: datetime | None = None


# The workspace that a path, or no path, belongs to; None: to none.
Home = Callable[[str | None], str | None]


def is_users(key: str) -> bool:
    """Whether the session is a user's with a host, neither a machine's nor the command line's."""
    return not is_internal_session(key) and not key.startswith(OWN_KEY)


def talk_of(
    state: StateFile, conversations: Iterable[Conversation], *, home: Home, now: datetime
) -> Mapping[str, Talk]:
    """By workspace. ``Unavailable`` when the state database cannot be read."""
    found: dict[str, _Gathered] = {}
    rows = state.sessions()
    last_in = {row.key: row.workspace for row in rows}

    def of(path: str | None) -> "_Gathered":
        return found.setdefault(home(path) or "", _Gathered())

    for row in rows:
        if is_users(row.key) and row.client != OWN_CLIENT and now - row.seen_at <= SESSIONS_SINCE:
            of(row.workspace).sessions.append(row)
    for said in state.said():
        if is_users(said.key) and not is_system_event(said.user):
            of(said.workspace or last_in.get(said.key)).add_said(said, now)
    for one in conversations:
        if one.root is not None:
            found.setdefault(one.root, _Gathered()).add_conversation(one, now)
    return {root: gathered.talk(state.since) for root, gathered in found.items()}


@dataclass(slots=True)
class _Gathered:
    exchanges: list[Exchange] = field(default_factory=list)
    activity: list[Activity] = field(default_factory=list)
    sessions: list[Row] = field(default_factory=list)
    conversations: list[Conversation] = field(default_factory=list)

    def add_said(self, said: Said, now: datetime) -> None:
        self.activity.append(Activity(at=said.at, seen_in="kept by the daemon"))
        if said.assistant is not None and now - said.at <= RECENT:
            user = clean_prompt(said.user)
            self.exchanges.append(Exchange(at=said.at, user=user, assistant=said.assistant))

    def add_conversation(self, one: Conversation, now: datetime) -> None:
        self.conversations.append(one)
        if one.spoken:
            self.activity.append(Activity(at=one.ended_at, seen_in=f"a {one.host} transcript"))
        self.exchanges += [each for each in one.exchanges if now - each.at <= RECENT]

    def talk(self, since: datetime | None) -> Talk:
        used = [row for row in self.sessions if row.seen_at - row.started_at >= MORE_THAN_OPENED]
        seen = [
            Activity(at=row.seen_at, seen_in=f"a session of {row.client or 'an unnamed host'}")
            for row in used
            if not row.ended
        ]
        # What the daemon kept stands in the host's transcript too.
        once = {(each.user, each.assistant.strip()): each for each in self.exchanges}
        return Talk(
            exchanges=tuple(once.values()),
            activity=(*self.activity, *seen),
            sessions=tuple(self.sessions),
            conversations=tuple(self.conversations),
            since=since,
        )


def transcripts(
    roots: Sequence[str], patterns: Sequence[str], *, home: Home, now: datetime
) -> tuple[Conversation, ...]:
    """The newest transcripts in the workspaces and where ``patterns`` say. Never raises."""
    files = find(roots, patterns, takes=lambda _root, _path: True).files
    recent = [file for file in files if now - _modified(file) <= SESSIONS_SINCE]
    recent.sort(key=_modified, reverse=True)
    found = (_conversation(file, home) for file in recent[:MAX_TRANSCRIPTS])
    return tuple(one for one in found if one is not None)


def _conversation(file: SeenTranscript, home: Home) -> Conversation | None:
    try:
        with reading(file.path) as reader:
            return None if reader is None else _read(reader, file, home)
    # A line that its host's reader gives up on must not cost the rest.
    except (OSError, ValueError, LookupError, RecursionError):
        return None


def _read(reader: Reader, file: SeenTranscript, home: Home) -> Conversation | None:
    first, _ = reader.first_objects()
    host = host_of(first)
    if host is None:
        return None
    heads = [host.read(line) for line in first]
    cwd = next((entry.cwd for entry in heads if entry.cwd), None)
    started = [at for entry in heads if entry.speech and (at := _time(entry.speech.at))]
    speeches = list(_speeches(_tail(reader, host)))
    times = [at for speech in speeches if (at := _time(speech.at))]
    modified = _modified(file)
    inside = home(file.path)
    return Conversation(
        host=host.name,
        session=next((e.session for e in heads if e.session), None) or session_of(file.path),
        root=(home(real_path(cwd)) or inside) if cwd else inside,
        started_at=min(started, default=modified),
        ended_at=max(times, default=modified),
        spoken=bool(speeches),
        exchanges=tuple(exchanges_of(speeches)),
    )


def _tail(reader: Reader, host: Host) -> Iterator[Entry]:
    start = max(0, reader.stamp.size - BLOCK_BYTES)
    block = reader.block(position=start, line=0, inside=start > 0)
    lines: Iterator[Mapping[str, Any] | None] = (object_of(raw.data) for raw in block.lines)
    return (host.read(line) for line in lines if line is not None)


def _speeches(entries: Iterable[Entry]) -> Iterator[Speech]:
    """Where everything is told twice, the drafts are left out."""
    spoken = [entry.speech for entry in entries if entry.speech is not None]
    drafts_only = all(speech.draft for speech in spoken)
    return (speech for speech in spoken if drafts_only or not speech.draft)


def exchanges_of(speeches: Iterable[Speech]) -> Iterator[Exchange]:
    """What a user said, with all that was answered until the next words of a user.

    Words nobody answered, and those without a time, make no exchange.
    """
    asked: Speech | None = None
    answers: list[str] = []
    for speech in (*speeches, Speech(role=Role.USER, text="")):
        if speech.role is Role.ASSISTANT:
            answers.append(speech.text)
            continue
        at = None if asked is None else _time(asked.at)
        if asked is not None and at is not None and answers and not is_system_event(asked.text):
            user = clean_prompt(asked.text)
            yield Exchange(at=at, user=user, assistant="\n".join(answers))
        asked, answers = speech, []


def _time(at: str | None) -> datetime | None:
    """A time without a zone is UTC, as hosts write it."""
    if at is None:
        return None
    try:
        found = datetime.fromisoformat(at)
    except ValueError:
        return None
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)


def _modified(file: SeenTranscript) -> datetime:
    return datetime.fromtimestamp(file.stamp.mtime_ns / 1e9, UTC)
