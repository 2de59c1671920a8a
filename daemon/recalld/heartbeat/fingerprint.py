"""What signals are about, in a few letters: whether two ticks would say the same. Pure."""

from collections.abc import Iterable
from hashlib import sha256

from recalld.heartbeat.model import Signal
from recalld.text.tokens import fold

DIGEST_BYTES = 8


def of(signals: Iterable[Signal]) -> str:
    """16 hex digits over the signals' ids, in any order and however often; empty for none.

    Ids name check and memory, never words: a deadline that is an hour nearer is the same signal.
    """
    return _short(signal.id for signal in signals)


def summary_hash(signals: Iterable[Signal]) -> str:
    """16 hex digits over what is said, in any order and however often; empty for none.

    A signal says its subject's words, or its title where it has no memory; case, width and
    spaces do not count. So two memories with the same words say the same.
    """
    return _short(_plain(signal) for signal in signals)


def subject(signal: Signal) -> str:
    """The topic: the id of the memory it is about first, or its own where it has none."""
    return signal.memories[0].id if signal.memories else signal.id


def _plain(signal: Signal) -> str:
    said = signal.memories[0].content if signal.memories else signal.title
    return folded(said)


def folded(text: str) -> str:
    """The words as they count: case, width and spaces do not."""
    return " ".join(fold(text).casefold().split())


def _short(names: Iterable[str]) -> str:
    # A length in front of each: no name can look like two.
    parts = [f"{len(name)}:{name}" for name in sorted(set(names))]
    return sha256("".join(parts).encode()).digest()[:DIGEST_BYTES].hex() if parts else ""
