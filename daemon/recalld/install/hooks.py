"""Our hooks in a settings file: an event, a list of groups, a list of handlers. Pure.

Claude Code and Codex spell it alike. A handler is ours if its command runs ``recalld-hook HOST``.
One that does nothing else is kept up to date; one that a person dressed up (a variable in front,
a redirection) counts as installed and is theirs.
"""

import json
import posixpath
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

from recalld.install.edit import Append, Edit, Put, at, edited, has, without
from recalld.install.model import Before, Merged
from recalld.install.scan import Value, comments, scan, value_of

COMMAND = "recalld-hook"
_GROUP_KEYS = frozenset({"matcher", "hooks"})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ours:
    """A handler of ours, in the group at ``group``; ``plain``: it runs our hook and no more."""

    group: tuple[str | int, ...]
    number: int
    plain: bool

    @property
    def path(self) -> tuple[str | int, ...]:
        return (*self.group, "hooks", self.number)


def command_of(hook: str, host: str) -> str:
    """The command a host's shell runs."""
    return f"{shlex.quote(hook)} {host}"


def with_hooks(text: str | None, *, host: str, command: str, timeouts: Mapping[str, int]) -> Merged:
    """The settings with a handler of ours for each event of ``timeouts`` (seconds).

    An event that has one keeps it where it is, with the command brought up to date; one that is
    not in ``timeouts`` loses it, and so does a group that would run it twice.
    """
    text = text or ""
    value = values(text)
    edits: list[Edit] = []
    gone: list[tuple[str | int, ...]] = []
    seen: list[tuple[str | int, Value]] = []
    for ours in _all_ours(value, host):
        event = ours.group[1]
        runs_at = (event, at(value, (*ours.group, "matcher")))
        if ours.plain and (event not in timeouts or runs_at in seen):
            gone.append(ours.path)
        elif ours.plain:
            edits.append(Put(path=(*ours.path, "command"), value=command))
        seen.append(runs_at)
    for event, timeout_s in timeouts.items():
        if all(event != known for known, _ in seen):
            handler = {"type": "command", "command": command, "timeout": timeout_s}
            edits.append(Append(path=("hooks", event), value={"hooks": [handler]}))
    pruned = _pruned(value, _emptied(value, gone), None)
    # What is added comes into ``hooks``, so that stays, whatever leaves it.
    return Merged(text=without(edited(text, edits), [p for p in pruned if p != ("hooks",)]))


def without_hooks(text: str, before: Before | None, *, host: str) -> Merged:
    """The settings without our handlers and what held them alone.

    What ``before`` had stays, empty as it may be.
    """
    value = values(text)
    found = list(_all_ours(value, host))
    paths = _emptied(value, [ours.path for ours in found if ours.plain])
    after = without(text, _pruned(value, paths, before))
    theirs = sorted({str(ours.group[1]) for ours in found if not ours.plain})
    warnings = tuple(
        f"hooks.{event} runs {COMMAND} in a way of your own; it stays" for event in theirs
    )
    gone = before == Before(text=None) and is_bare(after)
    return Merged(text=None if gone else after, warnings=warnings)


def values(text: str) -> Value:
    """What a settings file holds; an empty object where it holds nothing."""
    root = scan(text)
    return {} if root is None else value_of(root)


def is_bare(text: str) -> bool:
    """Whether a file is an empty object without a comment: nothing that anybody would miss."""
    return values(text) == {} and not comments(text)


def not_plain(text: str, host: str) -> tuple[str, ...]:
    """A warning where a text is no plain JSON, which is all that ``host`` reads."""
    try:
        json.loads(text)
    except ValueError as error:
        where = (
            f"line {error.lineno}, column {error.colno}"
            if isinstance(error, json.JSONDecodeError)
            else "the file"
        )
        return (
            f"{where} is no plain JSON (a comment, a trailing comma?): {host} may leave the whole "
            "file aside, and our hooks with it",
        )
    return ()


def _all_ours(value: Value, host: str) -> Iterator[_Ours]:
    events = at(value, ("hooks",))
    for event in events if isinstance(events, dict) else ():
        yield from _ours(value, event, host)


def _ours(value: Value, event: str, host: str) -> Iterator[_Ours]:
    groups = at(value, ("hooks", event))
    for index, group in enumerate(groups if isinstance(groups, list) else ()):
        handlers = at(group, ("hooks",))
        for number, handler in enumerate(handlers if isinstance(handlers, list) else ()):
            command = at(handler, ("command",))
            if isinstance(command, str) and (plain := _runs(command, handler, host)) is not None:
                yield _Ours(group=("hooks", event, index), number=number, plain=plain)


def _runs(command: str, handler: Value, host: str) -> bool | None:
    """Whether a handler runs nothing but our hook; None where it does not run it at all."""
    try:
        words = shlex.split(command)
    except ValueError:
        words = command.split()
    arguments = at(handler, ("args",))
    words += (
        [word for word in arguments if isinstance(word, str)] if isinstance(arguments, list) else []
    )
    pairs = pairwise(words)
    if not any(posixpath.basename(left) == COMMAND and right == host for left, right in pairs):
        return None
    return len(words) == 2 and arguments is None


def _emptied(value: Value, paths: list[tuple[str | int, ...]]) -> list[tuple[str | int, ...]]:
    """``paths`` of handlers, and of the groups that would be left without any."""
    gone = list(paths)
    for group in {path[:3] for path in paths}:
        handlers, keys = at(value, (*group, "hooks")), at(value, group)
        all_of_them = isinstance(handlers, list) and all(
            (*group, "hooks", number) in paths for number in range(len(handlers))
        )
        if all_of_them and isinstance(keys, dict) and keys.keys() <= _GROUP_KEYS:
            gone.append(group)
    return gone


def _pruned(
    value: Value, paths: list[tuple[str | int, ...]], before: Before | None
) -> list[tuple[str | int, ...]]:
    """``paths``, and of the events and of ``hooks`` what would be left empty and was not there."""
    old = values(before.text) if before is not None and before.text is not None else {}
    gone = list(paths)
    for event in {path[:2] for path in paths}:
        groups = at(value, event)
        left = isinstance(groups, list) and any(
            (*event, number) not in paths for number in range(len(groups))
        )
        if not left and not has(old, event):
            gone.append(event)
    events = at(value, ("hooks",))
    left = isinstance(events, dict) and any(("hooks", event) not in gone for event in events)
    if paths and not left and not has(old, ("hooks",)):
        gone.append(("hooks",))
    return gone
