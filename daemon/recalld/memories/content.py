"""The words of a memory as they may be kept. Pure."""

import re
import unicodedata
from hashlib import blake2b

from recalld.errors import BadRequest
from recalld.memories.decay import CRON
from recalld.text.clean import strip_own_blocks
from recalld.text.redact import redact

MAX_BYTES = 8_192
# With blocks of our own around it. Cleaning so much takes 15 ms, and it is done in the loop.
MAX_RAW_CHARS = 65_536
MAX_TAGS = 32
MAX_TAG_CHARS = 128
MAX_NAME_CHARS = 1_024

# What no text needs and terminals, prompts and C libraries stumble over.
_CONTROLS = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f]")
_LINE_ENDS = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_BLANKS = re.compile(r"\s+")


def accepted(text: str, *, key: str = "params.content") -> str:
    """The text without our own blocks, secrets and control characters.

    ``BadRequest`` on ``key`` for one that is empty then, over ``MAX_BYTES`` or not Unicode.
    """
    require_unicode(text, key=key)
    if len(text) > MAX_RAW_CHARS:
        raise BadRequest(key, f"has {len(text)} characters, at most {MAX_BYTES} bytes are kept")
    own_words = strip_own_blocks(_LINE_ENDS.sub("\n", text))
    plain = _CONTROLS.sub("", own_words).strip()
    if not plain:
        problem = "is empty" if not text.strip() else "holds nothing but blocks of memory services"
        raise BadRequest(key, problem)
    clean = redact(plain).text
    size = len(clean.encode())
    if size > MAX_BYTES:
        raise BadRequest(key, f"has {size} bytes, at most {MAX_BYTES} are kept: split it")
    return clean


def accepted_tags(tags: tuple[str, ...], *, key: str = "params.tags") -> tuple[str, ...]:
    """Each once, without blanks around; secrets redacted; a schedule in plain characters.
    ``BadRequest`` for too many or long."""
    for at, tag in enumerate(tags):
        require_unicode(tag, key=f"{key}[{at}]")
        if _CONTROLS.search(tag) or "\n" in tag:
            raise BadRequest(f"{key}[{at}]", "has a control character")
        if len(tag) > MAX_TAG_CHARS:
            raise BadRequest(f"{key}[{at}]", f"is longer than {MAX_TAG_CHARS} characters")
    if len(tags) > MAX_TAGS:
        raise BadRequest(key, f"has {len(tags)} tags, at most {MAX_TAGS} are kept")
    kept = (redact(_schedule(tag.strip())).text for tag in tags)
    return tuple(dict.fromkeys(tag for tag in kept if tag))


def _schedule(tag: str) -> str:
    """A Chinese keyboard writes the colons of a schedule wide; other tags stay as they are."""
    plain = unicodedata.normalize("NFKC", tag)
    return plain if plain.casefold().startswith(CRON) else tag


def accepted_name(name: str, *, key: str) -> str:
    """A name (owner, agent, session) as it is. ``BadRequest`` for an empty, long or broken one."""
    require_unicode(name, key=key)
    if not name or len(name) > MAX_NAME_CHARS:
        raise BadRequest(key, f"must have 1 to {MAX_NAME_CHARS} characters")
    if "\0" in name:
        raise BadRequest(key, "has a NUL character")
    return name


def require_unicode(text: str, *, key: str) -> None:
    """``BadRequest`` for a lone surrogate: no database, socket or engine takes one."""
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise BadRequest(key, "has a lone surrogate") from error


def content_key(content: str) -> bytes:
    """One for all texts that differ in blanks and in how Unicode spells them, no more."""
    plain = _BLANKS.sub(" ", unicodedata.normalize("NFC", content)).strip()
    return blake2b(plain.encode(), digest_size=16).digest()
