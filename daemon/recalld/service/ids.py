"""Identifiers that sort by time (ULID): 48 bits of milliseconds, 80 bits of randomness. Pure."""

_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
RANDOM_BYTES = 10


def ulid(*, now_ms: int, randomness: bytes) -> str:
    """26 characters of Crockford's base 32. ``randomness`` is 10 bytes.

    >>> ulid(now_ms=0, randomness=bytes(10))
    '00000000000000000000000000'
    """
    number = (now_ms & (1 << 48) - 1) << 80 | int.from_bytes(randomness[:RANDOM_BYTES])
    return "".join(_ALPHABET[number >> shift & 31] for shift in range(125, -1, -5))
