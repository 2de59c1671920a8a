"""Every knob of the index, with its default, its range and its reason."""

from typing import Annotated

from msgspec import Meta
from pathspec import GitIgnoreSpec

from recalld.recall.policy import Policy

Pattern = Annotated[str, Meta(min_length=1, max_length=512)]


def check_patterns(key: str, patterns: tuple[str, ...]) -> None:
    """Raise ``ValueError`` naming ``key`` unless every pattern is one .gitignore would take."""
    for pattern in patterns:
        try:
            GitIgnoreSpec.from_lines([pattern])
        except ValueError as error:
            raise ValueError(f"{key}: {pattern!r} is not a pattern: {error}") from error


class IndexPolicy(Policy, frozen=True, kw_only=True):
    """The ``[index]`` table."""

    # Markdown only: a .txt in a source tree is mostly a log, a licence or a list of packages.
    include: tuple[Pattern, ...] = ("*.md", "*.markdown", "*.mdx")
    # Added to the built-in ones; a pattern with ! takes back what a .gitignore file ignores.
    ignore: tuple[Pattern, ...] = ()
    gitignore: bool = True
    # Notes are kilobytes; beyond this a file is an export, and one file would hold the index up.
    max_file_bytes: Annotated[int, Meta(ge=1_024, le=1 << 28)] = 8 << 20
    # 99 % of the turns and sections measured are shorter; splitting those only loses context.
    max_chunk_chars: Annotated[int, Meta(ge=200, le=100_000)] = 4_000
    # A longer line is data (a picture in base64), not prose; the rest of it is left out.
    max_line_chars: Annotated[int, Meta(ge=1_000, le=1 << 24)] = 1 << 18
    # Files of agents' conversations, beside those in a workspace's own sessions/ folder. None by
    # default: what was said to an agent is read only where somebody asks for it.
    transcripts: tuple[Pattern, ...] = ()
    # How soon a turn that was written down can be found.
    follow_s: Annotated[float, Meta(ge=0.2, le=3_600.0)] = 2.0
    # Events get lost (queue overflow is silent): convergence is promised by the rescan.
    rescan_s: Annotated[float, Meta(ge=0.2, le=86_400.0)] = 60.0
    # How often everything is looked at while the watcher can't run.
    poll_s: Annotated[float, Meta(ge=0.2, le=3_600.0)] = 2.0
    # Editors save by delete and create; what is back within this was never gone.
    grace_ms: Annotated[int, Meta(ge=0, le=10_000)] = 200
    # Events are handed on after this much quiet, and at the latest after debounce_ms. Also how
    # often the watcher's thread wakes up: five times a second.
    quiet_ms: Annotated[int, Meta(ge=10, le=5_000)] = 200
    debounce_ms: Annotated[int, Meta(ge=10, le=60_000)] = 800
    # More events at once than this and looking everywhere is cheaper, and safer.
    burst_events: Annotated[int, Meta(ge=1, le=1_000_000)] = 1_000

    def __post_init__(self) -> None:
        check_patterns("index.include", self.include)
        check_patterns("index.ignore", self.ignore)
        for pattern in self.transcripts:
            if not pattern.startswith(("/", "~/")) or "\0" in pattern:
                raise ValueError(f"index.transcripts: {pattern!r} is neither absolute nor under ~")
