"""Who sees which memories. Pure.

An owner is a name; what stands before its first ``/`` is its team: ``acme/ann`` and ``acme/bob``
are of the team ``acme``. An owner without a ``/`` has no team.
"""

from recalld.memories.model import Memory, Visibility


def team_of(owner: str) -> str:
    """The owner's team; empty without one."""
    team, slash, _ = owner.partition("/")
    return team if slash else ""


def may_see(viewer: str, memory: Memory) -> bool:
    """Whether ``viewer`` is shown ``memory``: its own always, another's never while private.

    A team's memory is seen by the team, a global one by everybody.
    """
    if memory.owner == viewer or memory.visibility is Visibility.GLOBAL:
        return True
    if memory.visibility is Visibility.PRIVATE:
        return False
    team = team_of(viewer)
    return team != "" and team == team_of(memory.owner)
