"""The ends of a long text, where its question stands. Pure."""


def ends_of(text: str, *, most: int, head: int) -> str:
    """At most ``most`` characters: the first ``head``, fewer than that, a blank, and the end."""
    if len(text) <= most:
        return text
    tail = most - head - 1
    return f"{text[:head]} {text[len(text) - tail :]}"
