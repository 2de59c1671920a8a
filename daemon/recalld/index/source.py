"""Where a file belongs, by its path alone. Pure."""

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

    def names(self, path: str) -> bool:
        """Whether one of the user's globs names the path."""
        return any(spec.match_file(path) for _, spec in self.globs)


def sources_of(workspace: Workspace) -> Sources:
    given = (
        (Source.MEMORY, workspace.memory),
        (Source.WIKI, workspace.wiki),
        (Source.DOCUMENTS, workspace.documents),
    )
    return Sources(
        globs=tuple((source, GitIgnoreSpec.from_lines(globs)) for source, globs in given if globs)
    )
