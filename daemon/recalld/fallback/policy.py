"""The ``[search]`` table: who is asked when the index cannot answer."""

from typing import Annotated

from msgspec import Meta

from recalld.recall.policy import Policy

Argument = Annotated[str, Meta(max_length=1_024)]


class FallbackPolicy(Policy, frozen=True, kw_only=True):
    """A command in place of the index. Empty: none."""

    # One argument an item, no shell. {query} and {limit} are filled in; the output is the JSON
    # of a host's memory search.
    fallback_command: Annotated[tuple[Argument, ...], Meta(max_length=64)] = ()

    def __post_init__(self) -> None:
        command = self.fallback_command
        if not command:
            return
        if not command[0] or "{" in command[0] or any("\0" in part for part in command):
            raise ValueError("search.fallback_command: the first item must name a program")
        if not any("{query}" in part for part in command[1:]):
            raise ValueError("search.fallback_command: no item holds {query}")
