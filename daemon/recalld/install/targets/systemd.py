"""systemd: the user units, with this installation's ``recalld``."""

import posixpath
import re
import shlex
from functools import partial

from recalld.errors import Refused
from recalld.install.model import Before, Managed, Merged, Place, Target, needed

SERVICE, SOCKET = "recalld.service", "recalld.socket"

# The program of a line that starts recalld, in quotes or not.
_START = re.compile(r'^(ExecStart=)("[^"\n]*"|\S+)', re.MULTILINE)
_PLAIN = re.compile(r"[\w/.+@:,=-]+", re.ASCII)
_UNFIT = frozenset("\"'\\")
_LINKS = {SERVICE: "default.target.wants", SOCKET: "sockets.target.wants"}
# What a shell has and a unit has not.
_VARIABLES = ("RECALLD_CONFIG", "RECALLD_STATE_DIR", "RECALLD_SOCKET")


def target(place: Place) -> Target:
    base = place.environ.get("XDG_CONFIG_HOME", "")
    if not base.startswith("/"):
        base = posixpath.join(place.home, ".config")
    folder = posixpath.join(base, "systemd", "user")
    units = " ".join((SOCKET, SERVICE))
    disable = f"systemctl --user disable --now {units}"

    def may_leave() -> None:
        for unit, link in _LINKS.items():
            if place.exists(posixpath.join(folder, link, unit)):
                raise Refused(f"{unit} is enabled; first run: {disable}")

    return Target(
        title="systemd",
        files=tuple(
            Managed(
                path=posixpath.join(folder, unit),
                put=partial(_put, place, unit),
                take=partial(_take, place, unit),
                whole=True,
            )
            for unit in (SERVICE, SOCKET)
        ),
        installed=(
            "systemctl --user daemon-reload",
            f"systemctl --user enable --now {units}",
        ),
        uninstalled=("systemctl --user daemon-reload",),
        may_leave=may_leave,
    )


def _put(place: Place, unit: str, text: str | None) -> Merged:
    """The unit as it is shipped; of one that a person wrote or changed, the program alone."""
    if unit not in place.units:
        raise Refused(f"{unit} is not part of this installation")
    program = _quoted(needed(place.recalld, "recalld"))
    if unit == SOCKET:
        return Merged(text=place.units[unit] if text is None else text)
    if text is not None and not _starts_recalld(text):
        raise Refused("no ExecStart runs recalld; move the file away first")
    told = tuple(
        f"{name} is set here and not in the unit; see systemd.exec(5), Environment="
        for name in _VARIABLES
        if place.environ.get(name)
    )
    return Merged(text=_with_program(text or place.units[unit], program), warnings=told)


def _take(place: Place, unit: str, text: str, before: Before | None) -> Merged:
    """Nothing, where the unit is ours; the program as it was, where it is not."""
    if before is not None and before.text is not None:
        old = _START.search(before.text)
        return Merged(text=_with_program(text, old[2]) if old else text)
    if _with_program(text, "") == _with_program(place.units.get(unit, ""), ""):
        return Merged(text=None)
    return Merged(text=text, warnings=("the unit is not as it was installed; it stays",))


def _starts_recalld(text: str) -> bool:
    return any(_is_recalld(match[2]) for match in _START.finditer(text))


def _is_recalld(word: str) -> bool:
    try:
        return posixpath.basename("".join(shlex.split(word))) == "recalld"
    except ValueError:
        return False


def _with_program(text: str, program: str) -> str:
    def line(match: re.Match[str]) -> str:
        return match[1] + program if _is_recalld(match[2]) else match[0]

    return _START.sub(line, text)


def _quoted(path: str) -> str:
    """``path`` as the program of a unit. systemd takes none with a quote or a backslash in it."""
    if not path.isprintable() or not _UNFIT.isdisjoint(path):
        raise Refused(f"systemd runs no program of this name: {path}")
    escaped = path.replace("%", "%%")
    return escaped if _PLAIN.fullmatch(path) else f'"{escaped}"'
