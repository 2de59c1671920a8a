"""What a message says about recall itself: prefixes and options at its start. Pure."""

from dataclasses import dataclass
from functools import lru_cache

from recalld.recall.model import Depth, RouteKind
from recalld.recall.policy import TriggerPolicy
from recalld.text.folding import folded

_COLONS = ":："
_DEPTHS = {depth.value: depth for depth in Depth}
_ROUTES = {route.value: route for route in RouteKind}


@dataclass(frozen=True, slots=True, kw_only=True)
class Control:
    """``rest`` is the message without prefixes and options. ``prefix`` is the first one."""

    suppressed: bool
    forced: bool
    prefix: str
    rest: str
    depth: Depth | None = None
    route: RouteKind | None = None


def read_control(text: str, policy: TriggerPolicy) -> Control:
    """The leading prefixes and, after a forcing one, up to one depth and one route.

    A prefix after a prefix is taken off too, so none ever reaches a query; one that suppresses
    wins over any that forces. Case and traditional forms do not matter.
    """
    plain = folded(text).lower()
    at = _blanks(plain, 0)
    first = ""
    suppressed = forced = False
    while True:
        stop, prefix = _prefix_end(plain, at, policy.suppress_prefixes)
        suppressed = suppressed or stop > at
        if stop == at:
            stop, prefix = _prefix_end(plain, at, policy.explicit_prefixes)
            forced = forced or stop > at
        if stop == at:
            break
        first = first or prefix
        at = stop
    if suppressed or not forced:
        return Control(suppressed=suppressed, forced=False, prefix=first, rest=text[at:].strip())
    at, depth, route = _options(plain, at)
    return Control(
        suppressed=False,
        forced=True,
        prefix=first,
        rest=text[at:].strip(),
        depth=depth,
        route=route,
    )


def _prefix_end(plain: str, at: int, prefixes: tuple[str, ...]) -> tuple[int, str]:
    """The position behind the longest prefix that stands at ``at``, else ``at``."""
    best, name = at, ""
    for prefix in prefixes:
        stem = _stem(prefix)
        if not stem or not plain.startswith(stem, at):
            continue
        end = at + len(stem)
        follower = plain[end : end + 1]
        # A command ends at a blank or a colon; a prefix written with a colon wants one of the two.
        colon_wanted = prefix.endswith((":", "："))
        ended = follower in _COLONS if colon_wanted else not follower or _parts(follower)
        fits = (bool(follower) and ended) if colon_wanted else (ended or not prefix.startswith("/"))
        if fits and end > best:
            best, name = end, prefix
    return (_blanks(plain, best), name) if best > at else (at, "")


@lru_cache(maxsize=256)
def _stem(prefix: str) -> str:
    return folded(prefix).lower().rstrip(_COLONS)


def _parts(character: str) -> bool:
    return character.isspace() or character in _COLONS


def _blanks(plain: str, at: int) -> int:
    while at < len(plain) and _parts(plain[at]):
        at += 1
    return at


def _options(plain: str, at: int) -> tuple[int, Depth | None, RouteKind | None]:
    depth: Depth | None = None
    route: RouteKind | None = None
    for _ in range(2):
        end = at
        while end < len(plain) and not _parts(plain[end]):
            end += 1
        word = plain[at:end]
        if depth is None and word in _DEPTHS:
            depth = _DEPTHS[word]
        elif route is None and word in _ROUTES:
            route = _ROUTES[word]
        else:
            break
        at = _blanks(plain, end)
    return at, depth, route
