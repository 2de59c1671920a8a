"""Which sessions and prompts are not a user's at all. Pure."""

import re

from recalld.text.clean import clean_prompt

INTERNAL_NAMES = (
    "active-memory",
    "graph-memory-writer",
    "memory-writer",
    "cron",
    "heartbeat",
    "dreaming",
)


def _names(names: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"(?:^|[:_.-])(?:{'|'.join(names)})(?=[:_.-]|$)", re.I)


_INTERNAL = _names(INTERNAL_NAMES)

_SYSTEM_EVENT = re.compile(
    r"\s*+(?:"
    r"\[?(?:cron|heartbeat|system[ _-]event|agent[ _-]?turn|cron[ -]triggered)\b[^\]\n?]{0,200}\]"
    r"|(?:system[ _-]event|agent[ _-]?turn|cron[ -]triggered)\b[ \t]*(?:[:：\-]|$)"
    r"|heartbeat[ \t]*(?:$|[:：]|(?:check|poll|tick|prompt|run)\b[^?\n]{0,80}(?:$|[:：.]))"
    r"|read heartbeat\.md\b"
    r"|心跳(?:检查|檢查|轮询|輪詢|任务|任務|触发|觸發)[ \t]*(?:[:：]|$)"
    r"|定时任务(?:触发|执行)[ \t]*(?:[:：]|$)"
    r"|pre-?compaction memory flush\b"
    r"|\[subagent (?:context|task)\]"
    r"|dreaming (?:sweep|run|pass|phase|cycle)[ \t]*[:：]"
    r"|\[internal task completion event\]"
    r")",
    re.I,
)
# Asks of a host to a model, about the conversation itself.
_TITLE = re.compile(
    r"\s*+generate a (?:short |concise |brief )?title\b.{0,80}\b(?:conversation|chat|session)\b"
    r"|.{0,400}\breply (?:with )?(?:only )?(?:HEARTBEAT_OK|NO_REPLY)\b",
    re.I | re.S,
)
_SYSTEM_LINE = re.compile(r"\s*+System(?: \(untrusted\))?:\s")


def is_internal_session(key: str) -> bool:
    """True if one of the internal names stands in the key between ``:``, ``_``, ``.`` or ``-``."""
    return _INTERNAL.search(key) is not None


def is_system_event(text: str) -> bool:
    """True if a host wrote the prompt: heartbeat, cron, sub-agent, flush, title, event lines.

    ``text`` is the prompt as it came, before cleaning. Event lines followed by words of the
    user's own are no event.
    """
    if _SYSTEM_EVENT.match(text) or _TITLE.match(text):
        return True
    return _SYSTEM_LINE.match(text) is not None and not clean_prompt(text)
