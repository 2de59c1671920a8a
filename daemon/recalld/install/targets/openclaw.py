"""OpenClaw: our plugin's folder and its permissions in ``openclaw.json``."""

import posixpath
from functools import partial

from recalld.errors import Refused
from recalld.install.edit import Append, Edit, Put, at, edited, has, without
from recalld.install.hooks import is_bare, values
from recalld.install.includes import resolved
from recalld.install.model import Before, Managed, Merged, Place, Target, needed
from recalld.install.scan import Value

PLUGIN = "recalld"
RIVAL = "active-memory"

Path = tuple[str | int, ...]

_PATHS: Path = ("plugins", "load", "paths")
_ALLOW: Path = ("plugins", "allow")
_ENTRY: Path = ("plugins", "entries", PLUGIN)
_OURS: dict[Path, bool] = {
    (*_ENTRY, "enabled"): True,
    (*_ENTRY, "hooks", "allowConversationAccess"): True,
}
_VARIABLES = ("OPENCLAW_CONFIG_PATH", "OPENCLAW_STATE_DIR", "OPENCLAW_HOME")
_LEGACY_FOLDERS = (".clawdbot", ".moltbot", ".moldbot")


def target(place: Place) -> Target:
    path = _settings(place)
    return Target(
        title="OpenClaw",
        files=(Managed(path=path, put=partial(_put, place, posixpath.dirname(path)), take=_take),),
        installed=(
            "openclaw gateway restart",
            "openclaw plugins inspect recalld --runtime   # lists the hooks it registered",
            f"if prompts get two memories, your version has switched {RIVAL} on by itself:",
            f"  openclaw config set plugins.entries.{RIVAL}.enabled false",
        ),
        uninstalled=("openclaw gateway restart",),
    )


def _settings(place: Place) -> str:
    """Where OpenClaw itself would look."""
    environ = place.environ
    named = environ.get("OPENCLAW_CONFIG_PATH", "").strip()
    if named:
        return _expanded(named, place)
    home = environ.get("OPENCLAW_HOME", "").strip() or place.home
    folder = environ.get("OPENCLAW_STATE_DIR", "").strip() or posixpath.join(home, ".openclaw")
    return posixpath.join(_expanded(folder, place), "openclaw.json")


def _expanded(path: str, place: Place) -> str:
    rest = path.removeprefix("~")
    return place.home + rest if rest != path and rest[:1] in {"", "/"} else path


def _put(place: Place, folder: str, text: str | None) -> Merged:
    plugin = needed(place.plugin, "the OpenClaw plugin")
    if text is None:
        _refuse_legacy(place)
    own = values(text or "")
    meant = resolved(own, folder, place.read)
    _refuse(meant)
    edits: list[Edit] = [Put(path=path, value=value) for path, value in _OURS.items()]
    edits = [*_load_edits(own, meant, plugin), *_allow_edits(meant), *edits]
    surplus = [(*_PATHS, index) for index in _our_paths(own)[1:]]
    return Merged(text=without(edited(text or "", edits), surplus), warnings=_warnings(meant, text))


def _take(text: str, before: Before | None) -> Merged:
    value = values(text)
    old = values(before.text) if before is not None and before.text is not None else {}
    back = [
        Put(path=path, value=at(old, path))
        for path in _OURS
        if has(value, path) and isinstance(at(old, path), bool)
    ]
    gone = [path for path in _OURS if at(value, path) is True and not has(old, path)]
    gone += [(*_PATHS, index) for index in _our_paths(value)]
    if not _names(old, _ALLOW):
        gone += [(*_ALLOW, index) for index in _places(value, _ALLOW)]
    after = without(edited(text, back), _with_empty_holders(value, gone, old))
    return Merged(text=None if before == Before(text=None) and is_bare(after) else after)


