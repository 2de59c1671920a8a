"""What a target of ``recalld install`` is: its files, and what to tell the user."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from recalld.errors import Refused


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """This machine and this user, as targets see them.

    ``hook`` and ``recalld`` are the absolute paths of this installation's commands, ``plugin``
    that of the OpenClaw plugin's folder; None: this installation has none. ``units`` are the
    systemd units by file name, ``skill`` is the text for agents. ``read`` gives another file's
    text, None where it cannot be read; ``version`` what a program says its version is, None where
    it is not there or says nothing of the kind.
    """

    home: str
    environ: Mapping[str, str]
    hook: str | None
    recalld: str | None
    plugin: str | None
    units: Mapping[str, str]
    skill: str
    read: Callable[[str], str | None]
    exists: Callable[[str], bool]
    version: Callable[[str], tuple[int, ...] | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Before:
    """What a file held before we came; ``text`` None: there was no file."""

    text: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """What a file should hold (None: no file), and what the user should know about it."""

    text: str | None
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Managed:
    """One file with a part that is ours. Both functions raise ``Refused`` and ``Malformed``.

    ``put(text)``: the file with us in it; ``text`` None: there is no file. Given its own result it
    returns it again. ``take(text, before)``: the file without us, ``before`` None where nobody
    knows what it was. ``whole``: all of the file is ours, so one that is still, to the byte, what
    an earlier install left is put anew.
    """

    path: str
    put: Callable[[str | None], Merged]
    take: Callable[[str, Before | None], Merged]
    whole: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """``title`` is its name in a sentence. ``text``: what is printed instead of installing.

    ``may_leave`` raises ``Refused`` where something has to be done before an uninstall.
    """

    title: str
    files: tuple[Managed, ...] = ()
    installed: tuple[str, ...] = ()
    uninstalled: tuple[str, ...] = ()
    text: str | None = None
    may_leave: Callable[[], None] = lambda: None


def needed(path: str | None, name: str) -> str:
    """``path``, or ``Refused`` where this installation lacks ``name`` or no file can spell it."""
    if path is None:
        raise Refused(f"{name} is not part of this installation; install recalld with pip")
    try:
        path.encode()
    except UnicodeEncodeError as error:
        raise Refused(f"{name} lies in a folder whose name is not UTF-8") from error
    return path
