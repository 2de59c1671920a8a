"""Where a file belongs, by its path alone. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass

from pathspec import GitIgnoreSpec

from recalld.index.model import Workspace
from recalld.search.model import Source

_CURATED = frozenset({"MEMORY.md", "USER.md"})


@dataclass(frozen=True, slots=True)
class Sources:
    """The user's globs in the order memory, wiki, documents, then the usual paths."""

    globs: tuple[tuple[Source, GitIgnoreSpec], ...] = ()

    def of(self, path: str) -> Source:
        """MEMORY.md, USER.md and ``memory/`` are memory, ``wiki/`` is wiki, the rest documents."""
        for source, spec in self.globs:
            if spec.match_file(path):
                return source
        if path in _CURATED or path.startswith("memory/"):
            return Source.MEMORY
        return Source.WIKI if path.startswith("wiki/") else Source.DOCUMENTS

    def hidden(self) -> tuple[str, ...]:
        """The parts of the globs that name hidden folders, as ``.notes`` in ``.notes/**``."""
        return hidden_parts(spec for _, spec in self.globs)

    def names(self, path: str) -> bool:
        """Whether one of the user's globs names the path."""
        return any(spec.match_file(path) for _, spec in self.globs)


def hidden_parts(specs: Iterable[GitIgnoreSpec]) -> tuple[str, ...]:
    """The parts that begin with a dot, of every pattern that takes something in."""
    lines = [str(found.pattern) for spec in specs for found in spec.patterns if found.include]
    parts = (part for line in lines for part in line.split("/"))
    return tuple(dict.fromkeys(part for part in parts if part.startswith(".")))


def sources_of(workspace: Workspace) -> Sources:
    given = (
        (Source.MEMORY, workspace.memory),
        (Source.WIKI, workspace.wiki),
        (Source.DOCUMENTS, workspace.documents),
    )
    return Sources(
        globs=tuple((source, GitIgnoreSpec.from_lines(globs)) for source, globs in given if globs)
    )
