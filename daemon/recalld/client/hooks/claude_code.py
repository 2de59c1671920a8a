"""Claude Code: https://code.claude.com/docs/en/hooks.

Shown to the model are ``SessionStart`` and ``UserPromptSubmit``, as ``additionalContext``; beyond
10,000 UTF-16 units Claude Code puts the text into a file and shows its head.
"""

from recalld.client.hooks._coding import Coding, claude_lines


def _utf16_units(text: str) -> int:
    return len(text.encode("utf-16-le", "replace")) // 2


HOST = Coding("claude-code", exchange=claude_lines, size=_utf16_units).host()
