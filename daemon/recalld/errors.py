"""The daemon's exceptions, told apart by whose fault it is and who can mend it.

Adapters raise these ``from`` the original; nobody logs and raises; absence is a value,
never an exception.
"""


class RecalldError(Exception):
    """Base of every fault recalld names."""


class BadConfig(RecalldError):
    """A setting is wrong. The user mends it: ``key`` is the dotted key or the file.

    ``file`` is where the key was found; None: in none, or the file is the key.
    """

    def __init__(self, key: str, problem: str, *, file: str | None = None) -> None:
        place = key if file is None or file == key else f"{file}: {key}"
        super().__init__(f"{place}: {problem}")
        self.key = key
        self.problem = problem
        self.file = file


class BadRequest(RecalldError):
    """A request's parameter is wrong. The caller mends it: ``key`` as in ``params.query``."""

    def __init__(self, key: str, problem: str) -> None:
        super().__init__(f"{key}: {problem}")
        self.key = key
        self.problem = problem


class NotFound(RecalldError):
    """The caller named something that is not here: a trace id, a subscription, a workspace."""

    def __init__(self, what: str) -> None:
        super().__init__(f"not found: {what}")
        self.what = what


class Refused(RecalldError):
    """A guard said no. The message says what is missing."""


class Busy(RecalldError):
    """A limit is reached; the same call may work after ``retry_after_ms``."""

    def __init__(self, what: str, retry_after_ms: int) -> None:
        super().__init__(f"busy: {what}")
        self.retry_after_ms = retry_after_ms


class Unavailable(RecalldError):
    """The world failed: disk, engine, peer. Stages absorb it; ``part`` names what failed."""

    def __init__(self, part: str, problem: str) -> None:
        super().__init__(f"{part}: {problem}")
        self.part = part
        self.problem = problem


class Corrupt(RecalldError):
    """Stored state contradicts itself. Never absorbed."""


def sole(error: BaseException) -> BaseException:
    """The one error that groups are wrapped around, or the group when there are several."""
    while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    return error
