"""Questions made from somebody's own notes; the known answer is the section they came from.

``heading``: a section's heading. ``commit``: the subject of a commit; the answer is every section
that holds a line of it unchanged. ``edit``: a line as it was before an edit; the answer is the
section that holds what replaced it. The last two need a git repository.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import anyio

from recalld.evaluate.git_log import Change, changes_in
from recalld.evaluate.metrics import Answer
from recalld.evaluate.sets import Query
from recalld.evaluate.world import LIMIT, NOW, Indexed
from recalld.search.model import ChunkDetail, Found, Scope
from recalld.text.language import is_cjk

SET = "self"
# Files whose chunks are read at once.
FILES_AT_ONCE = 200
# A commit that left its lines in more sections than this is about no one thing.
MAX_SECTIONS = 5
# Shorter is no question, and nobody asks a longer one.
MIN_CHARS, MAX_CHARS = 8, 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A stretch of a file under one heading, lines inclusive; ``id`` is ``PATH#LFIRST``."""

    path: str
    first: int
    last: int
    heading: str
    text: str

    @property
    def id(self) -> str:
        return f"{self.path}#L{self.first}"


async def own_answers(
    indexed: Indexed, root: Path, *, most: int
) -> tuple[tuple[Answer, ...], tuple[str, ...]]:
    """Each question's answer, at most ``most`` of a kind, and what was left out, in words."""
    (workspace_id,) = indexed.ids.values()
    sections = sections_of(await _chunks(indexed, workspace_id))
    changes = await changes_in(root)
    asked = questions(sections, changes or (), most=most)
    notes = _notes(sections, changes)
    answers = [await _answer(indexed, workspace_id, one, sections) for one in asked]
    return tuple(answers), notes


async def _chunks(indexed: Indexed, workspace_id: int) -> list[ChunkDetail]:
    files = [row.id for row in await indexed.reader.files(workspace_id)]
    found: list[ChunkDetail] = []
    for at in range(0, len(files), FILES_AT_ONCE):
        rows = await indexed.reader.chunks(files[at : at + FILES_AT_ONCE])
        details = await indexed.reader.details([row.id for row in rows])
        found += [details[row.id] for row in rows if row.id in details]
    return found


def sections_of(chunks: Iterable[ChunkDetail]) -> dict[str, list[Section]]:
    """By path, in order of line. The pieces of a long section, which share its heading and
    follow one another, are one."""
    found: dict[str, list[Section]] = {}
    for chunk in sorted(chunks, key=lambda one: (one.path, one.start_line)):
        inside = found.setdefault(chunk.path, [])
        first, text = chunk.start_line, chunk.text
        if inside and _continues(inside[-1], chunk):
            before = inside.pop()
            first, text = before.first, f"{before.text}\n{text}"
        inside.append(
            Section(
                path=chunk.path,
                first=first,
                last=chunk.end_line,
                heading=chunk.heading,
                text=text,
            )
        )
    return found


def _continues(before: Section, chunk: ChunkDetail) -> bool:
    """A piece of the same section: it does not begin with the heading that both stand under."""
    if before.heading != chunk.heading or not chunk.heading:
        return False
    return not chunk.text.lstrip().startswith("#") and chunk.start_line <= before.last + 1


def questions(
    sections: Mapping[str, Sequence[Section]], changes: Sequence[Change], *, most: int
) -> tuple[Query, ...]:
    """Headings, then commits, then edits. The same notes give the same questions."""
    kinds = (
        ("heading", _headings(sections)),
        ("commit", _commits(sections, changes)),
        ("edit", _edits(sections, changes)),
    )
    return tuple(query for kind, asked in kinds for query in _spread(_queries(kind, asked), most))


