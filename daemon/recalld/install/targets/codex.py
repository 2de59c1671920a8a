"""Codex: hooks in a ``hooks.json`` of their own."""

import posixpath
import tomllib

from recalld.install.hooks import command_of, not_plain, values, with_hooks, without_hooks
from recalld.install.model import Before, Managed, Merged, Place, Target, needed

HOST = "codex"
TITLE = "Codex"

# Seconds, whole ones only. Codex gives SessionEnd no more than 3.
TIMEOUTS = {
    "SessionStart": 5,
    "UserPromptSubmit": 5,
    "PreCompact": 5,
    "PostCompact": 5,
    "Stop": 5,
    "SubagentStop": 5,
    "SessionEnd": 3,
}
# One other key on top and Codex takes none of the file.
_ROOT_KEYS = frozenset({"hooks", "description"})
_SWITCHES = ("hooks", "codex_hooks")


def target(place: Place) -> Target:
    folder = place.environ.get("CODEX_HOME") or posixpath.join(place.home, ".codex")
    config = posixpath.join(folder, "config.toml")

    def put(text: str | None) -> Merged:
        command = command_of(needed(place.hook, "recalld-hook"), HOST)
        merged = with_hooks(text, host=HOST, command=command, timeouts=TIMEOUTS)
        told = (*_about_keys(merged.text or ""), *not_plain(merged.text or "", TITLE))
        return Merged(text=merged.text, warnings=(*told, *_about_switches(place.read(config))))

    def take(text: str, before: Before | None) -> Merged:
        return without_hooks(text, before, host=HOST)

    return Target(
        title=TITLE,
        files=(Managed(path=posixpath.join(folder, "hooks.json"), put=put, take=take),),
        installed=(
            "in Codex, open /hooks and trust the new hooks: until then it skips them",
            f"a Codex without /hooks needs codex_hooks = true under [features] in {config}",
        ),
        uninstalled=("sessions that are open keep their hooks until they end",),
    )


def _about_keys(text: str) -> tuple[str, ...]:
    found = values(text)
    extra = sorted(found.keys() - _ROOT_KEYS) if isinstance(found, dict) else []
    return tuple(f"{key}: Codex takes no hooks from a file with this key" for key in extra)


def _about_switches(config: str | None) -> tuple[str, ...]:
    try:
        found = tomllib.loads(config or "")
    except tomllib.TOMLDecodeError:
        return ()
    features = found.get("features")
    off = [name for name in _SWITCHES if isinstance(features, dict) and features.get(name) is False]
    return tuple(f"features.{name} is false in config.toml: Codex runs no hooks" for name in off)
