"""An edit changes the values it names and not one other character's worth of the file."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recalld.errors import Refused
from recalld.install.edit import Append, Edit, Put, at, dotted, edited, has, without
from recalld.install.scan import Malformed, Number, Value, comments, scan, value_of
from support.json5 import KEYS, documents


def read(text: str) -> Value:
    root = scan(text)
    assert root is not None
    return value_of(root)


PATHS = st.lists(KEYS, min_size=1, max_size=3).map(tuple)
VALUES = st.sampled_from([True, 5, "x", {"type": "command", "timeout": 5}, [{"hooks": []}]])
EDITS = st.lists(
    st.one_of(
        st.builds(Put, path=PATHS, value=VALUES), st.builds(Append, path=PATHS, value=VALUES)
    ),
    min_size=1,
    max_size=3,
    unique_by=lambda edit: edit.path[0],
)


def kept(before: Value, after: Value, edits: dict[tuple[str | int, ...], Edit], path=()) -> None:
    """Everything of ``before`` that ``edits`` do not name is in ``after``, in the same order."""
    if path in edits:
        if isinstance(edits[path], Append):
            assert isinstance(before, list)
            assert isinstance(after, list)
            assert after[:-1] == before
        return
    if isinstance(before, dict):
        assert isinstance(after, dict)
        assert [name for name in after if name in before] == list(before)
        for name, inner in before.items():
            kept(inner, after[name], edits, (*path, name))
    else:
        assert after == before


@settings(max_examples=250, deadline=None)
@given(text=documents(), edits=EDITS)
def test_an_edit_keeps_every_other_value_every_comment_and_the_order(text: str, edits: list[Edit]):
    try:
        after = edited(text, edits)
    except Refused:
        return
    before = read(text)
    kept(before, read(after), {edit.path: edit for edit in edits})
    replaced = any(has(before, edit.path) for edit in edits if isinstance(edit, Put))
    assert replaced or comments(after) == comments(text)
    for edit in edits:
        found = at(read(after), edit.path)
        wanted = read(json.dumps({"it": edit.value}))
        assert isinstance(wanted, dict)
        assert wanted["it"] == (
            found[-1] if isinstance(edit, Append) and isinstance(found, list) else found
        )
    assert after.startswith("\ufeff") == text.startswith("\ufeff")
    if "\r\n" in text and not replaced:
        assert after.replace("\r\n", "").count("\n") == text.replace("\r\n", "").count("\n")


@settings(max_examples=250, deadline=None)
@given(text=documents(), data=st.data())
def test_taking_out_keeps_every_other_value(text: str, data: st.DataObject):
    before = read(text)
    paths: list[tuple[str | int, ...]] = []

    def walk(value: Value, path: tuple[str | int, ...]) -> None:
        names = (
            list(value)
            if isinstance(value, dict)
            else range(len(value))
            if isinstance(value, list)
            else ()
        )
        for name in names:
            paths.append((*path, name))
            walk(value[name], (*path, name))  # type: ignore[index]

    walk(before, ())
    chosen = data.draw(st.lists(st.sampled_from(paths), unique=True) if paths else st.just([]))
    after = read(without(text, chosen))

    def left(value: Value, path: tuple[str | int, ...]) -> Value:
        if isinstance(value, dict):
            return {n: left(v, (*path, n)) for n, v in value.items() if (*path, n) not in chosen}
        if isinstance(value, list):
            return [left(v, (*path, n)) for n, v in enumerate(value) if (*path, n) not in chosen]
        return value

    assert after == left(before, ())


@settings(max_examples=300, deadline=None)
@given(text=documents(loose=False))
def test_plain_json_is_read_as_the_standard_library_reads_it(text: str):
    assert read(text) == json.loads(text, parse_int=Number, parse_float=Number)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("{}", '{\n  "n": 1\n}'),
        ('{\n\t"a": 1\n}\n', '{\n\t"a": 1,\n\t"n": 1\n}\n'),
        ('{\r\n    "a": 1,\r\n}', '{\r\n    "a": 1,\r\n    "n": 1,\r\n}'),
        ('{\n  "a": 1 // why\n  // tail\n}', '{\n  "a": 1, // why\n  "n": 1\n  // tail\n}'),
        ('{"a":1,"b":2}', '{"a":1,"b":2,"n":1}'),
        ('{"a": 1}', '{"a": 1, "n": 1}'),
        ("{\n  // nothing yet\n}\n", '{\n  // nothing yet\n  "n": 1\n}\n'),
        ("", '{\n  "n": 1\n}\n'),
        ("// mine\n", '// mine\n{\n  "n": 1\n}\n'),
        ("/* mine */", '/* mine */\n{\n  "n": 1\n}\n'),
        ("\ufeff", '\ufeff{\n  "n": 1\n}\n'),
    ],
)
def test_a_new_member_looks_like_the_others(before: str, after: str):
    assert edited(before, [Put(path=("n",), value=1)]) == after


@pytest.mark.parametrize(
    "text",
    [
        '{\n  "a": 1\n}\n',
        '{\n  "a": 1 // why\n  // tail\n}',
        '{\r\n  "a": 1,\r\n}',
        '{"a":1,"b":2}',
        "{}",
        '{\n  "n": {\n    "x": [1]\n  }\n}\n',
    ],
)
@pytest.mark.parametrize("path", [("new",), ("n", "y")])
def test_what_was_put_in_comes_out_without_a_trace(text: str, path: tuple[str, ...]):
    put = edited(text, [Put(path=path, value=[{"deep": True}])])
    top = next(path[:n] for n in range(1, 3) if not has(read(text), path[:n]))
    assert without(put, [top]) == text


@pytest.mark.parametrize(
    ("text", "paths", "after"),
    [
        ('["a", "b", "c"]', [(1,)], '["a", "c"]'),
        ('["a", "b", "c"]', [(0,), (1,)], '["c"]'),
        ('["a", "b", "c"]', [(1,), (2,)], '["a"]'),
        ('["a", "b",]', [(1,)], '["a",]'),
        ('[\n  "a", // keep\n  "b" // mine\n]', [(1,)], '[\n  "a" // keep\n   // mine\n]'),
        ('{\n  "a": 1\n, "b": 2\n}', [("b",)], '{\n  "a": 1\n\n}'),
        ('{"a": {"b": 1}}', [("a",), ("a", "b")], "{}"),
        ("[ /* c */ 1 /* d */ ]", [(0,)], "[ /* c */ /* d */ ]"),
    ],
)
def test_what_leaves_takes_its_comma_and_its_line(text: str, paths, after: str):
    assert without(text, paths) == after


def test_nothing_to_change_is_the_same_text():
    text = "{a: [1], 'b': 'x',}"
    assert edited(text, [Put(path=("b",), value="x"), Put(path=("a", 0), value=1)]) == text
    assert edited("", []) == ""
    assert without(text, []) == text


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('{"a": []}', "a is a list, expected an object"),
        ('{"a": {"b": null}}', "a.b is null, expected an object"),
        ('{"a": {"b": {"c": "x"}}}', "a.b.c is a string, expected a list"),
        ("[1]", "the file holds a list, expected an object"),
    ],
)
def test_a_value_of_another_kind_on_the_way_is_refused_by_name(text: str, complaint: str):
    with pytest.raises(Refused, match=complaint):
        edited(text, [Append(path=("a", "b", "c"), value=1)])


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('{"a": 1,\n "a": 2}', "line 2, column 2: the key a is given twice"),
        ('{"a": {"b": [{"c": 1, c: 2}]}}', "the key a.b.c is given twice"),
        ('{\n "a" 1}', r"line 2, column 6: expected ':', found '1'"),
        ("{,}", "expected a key, found ','"),
        ("[1,,2]", "expected a value, found ','"),
        ("[1 2]", r"expected ',' or '\]', found '2'"),
        ('{"a": "b\n"}', "line 1, column 7: a string that never ends"),
        ("{} /* x", "column 4: a comment that never ends"),
        ('{"a": 01}', "unexpected '0'"),
        ("{} {}", "unexpected '{' after the end"),
        (r'{"a": "\u12"}', r"a wrong escape \\u"),
        ('{"a":', "expected a value, found the end of the file"),
        ("\x00", "unexpected"),
        ("[" * 300, "nested deeper than 200"),
    ],
)
def test_a_broken_text_is_named_by_line_and_column(text: str, complaint: str):
    with pytest.raises(Malformed, match=complaint):
        edited(text, [Put(path=("n",), value=1)])


def test_a_path_is_written_as_people_write_it():
    assert dotted(("hooks", "Stop", 0, "hooks")) == "hooks.Stop[0].hooks"
