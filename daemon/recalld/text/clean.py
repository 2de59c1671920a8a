"""What the host or this daemon put around a message is taken off; the user's own words stay.

Every function is linear in the text and idempotent.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

# Blocks that memory services write into prompts. Kept from the index, or memory feeds itself.
OWN_TAGS = (
    "recall-context",
    "hindsight_memories",
    "active_memory_plugin",
    "memory-context",
    "heartbeat-signals",
    "your-memories",
)
# Blocks of hosts and other plugins, cut from prompts only.
HOST_TAGS = (
    "vault-context",
    "vault_context",
    "local-vault-context",
    "internal-context",
    "internal_context",
    "runtime-context",
    "relevant-memories",
    "system-reminder",
)
# Envelopes lie in one another; deeper nesting than this is nobody's format, and would cost a long
# text its time. A short one is read until nothing more comes off.
MAX_PASSES = 6
MIN_READ_CHARS = 65_536
# A host's metadata has a dozen lines; without a bound every unclosed brace would scan the rest.
MAX_METADATA_LINES = 200


def _tag_pattern(names: Iterable[str]) -> re.Pattern[str]:
    # A tag behind a quote or a backtick is one being talked about.
    return re.compile(
        rf"(?<![`'\"\\])<(?P<close>/?)(?P<name>{'|'.join(names)})(?:\s[^<>]{{0,200}})?>", re.I
    )


_OWN = _tag_pattern(OWN_TAGS)
_ANY = _tag_pattern((*OWN_TAGS, *HOST_TAGS))
_INTERNAL = re.compile(r"<<<(?P<close>BEGIN|END)_[A-Z_]{0,40}INTERNAL_CONTEXT>>>", re.I)
_LEFT_OPEN = re.compile(
    rf"^[ \t]*(?:(?:<(?:{'|'.join((*OWN_TAGS, *HOST_TAGS))})>"
    r"|<<<BEGIN_[A-Z_]{0,40}INTERNAL_CONTEXT>>>)[ \t]*+)++(?:\n[^\n]*\S[^\n]*)*",
    re.I | re.M,
)
_LEFT_CLOSED = re.compile(
    rf"^[ \t]*(?:</(?:{'|'.join((*OWN_TAGS, *HOST_TAGS))})>"
    r"|<<<END_[A-Z_]{0,40}INTERNAL_CONTEXT>>>)[ \t]*$",
    re.I | re.M,
)

_METADATA_LABEL = re.compile(
    r"[ \t]*+[^\n:]{0,80}(?:\(untrusted[^)\n]{0,80}\)|runtime[ -]context[^\n:]{0,40}):[ \t]*$",
    re.I,
)
_FENCE = re.compile(r"^[ \t]{0,3}(?:```|~~~)")
_SYSTEM_LINE = re.compile(r"[ \t]*+System(?: \(untrusted\))?:(?:[ \t]|$)")
_MESSAGE_ID = re.compile(r"[ \t]*+\[message_id:[^\]\n]{0,200}\][ \t]*$")
_ROUTED = re.compile(r"[ \t]*+This content was routed by \w{1,40} from another session")
_WEEKDAY = r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6},?"
_HEAD = re.compile(
    r"(?:\s*(?:"
    rf"\[(?:[A-Z][^\]\n]{{0,100}} )?{_WEEKDAY} \d{{4}}-\d\d-\d\d[^\]\n]{{0,40}}\]"
    r"|\[Inter-session message\](?:[ \t]+[A-Za-z]{1,30}=[^\s]{1,300})*+"
    r"|\[Subagent Context\][^\n]{0,2000}?(?=\[Subagent Task\]|\n|$)"
    r"|\[Subagent Task\]:?"
    r"))+\s*"
)


def clean_prompt(text: str) -> str:
    """The user's own words, without surrounding blanks; empty if the host said it all.

    Taken off: own blocks and those of hosts, metadata JSON under an ``(untrusted …):`` label,
    ``System:`` lines, the heads of inter-session and sub-agent messages, a leading weekday
    stamp. A block left open ends with its paragraph.
    """
    read_chars, most_chars = 0, max(MAX_PASSES * len(text), MIN_READ_CHARS)
    while read_chars <= most_chars:
        before, read_chars = text, read_chars + len(text)
        text = _without_pairs(_without_pairs(text, _ANY), _INTERNAL)
        text = _LEFT_CLOSED.sub("", _LEFT_OPEN.sub("", text))
        text = "\n".join(_own_lines(text.split("\n"))).strip()
        head = _HEAD.match(text)
        text = text[head.end() :] if head is not None else text
        if text == before:
            break
    return text


def strip_own_blocks(text: str) -> str:
    """The text without this daemon's and similar services' blocks; each pair goes as a whole.

    A tag without its partner, and one behind a quote or a backtick, stays: it is being talked
    about. Nested pairs go with the outer one.
    """
    return _without_pairs(text, _OWN)


def blank_own_blocks(text: str) -> str:
    """As ``strip_own_blocks``, with every line feed left in place, so line numbers hold."""
    parts: list[str] = []
    at = 0
    for start, end in _pairs(text, _OWN):
        parts += [text[at:start], "\n" * text.count("\n", start, end) or _gap(text, start, end)]
        at = end
    return "".join([*parts, text[at:]])


def _without_pairs(text: str, pattern: re.Pattern[str]) -> str:
    parts: list[str] = []
    at = 0
    for start, end in _pairs(text, pattern):
        parts += [text[at:start], _gap(text, start, end)]
        at = end
    return "".join([*parts, text[at:]])


def _gap(text: str, start: int, end: int) -> str:
    """A blank where cutting would join two words, or two halves of a tag."""
    outside = text[max(0, start - 1) : start] + text[end : end + 1]
    return " " if len(outside) == 2 and not any(c.isspace() for c in outside) else ""


def _pairs(text: str, pattern: re.Pattern[str]) -> list[tuple[int, int]]:
    """Ranges of the outermost matched pairs, in order. A close takes the nearest open."""
    opened: defaultdict[str, list[int]] = defaultdict(list)
    found: list[tuple[int, int]] = []
    for tag in pattern.finditer(text):
        name = tag.groupdict().get("name", "").lower()
        if tag["close"].upper() not in {"/", "END"}:
            opened[name].append(tag.start())
        elif opened[name]:
            start = opened[name].pop()
            while found and found[-1][0] >= start:
                found.pop()
            if not found or found[-1][1] <= start:
                found.append((start, tag.end()))
            else:
                # Crossed pairs of two names: one range from the first open to the last close.
                found[-1] = (found[-1][0], tag.end())
    return found


def _own_lines(lines: list[str]) -> Iterator[str]:
    """The lines that are not the host's: no labels with their JSON, no system lines."""
    at = 0
    while at < len(lines):
        line = lines[at]
        if not line:
            yield line
            at += 1
            continue
        end = _payload_end(lines, at + 1) if _METADATA_LABEL.match(line) else None
        if end is not None:
            at = end
            continue
        if not (_SYSTEM_LINE.match(line) or _MESSAGE_ID.match(line) or _ROUTED.match(line)):
            yield line
        at += 1


def _payload_end(lines: list[str], at: int) -> int | None:
    """The line behind the fenced or bare JSON that starts at ``at``; None if none does.

    A fence left open ends with the bound or the text; a bare object at the brace that starts
    a line.
    """
    limit = min(len(lines), at + MAX_METADATA_LINES)
    start = next((i for i in range(at, limit) if lines[i].strip()), None)
    if start is None:
        return None
    first = lines[start]
    after = range(start + 1, limit)
    if _FENCE.match(first):
        return next((i for i in after if _FENCE.match(lines[i])), limit - 1) + 1
    if first.startswith("{"):
        if first.rstrip().endswith("}"):
            return start + 1
        close = next((i for i in after if lines[i].startswith("}")), None)
        return None if close is None else close + 1
    return None
