"""JSON as people write it (JSON5, so comments too), read with the place of every value. Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

MAX_DEPTH = 200

_BLANK = "\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
_LINE = "[^\n\r\u2028\u2029]"
_TOKEN = re.compile(
    rf"(?P<blank>[{_BLANK}]+)"
    rf"|(?P<comment>//{_LINE}*|/\*.*?\*/)"
    r"|(?P<mark>[{}\[\],:])"
    r'|(?P<text>"(?:[^"\\\n\r]|\\(?:\r\n|.))*"|' + r"'(?:[^'\\\n\r]|\\(?:\r\n|.))*')"
    r"|(?P<number>[+-]?(?:Infinity|NaN|0[xX][0-9a-fA-F]+"
    r"|(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)(?![\w$.]))"
    r"|(?P<word>(?:[^\W0-9]|\$|\\u[0-9a-fA-F]{4})(?:[\w$\u200c\u200d]|\\u[0-9a-fA-F]{4})*)",
    re.DOTALL,
)
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|\r\n|.)", re.DOTALL)
_ESCAPED = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "0": "\0"}
_CONTINUED = frozenset({"\r\n", "\n", "\r", "\u2028", "\u2029"})
_WORDS: dict[str, bool | None] = {"true": True, "false": False, "null": None}


class Malformed(ValueError):
    """The text is no JSON5. ``line`` and ``column`` count from 1, columns in characters."""

    def __init__(self, problem: str, text: str, at: int) -> None:
        self.line = text.count("\n", 0, at) + 1
        self.column = at - text.rfind("\n", 0, at)
        super().__init__(f"line {self.line}, column {self.column}: {problem}")


@dataclass(frozen=True, slots=True)
class Number:
    """A number as it is spelt: nothing here computes with it."""

    spelt: str


Value: TypeAlias = "str | bool | Number | list[Value] | dict[str, Value] | None"


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A value and its place: ``text[start:end]``, brackets and quotes included.

    ``value`` is None for containers, whose ``mark`` is ``{`` or ``[``.
    """

    start: int
    end: int
    mark: str = ""
    value: str | bool | Number | None = None
    entries: tuple["Entry", ...] = ()

    def child(self, name: str | int) -> "Entry | None":
        """The member or item of that name; None where there is none."""
        if isinstance(name, int):
            inside = self.mark == "[" and name < len(self.entries)
            return self.entries[name] if inside else None
        return next((entry for entry in self.entries if entry.key == name), None)

    @property
    def kind(self) -> str:
        """What it is, in the words of a complaint."""
        if self.mark:
            return "an object" if self.mark == "{" else "a list"
        if self.value is None:
            return "null"
        return {str: "a string", bool: "true or false"}.get(type(self.value), "a number")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A member (``start`` is its key's) or an item (``key`` None); ``comma`` None: none follows."""

    key: str | None
    start: int
    node: Node
    comma: int | None


class _Token(NamedTuple):
    kind: str
    text: str
    start: int
    end: int


def scan(text: str) -> Node | None:
    """The value that ``text`` holds; None where it holds blanks and comments alone.

    Raises ``Malformed``: for text that is no JSON5, for a key given twice in one object, and for
    nesting over 200.
    """
    reader = _Reader(text)
    if reader.token.kind == "end":
        return None
    root = reader.value(0, "")
    if reader.token.kind != "end":
        raise Malformed(f"unexpected {_shown(reader.token)} after the end", text, reader.at)
    return root


def comments(text: str) -> list[str]:
    """Every comment of a valid text, in order."""
    return [token.text for token in _tokens(text) if token.kind == "comment"]


def value_of(node: Node) -> Value:
    if node.mark == "{":
        return {entry.key: value_of(entry.node) for entry in node.entries if entry.key is not None}
    if node.mark == "[":
        return [value_of(entry.node) for entry in node.entries]
    return node.value


def _tokens(text: str) -> Iterator[_Token]:
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise Malformed(_unreadable(text, at), text, at)
        yield _Token(str(match.lastgroup), match[0], at, match.end())
        at = match.end()
    yield _Token("end", "", at, at)


def _unreadable(text: str, at: int) -> str:
    if text.startswith("/*", at):
        return "a comment that never ends"
    if text[at] in "\"'":
        return "a string that never ends"
    return f"unexpected {text[at]!r}"


class _Reader:
    """Descends through the tokens; ``token`` is the next that is no blank and no comment."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = _tokens(text)
        self.token = self._next()

    @property
    def at(self) -> int:
        return self.token.start

    def _next(self) -> _Token:
        return next(token for token in self._tokens if token.kind not in {"blank", "comment"})

    def _advance(self) -> _Token:
        """Step over the current token and return it."""
        passed, self.token = self.token, self._next()
        return passed

    def value(self, depth: int, path: str) -> Node:
        token = self.token
        if token.text in {"{", "["} and token.kind == "mark":
            if depth >= MAX_DEPTH:
                raise Malformed(f"nested deeper than {MAX_DEPTH}", self._text, self.at)
            return self._container(depth, path)
        value: str | bool | Number | None
        if token.kind == "text":
            value = _unquoted(token, self._text)
        elif token.kind == "number" or token.text in {"Infinity", "NaN"}:
            value = Number(token.text)
        elif token.text in _WORDS and token.kind == "word":
            value = _WORDS[token.text]
        else:
            raise Malformed(f"expected a value, found {_shown(token)}", self._text, self.at)
        self._advance()
        return Node(start=token.start, end=token.end, value=value)

    def _container(self, depth: int, path: str) -> Node:
        opened = self._advance()
        closing = "}" if opened.text == "{" else "]"
        entries: list[Entry] = []
        seen: set[str] = set()
        while self.token.text != closing or self.token.kind != "mark":
            if entries and entries[-1].comma is None:
                raise Malformed(
                    f"expected ',' or '{closing}', found {_shown(self.token)}", self._text, self.at
                )
            start = self.at
            key = self._key(path, seen) if closing == "}" else None
            node = self.value(depth + 1, f"{path}.{key}" if path and key else key or path)
            comma = self.at if self.token.text == "," and self.token.kind == "mark" else None
            if comma is not None:
                self._advance()
            entries.append(Entry(key=key, start=start, node=node, comma=comma))
        closed = self._advance()
        return Node(start=opened.start, end=closed.end, mark=opened.text, entries=tuple(entries))

    def _key(self, path: str, seen: set[str]) -> str:
        token = self.token
        if token.kind == "text":
            key = _unquoted(token, self._text)
        elif token.kind == "word" or token.text in {"Infinity", "NaN"}:
            key = _unescaped(token.text, token.start, self._text)
        else:
            raise Malformed(f"expected a key, found {_shown(token)}", self._text, self.at)
        if key in seen:
            raise Malformed(
                f"the key {path + '.' if path else ''}{key} is given twice", self._text, self.at
            )
        seen.add(key)
        self._advance()
        if self.token.text != ":" or self.token.kind != "mark":
            raise Malformed(f"expected ':', found {_shown(self.token)}", self._text, self.at)
        self._advance()
        return key


def _unquoted(token: _Token, text: str) -> str:
    return _unescaped(token.text[1:-1], token.start + 1, text)


def _unescaped(inner: str, start: int, text: str) -> str:
    if "\\" not in inner:
        return inner

    def plain(match: re.Match[str]) -> str:
        escape = match[1]
        if len(escape) > 1 and escape[0] in "ux":
            return chr(int(escape[1:], 16))
        if escape in _CONTINUED:
            return ""
        if escape in "ux123456789":
            raise Malformed(f"a wrong escape \\{escape}", text, start + match.start())
        return _ESCAPED.get(escape, escape)

    # Pairs of surrogates become the one character they mean; a lone one stays as it is.
    decoded = _ESCAPE.sub(plain, inner)
    return decoded.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def _shown(token: _Token) -> str:
    if token.kind == "end":
        return "the end of the file"
    return repr(token.text if len(token.text) <= 20 else token.text[:20] + "…")
