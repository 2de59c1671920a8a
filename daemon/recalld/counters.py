"""Named counts of what happened, above all of what was dropped, refused or done without."""

import threading


class Counters:
    """A thread-safe bag of counts, passed by constructor. Names are dotted: ``trace.dropped``."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: dict[str, int] = {}

    def add(self, name: str, n: int = 1) -> None:
        with self._lock:
            self._counts[name] = self._counts.get(name, 0) + n

    def get(self, name: str) -> int:
        """0 for a name that was never added to."""
        with self._lock:
            return self._counts.get(name, 0)

    def snapshot(self) -> dict[str, int]:
        """A copy, sorted by name."""
        with self._lock:
            return dict(sorted(self._counts.items()))
