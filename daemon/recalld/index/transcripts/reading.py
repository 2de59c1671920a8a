"""Lines of a transcript to turns, from where the last look ended. Pure.

What a line means may depend on lines that came before: then the reading starts again further up,
and the file is told the same however many looks it took.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace

from msgspec.structs import replace as changed

from recalld.index.transcripts.lines import object_of
from recalld.index.transcripts.model import (
    Entry,
    Host,
    Identity,
    Place,
    Progress,
    RawLine,
    Speech,
    Turn,
)

# Lines of one message stand that near; further apart they count as two turns.
MESSAGE_BYTES = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Parsed:
    """A line with what its host reads in it; ``identity`` is set where somebody speaks."""

    raw: RawLine
    entry: Entry
    identity: bytes = b""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parse:
    parsed: tuple[Parsed, ...]
    bad: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch:
    """The live path of a tree: what counts of the lines before ``until``."""

    ids: Set[str]
    until: int
    leaf: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Restart:
    """Read again from ``at``, with ``progress``. ``tree``: find the live path first."""

    at: Place
    progress: Progress
    tree: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    turns: tuple[Turn, ...]
    identities: tuple[Identity, ...]
    progress: Progress
    kinds: Mapping[str, int]


def parse(lines: Iterable[RawLine], *, host: Host, family: str) -> Parse:
    """``family`` is what a file and its rotated parts have in common."""
    parsed: list[Parsed] = []
    bad = 0
    for raw in lines:
        line = object_of(raw.data)
        if line is None:
            bad += 1
            continue
        entry = host.read(line)
        identity = b"" if entry.speech is None else identity_of(raw, entry, family)
        parsed.append(Parsed(raw=raw, entry=entry, identity=identity))
    return Parse(parsed=tuple(parsed), bad=bad)


def identity_of(raw: RawLine, entry: Entry, family: str) -> bytes:
    """The host's identity of the line, which a copied line keeps, else its place and its bytes."""
    if entry.uid is not None:
        parts = [b"uid", entry.uid.encode("utf-8", "replace")]
    else:
        parts = [family.encode("utf-8", "replace"), b"%d" % raw.number, raw.data]
    return hashlib.blake2b(b"\0".join(parts), digest_size=16).digest()


def live_path(parents: Mapping[str, str | None], leaf: str) -> frozenset[str]:
    """The ids from ``leaf`` up to its root; a loop ends where it closes."""
    path: set[str] = set()
    at: str | None = leaf
    while at is not None and at not in path:
        path.add(at)
        at = parents.get(at)
    return frozenset(path)


def fresh(progress: Progress) -> Progress:
    """The state before the first line of the same file, knowing what was learned of its kind."""
    return Progress(host=progress.host, told=progress.told)


def take(
    parsed: Sequence[Parsed],
    progress: Progress,
    *,
    copied: Set[bytes],
    branch: Branch | None,
    clean: Callable[[Speech], str],
) -> Taken | Restart:
    """The turns of ``parsed``. ``copied`` are identities that stand elsewhere.

    ``clean`` gives what is kept of a speech: '' for nothing. The place of ``progress`` stays.
    """
    taking = _Taking(progress, copied, branch, clean)
    for line in parsed:
        restart = taking.add(line)
        if restart is not None:
            return restart
    return taking.result()


class _Taking:
    def __init__(
        self,
        progress: Progress,
        copied: Set[bytes],
        branch: Branch | None,
        clean: Callable[[Speech], str],
    ) -> None:
        self._now = progress
        self._copied = set(copied)
        self._branch = branch
        self._clean = clean
        self._turns: list[Turn] = []
        self._identities: list[Identity] = []
        self._kinds: Counter[str] = Counter()

    def add(self, line: Parsed) -> Restart | None:
        entry, speech = line.entry, line.entry.speech
        if entry.branching and not self._grows(line):
            return Restart(at=Place(), progress=fresh(self._now), tree=True)
        self._now = changed(
            self._now,
            session=entry.session or self._now.session,
            cwd=entry.cwd or self._now.cwd,
        )
        if speech is None:
            self._kinds[entry.kind] += 1
            return None
        if entry.branching and self._is_dead(line):
            self._kinds["branch"] += 1
            return None
        if speech.draft and self._now.told:
            self._kinds["draft"] += 1
            return None
        if line.identity in self._copied:
            self._now = changed(self._now, copied=self._now.copied + 1)
            self._kinds["copied"] += 1
            return None
        return self._speak(line, speech)

    def _grows(self, line: Parsed) -> bool:
        """Whether the line is where the tree goes on; lines of a known path always are."""
        if self._branch is not None and line.raw.start < self._branch.until:
            self._now = changed(self._now, leaf=self._branch.leaf)
            return True
        grows = line.entry.parent == self._now.leaf
        self._now = changed(self._now, leaf=line.entry.uid)
        return grows

    def _is_dead(self, line: Parsed) -> bool:
        """Whether the line stands on a branch that was left."""
        branch = self._branch
        known = branch is not None and line.raw.start < branch.until
        return known and branch is not None and line.entry.uid not in branch.ids

    def _speak(self, line: Parsed, speech: Speech) -> Restart | None:
        if speech.draft:
            self._now = changed(self._now, drafted=True)
        elif not self._now.told:
            told = changed(fresh(self._now), told=True)
            if self._now.drafted:
                return Restart(at=Place(), progress=told)
            self._now = changed(self._now, told=True)
        message = speech.message
        if message is not None and message == self._now.message:
            if self._turns:
                self._continue(line, speech)
                return None
            if line.raw.end - self._now.opened.position <= MESSAGE_BYTES:
                return Restart(at=self._now.opened, progress=_reopened(self._now))
        text = self._clean(speech)
        self._take(line)
        if not text:
            return None
        self._turns.append(
            Turn(
                speech=replace(speech, text=text),
                identity=line.identity,
                start_line=line.raw.number,
                end_line=line.raw.number,
            )
        )
        opened = Place(position=line.raw.start, line=line.raw.number - 1)
        self._now = changed(self._now, message=message, opened=opened, turns=self._now.turns + 1)
        return None

    def _continue(self, line: Parsed, speech: Speech) -> None:
        last, text = self._turns[-1], self._clean(speech)
        self._take(line)
        if text:
            joined = replace(last.speech, text=f"{last.speech.text}\n\n{text}")
            self._turns[-1] = replace(last, speech=joined, end_line=line.raw.number)

    def _take(self, line: Parsed) -> None:
        self._copied.add(line.identity)
        self._identities.append(Identity(line=line.raw.number, value=line.identity))

    def result(self) -> Taken:
        return Taken(
            turns=tuple(self._turns),
            identities=tuple(self._identities),
            progress=self._now,
            kinds=self._kinds,
        )


def _reopened(progress: Progress) -> Progress:
    """The state before the last turn, which turns out to go on."""
    return changed(progress, message=None, turns=progress.turns - 1)