def _queries(kind: str, asked: Iterable[tuple[str, set[str]]]) -> list[Query]:
    """Questions of the same words are one, and each of their sections answers it."""
    together: dict[str, set[str]] = {}
    for text, gold in asked:
        words = " ".join(text.split())
        if MIN_CHARS <= len(words) <= MAX_CHARS or (is_cjk(words) and len(words) >= MIN_CHARS // 2):
            together.setdefault(words[:MAX_CHARS], set()).update(gold)
    return [
        Query(
            qid=f"{kind}-{number:04d}",
            group=SET,
            text=text,
            lang="zh" if is_cjk(text) else "en",
            category=kind,
            gold=frozenset(gold),
            gold_sessions=frozenset(name.rpartition("#")[0] for name in gold),
        )
        for number, (text, gold) in enumerate(together.items())
        if len(gold) <= MAX_SECTIONS
    ]


def _spread(queries: Sequence[Query], most: int) -> list[Query]:
    """At most ``most``, taken evenly from the first to the last."""
    if len(queries) <= most:
        return list(queries)
    return [queries[number * len(queries) // most] for number in range(most)]


def _headings(sections: Mapping[str, Sequence[Section]]) -> Iterator[tuple[str, set[str]]]:
    for inside in sections.values():
        for one in inside:
            if any(character.isalpha() for character in one.heading):
                yield one.heading, {one.id}


def _commits(
    sections: Mapping[str, Sequence[Section]], changes: Sequence[Change]
) -> Iterator[tuple[str, set[str]]]:
    gold: dict[tuple[str, str], set[str]] = {}
    for change in changes:
        for line in change.added:
            holder = holding(sections.get(change.path, ()), line)
            if holder is not None:
                gold.setdefault((change.commit, change.subject), set()).add(holder.id)
    for (_, subject), held in gold.items():
        yield subject, held


def _edits(
    sections: Mapping[str, Sequence[Section]], changes: Sequence[Change]
) -> Iterator[tuple[str, set[str]]]:
    for change in changes:
        now = [holding(sections.get(change.path, ()), line) for line in change.added]
        held = {one.id for one in now if one is not None}
        for line in change.removed:
            if held and holding(sections.get(change.path, ()), line) is None:
                yield line.strip().lstrip("#>*-+ "), held


def holding(sections: Sequence[Section], line: str) -> Section | None:
    """The one section that holds this very line; None where there is none, or several."""
    plain = line.strip()
    if len(plain) < MIN_CHARS // 2:
        return None
    found = [one for one in sections if plain in one.text]
    return found[0] if len(found) == 1 else None


async def _answer(
    indexed: Indexed, workspace_id: int, query: Query, sections: Mapping[str, Sequence[Section]]
) -> Answer:
    started = anyio.current_time()
    scope = Scope(workspace_ids=(workspace_id,))
    result = await indexed.searcher.search(query.text, scope=scope, limit=LIMIT, now=NOW)
    took_ms = (anyio.current_time() - started) * 1_000
    rows: dict[str, tuple[float, str]] = {}
    for one in result.found:
        rows.setdefault(_section_at(sections, one), (one.raw_score, one.path))
    return Answer(
        set_name=SET,
        query=query,
        ranked=tuple((row, raw) for row, (raw, _) in rows.items()),
        sessions=tuple(path for _, path in rows.values()),
        injected=(),
        took_ms=took_ms,
        degraded=result.degraded,
    )


def _section_at(sections: Mapping[str, Sequence[Section]], found: Found) -> str:
    for one in sections.get(found.path, ()):
        if one.first <= found.start_line <= one.last:
            return one.id
    return f"{found.path}#L{found.start_line}"


def _notes(
    sections: Mapping[str, Sequence[Section]], changes: Sequence[Change] | None
) -> tuple[str, ...]:
    count = sum(len(inside) for inside in sections.values())
    notes = [f"{len(sections)} files, {count} sections"]
    if changes is None:
        notes.append("no git history: questions from headings only")
    notes.append("every question has an answer here: false injection is not measured")
    return tuple(notes)
