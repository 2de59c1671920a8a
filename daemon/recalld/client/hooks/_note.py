"""Why a hook said nothing: one line in a file of ours, never a word to the host.

The file is ``hook.log`` in the state directory. It is 0600, at most ``MOST_BYTES`` long with one
older file of that size beside it, and holds no text of a prompt, a reply or an event.
"""

import os
import stat
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

MOST_BYTES = 64 * 1024
_MOST_LINE_CHARS = 400


def log_path(environ: "Mapping[str, str]") -> str:
    """``hook.log`` under ``$RECALLD_STATE_DIR``, else ``$XDG_STATE_HOME/recalld``, or its usual.

    "" where the user has no home either.
    """
    folder = os.path.expanduser(environ.get("RECALLD_STATE_DIR", ""))  # noqa: PTH111
    if not folder:
        base = environ.get("XDG_STATE_HOME", "")
        if not base.startswith("/"):
            home = environ.get("HOME") or os.path.expanduser("~")  # noqa: PTH111
            base = f"{home}/.local/state"
        folder = f"{base}/recalld"
    return f"{folder}/hook.log" if folder.startswith("/") else ""


def note(environ: "Mapping[str, str]", who: str, why: str) -> None:
    """Append ``who: why``. Whatever is wrong with the file, nothing comes of it."""
    when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    line = f"{when} {who}: {why}"[:_MOST_LINE_CHARS]
    shown = "".join(letter if letter.isprintable() else "?" for letter in line)
    try:
        _append(log_path(environ), shown.encode("utf-8", "replace") + b"\n")
    except OSError:
        return


def _append(path: str, line: bytes) -> None:
    if not path:
        return
    os.makedirs(path.rpartition("/")[0], mode=0o700, exist_ok=True)  # noqa: PTH103
    descriptor = _ours(path)
    try:
        if os.fstat(descriptor).st_size + len(line) > MOST_BYTES:
            os.replace(path, f"{path}.1")  # noqa: PTH105
            os.close(descriptor)
            descriptor = -1
            descriptor = _ours(path)
        os.write(descriptor, line)
    finally:
        if descriptor >= 0:
            os.close(descriptor)


def _ours(path: str) -> int:
    """A descriptor of the plain file at ``path``, made 0600 where there is none.

    A link, a pipe or a file of somebody else is left alone: ``OSError``.
    """
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    descriptor = os.open(path, flags, 0o600)
    facts = os.fstat(descriptor)
    if not stat.S_ISREG(facts.st_mode) or facts.st_uid != os.getuid() or facts.st_nlink > 1:
        os.close(descriptor)
        raise OSError("not a plain file of ours")
    return descriptor
