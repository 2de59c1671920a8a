"""``recalld-hook HOST``: what an agent's host runs when a session event happens.

A hook may never hold up a prompt: it always exits 0, and without something to say it prints
nothing. What it has to say about itself is one line on standard error.
"""

import os
import select
import sys
import time

# Adapters of agent hosts, by name; each is one file here.
HOSTS: tuple[str, ...] = ()

_DRAIN_S = 1.0
_CHUNK_BYTES = 65_536


def main() -> int:
    """Take the event off the host's hands, say why nothing came of it, exit 0."""
    try:
        drain(sys.stdin.fileno(), limit_s=_DRAIN_S)
        host = sys.argv[1] if len(sys.argv) > 1 else "(none named)"
        known = ", ".join(HOSTS) or "none"
        sys.stderr.write(
            f"recalld-hook: no adapter for host {host!r} in this version (adapters: {known}); "
            "the event was dropped\n"
        )
    except Exception as error:  # noqa: BLE001
        # The outermost frame: whatever went wrong, the user's prompt goes on.
        os.write(2, f"recalld-hook: {type(error).__name__}\n".encode())
    return 0


def drain(descriptor: int, *, limit_s: float) -> None:
    """Read to the end, so that the host never meets a broken pipe; give up after ``limit_s``."""
    until = time.monotonic() + limit_s
    while (left := until - time.monotonic()) > 0:
        if not select.select([descriptor], [], [], left)[0]:
            return
        if not os.read(descriptor, _CHUNK_BYTES):
            return
