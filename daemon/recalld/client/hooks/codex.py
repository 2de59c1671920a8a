"""Codex: its hooks are Claude Code's by name and by shape, with strict schemas.

Beyond 2,500 tokens of four bytes Codex puts a hook's text into a file and shows its head. It has
no ``SessionEnd``: the daemon takes a long silence for the end.
"""

from recalld.client.hooks._coding import Coding, codex_lines


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "replace"))


HOST = Coding("codex", exchange=codex_lines, size=_bytes).host()
