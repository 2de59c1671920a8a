"""JSON5 texts as people leave them: any value, spelling, comment, blank and line end."""

import json

from hypothesis import strategies as st

KEYS = st.sampled_from(
    [
        "a",
        "b",
        "env",
        "hooks",
        "plugins",
        "Stop",
        "权限",
        "$x",
        "with space",
        "it's",
        '"',
        "é",
        "// no",
    ]
)
SCALARS = st.sampled_from(
    [
        *("true", "false", "null", "0", "-1.50", "1e999", "12345678901234567890"),
        *(
            '""',
            '"x // no comment"',
            '"/* nor */"',
            '"{[,:]}"',
            '"\\ud83d\\ude00"',
            '"\\ud800"',
            '"中\\n"',
        ),
    ]
)
LOOSE_SCALARS = st.sampled_from(
    [
        "'it\\'s'",
        "'a\"b'",
        "'a\\\nb'",
        ".5",
        "5.",
        "+1",
        "0xFF",
        "NaN",
        "-Infinity",
        "'\\x41\\v'",
    ]
)
COMMENTS = st.sampled_from(
    ["", "", "/* c */", "/*\n two, } ] lines */", "// c", '// {"x": [1,]}', "//"]
)


@st.composite
def documents(
    draw: st.DrawFn, *, loose: bool = True, root_keys: st.SearchStrategy[str] = KEYS
) -> str:
    """The text of an object; plain JSON with free blanks where not ``loose``."""
    feed = draw(st.sampled_from(["\n", "\r\n"]))
    indent = draw(st.sampled_from(["  ", "    ", "\t", ""]))
    lined = draw(st.booleans())
    spaced = draw(st.booleans())

    def gap(depth: int, *, broken: bool) -> str:
        comment = draw(COMMENTS).replace("\n", feed) if loose else ""
        open_ended = comment.startswith("//")
        line = feed + indent * depth if broken or open_ended else ""
        return (" " + comment if comment else "") + line

    def key(text: str) -> str:
        plain = loose and text.isidentifier() and draw(st.booleans())
        return text if plain else json.dumps(text, ensure_ascii=draw(st.booleans()))

    def container(depth: int, keys: st.SearchStrategy[str]) -> str:
        named = depth == 0 or draw(st.booleans())
        count = draw(st.integers(0, 3))
        names = draw(st.lists(keys, min_size=count, max_size=count, unique=True))
        broken = lined and draw(st.booleans() if depth else st.just(True))
        text = "{" if named else "["
        for number, name in enumerate(names):
            text += gap(depth + 1, broken=broken)
            if named:
                text += key(name) + ":" + (" " if spaced else "")
            text += value(depth + 1)
            if number < count - 1:
                text += gap(depth + 1, broken=False) + "," + (" " if spaced and not broken else "")
            elif loose and draw(st.booleans()):
                text += ","
        return text + gap(depth, broken=broken and count > 0) + ("}" if named else "]")

    def value(depth: int) -> str:
        if depth > 3 or draw(st.booleans()):
            return draw(st.one_of(SCALARS, LOOSE_SCALARS) if loose else SCALARS)
        return container(depth, KEYS)

    mark = draw(st.sampled_from(["", "", "\ufeff"])) if loose else ""
    head, tail = gap(0, broken=False), gap(0, broken=draw(st.booleans()))
    return mark + head + container(0, root_keys) + tail
