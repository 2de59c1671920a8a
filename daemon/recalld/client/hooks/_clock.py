"""One hard deadline for the whole process, counted from where the process began."""

import os
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

DEADLINE_MS = 1_500
LEAST_DEADLINE_MS = 50
MOST_DEADLINE_MS = 60_000
# Hosts kill what runs at the end of a session after 1.5 s, all hooks together.
END_DEADLINE_MS = 1_000
LAST_WORDS_S = 0.04
DEADLINE_KEY = "RECALLD_HOOK__DEADLINE_MS"

# A hook that seems older than this was not started by its host for this event.
_OLDEST_S = 60.0


def age_s() -> float:
    """Seconds since this process was made, up to 10 ms too many; 0.0 where nothing tells.

    The interpreter's own start, which a busy machine draws out, is the user's wait too.
    """
    try:
        with open("/proc/self/stat", "rb") as stream:  # noqa: PTH123 (pathlib costs 10 ms)
            fields = stream.read().rpartition(b")")[2].split()
        ticks = int(fields[19])
        age = time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError, AttributeError):
        return 0.0
    # Some sandboxes tell no beginning, which would be that of the machine.
    return age if ticks > 0 and 0.0 <= age < _OLDEST_S else 0.0


def deadline_ms(environ: "Mapping[str, str]") -> tuple[int, str]:
    """What the environment asks for, else the default; and what was wrong with the former."""
    told = environ.get(DEADLINE_KEY, "")
    if not told:
        return DEADLINE_MS, ""
    try:
        asked = int(told)
    except ValueError:
        asked = 0
    if LEAST_DEADLINE_MS <= asked <= MOST_DEADLINE_MS:
        return asked, ""
    problem = f"{DEADLINE_KEY} is not {LEAST_DEADLINE_MS} to {MOST_DEADLINE_MS}"
    return DEADLINE_MS, f"{problem}; {DEADLINE_MS} it is"


def leave_at(until: float, last_words: "Callable[[], object] | None" = None) -> None:
    """End the process at ``until``, whatever it is doing then: a disk or a host may hang.

    Replaces what was said before. ``last_words`` get ``LAST_WORDS_S`` after ``until``.
    """
    try:
        import _signal as signals  # type: ignore[import-not-found]  # noqa: PLC0415
    except ImportError:
        import signal as signals  # noqa: PLC0415 (its enums cost 3 ms)

    def leave(*_: object) -> None:
        signals.signal(signals.SIGALRM, lambda *_: os._exit(0))
        try:
            if last_words is not None:
                last_words()
        finally:
            os._exit(0)

    left_s = max(0.001, until - time.monotonic())
    signals.signal(signals.SIGALRM, leave)
    signals.setitimer(signals.ITIMER_REAL, left_s, LAST_WORDS_S)
