"""What lies at a path that somebody named. A path that cannot be looked at is an answer too.

``Path.is_dir`` and its like raise for a folder without the right to search it and for a name that
is too long; so one folder of several would end a command that is about all of them.
"""

import os
from pathlib import Path


def is_folder(path: str | Path) -> bool:
    """Whether a folder is there, also through links; False where that cannot be told."""
    return os.path.isdir(path)  # noqa: PTH112 (never raises)


def is_file(path: str | Path) -> bool:
    """Whether a regular file is there, also through links; False where that cannot be told."""
    return os.path.isfile(path)  # noqa: PTH113 (never raises)


def is_missing(path: str | Path) -> bool:
    """Whether surely nothing is there. What cannot be looked at is no reason to do without it."""
    try:
        os.stat(path)  # noqa: PTH116 (a string will do)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False
