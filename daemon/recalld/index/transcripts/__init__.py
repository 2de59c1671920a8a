"""The registry of transcript formats: a host is one file here and one line below.

The order counts: the first host that knows one of a file's first lines has the file.
"""

from collections.abc import Sequence

from recalld.index.transcripts import claude_code, codex, openclaw, plain
from recalld.index.transcripts.model import Host, Line

TRANSCRIPT_HOSTS: tuple[Host, ...] = (claude_code.HOST, codex.HOST, openclaw.HOST, plain.HOST)


def host_of(lines: Sequence[Line]) -> Host | None:
    """Who wrote a file, by the content of its first lines; None where nobody knows them."""
    for host in TRANSCRIPT_HOSTS:
        if any(host.recognises(line) for line in lines):
            return host
    return None


def host_named(name: str) -> Host | None:
    return next((host for host in TRANSCRIPT_HOSTS if host.name == name), None)
