"""Claude Code: hooks in the user's ``settings.json``."""

import posixpath

from recalld.install.edit import at
from recalld.install.hooks import command_of, not_plain, values, with_hooks, without_hooks
from recalld.install.model import Before, Managed, Merged, Place, Target, needed

HOST = "claude-code"
TITLE = "Claude Code"
PROGRAM = "claude"

# The hook itself ends within 1.5 s; this is for the day it cannot.
TIMEOUT_S = 5
# With the version that brought each event: some before 2.1.101 leave the whole file aside when
# it has an event they do not know.
EVENTS = {
    "SessionStart": (1, 0),
    "UserPromptSubmit": (1, 0),
    "PreCompact": (1, 0, 48),
    "PostCompact": (2, 1, 76),
    "Stop": (1, 0),
    "SubagentStop": (1, 0),
    "SessionEnd": (1, 0, 85),
}


def target(place: Place) -> Target:
    folder = place.environ.get("CLAUDE_CONFIG_DIR") or posixpath.join(place.home, ".claude")

    def put(text: str | None) -> Merged:
        command = command_of(needed(place.hook, "recalld-hook"), HOST)
        version = place.version(PROGRAM)
        fit = {
            event: TIMEOUT_S
            for event, since in EVENTS.items()
            if version is None or version >= since
        }
        merged = with_hooks(text, host=HOST, command=command, timeouts=fit)
        return Merged(text=merged.text, warnings=(*_missing(fit), *_warnings(merged.text or "")))

    def take(text: str, before: Before | None) -> Merged:
        return without_hooks(text, before, host=HOST)

    return Target(
        title=TITLE,
        files=(Managed(path=posixpath.join(folder, "settings.json"), put=put, take=take),),
        installed=("start a new Claude Code session; /hooks lists what runs",),
        uninstalled=("sessions that are open keep their hooks until they end",),
    )


def _missing(fit: dict[str, int]) -> tuple[str, ...]:
    return tuple(
        f"{event} is left out: it takes Claude Code {'.'.join(map(str, since))}; "
        "update, then install again"
        for event, since in EVENTS.items()
        if event not in fit
    )


def _warnings(text: str) -> tuple[str, ...]:
    off = at(values(text), ("disableAllHooks",)) is True
    told = ("disableAllHooks is true: Claude Code runs no hooks",) if off else ()
    return (*told, *not_plain(text.removeprefix("\ufeff"), TITLE))