def _refuse_legacy(place: Place) -> None:
    """OpenClaw would take a new file for its settings and leave the old ones unread."""
    if any(place.environ.get(name) for name in _VARIABLES):
        return
    for name in _LEGACY_FOLDERS:
        folder = posixpath.join(place.home, name)
        if place.exists(folder):
            raise Refused(
                f"OpenClaw's settings may lie in {folder}; name the file by OPENCLAW_CONFIG_PATH"
            )


def _refuse(meant: Value) -> None:
    """Where installing would be of no use, or two memories would speak at once."""
    if at(meant, ("plugins", "enabled")) is False:
        raise Refused("plugins.enabled is false: OpenClaw loads no plugins; set it to true first")
    if _names(meant, ("plugins", "deny")):
        raise Refused(f"plugins.deny names {PLUGIN}: take it off that list first")
    entries = at(meant, ("plugins", "entries"))
    for key, entry in entries.items() if isinstance(entries, dict) else ():
        rival = key.strip().lower() == RIVAL and at(entry, ("enabled",)) is True
        if rival and at(entry, ("config", "enabled")) is not False and not _locked_out(meant):
            raise Refused(
                f"plugins.entries.{key}.enabled is true: OpenClaw's own memory would be put into "
                "the same prompts as recalld's; set it to false first"
            )


def _locked_out(meant: Value) -> bool:
    """Whether the rival is switched on in vain."""
    allow = at(meant, _ALLOW)
    unlisted = isinstance(allow, list) and bool(allow) and not _places(meant, _ALLOW, RIVAL)
    return unlisted or bool(_places(meant, ("plugins", "deny"), RIVAL))


def _load_edits(own: Value, meant: Value, plugin: str) -> list[Edit]:
    ours = _our_paths(own)
    if ours:
        return [Put(path=(*_PATHS, ours[0]), value=plugin)]
    known = at(meant, _PATHS)
    there = isinstance(known, list) and plugin in known
    return [] if there else [Append(path=_PATHS, value=plugin)]


def _allow_edits(meant: Value) -> list[Edit]:
    """A list that is empty or missing lets every plugin in; starting one would shut out the rest.

    That is OpenClaw's own rule, and takes channels and model providers with it.
    """
    allow = at(meant, _ALLOW)
    if allow in (None, []) or _names(meant, _ALLOW):
        return []
    return [Append(path=_ALLOW, value=PLUGIN)]


def _warnings(meant: Value, text: str | None) -> tuple[str, ...]:
    told = []
    if text is None:
        told.append("there was no openclaw.json; run 'openclaw onboard' if OpenClaw is new here")
    if at(meant, (*_ENTRY, "hooks", "allowPromptInjection")) is False:
        told.append(
            f"plugins.entries.{PLUGIN}.hooks.allowPromptInjection is false: nothing can be recalled"
        )
    return tuple(told)


def _our_paths(value: Value) -> list[int]:
    """Where in ``plugins.load.paths`` a plugin folder of ours is, of whatever installation."""
    paths = at(value, _PATHS)
    return [
        index
        for index, path in enumerate(paths if isinstance(paths, list) else ())
        if isinstance(path, str) and posixpath.normpath(path).endswith("/recalld/openclaw")
    ]


def _places(value: Value, path: Path, name: str = PLUGIN) -> list[int]:
    items = at(value, path)
    return [
        index
        for index, item in enumerate(items if isinstance(items, list) else ())
        if isinstance(item, str) and item.strip().lower() == name
    ]


def _names(value: Value, path: Path) -> bool:
    return bool(_places(value, path))


def _with_empty_holders(value: Value, gone: list[Path], old: Value) -> list[Path]:
    """``gone``, and the containers it would leave empty, unless they were there before."""
    all_gone = list(gone)
    holders = {path[:length] for path in gone for length in range(1, len(path))}
    for holder in sorted(holders, key=len, reverse=True):
        content = at(value, holder)
        names = range(len(content)) if isinstance(content, list) else content
        empty = isinstance(names, dict | range) and all((*holder, n) in all_gone for n in names)
        if empty and not has(old, holder):
            all_gone.append(holder)
    return all_gone
