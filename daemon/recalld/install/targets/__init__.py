"""What recalld can be installed into; each is one file here with ``target(place)``."""

TARGETS = ("claude-code", "codex", "openclaw", "systemd", "skill")


def module_of(name: str) -> str:
    """The file of a target: its name as Python spells it."""
    return name.replace("-", "_")
