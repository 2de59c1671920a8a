"""The ladder from what a model wrote to one JSON object."""

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recalld.llm.structured import MAX_CHARS, Method, Problem, parse_object

ROWS = [
    ("strict", '{"a":1}', {"a": 1}, Method.STRICT),
    ("strict, empty", "{}", {}, Method.STRICT),
    ("byte order mark", '\ufeff{"a":1}', {"a": 1}, Method.STRICT),
    ("fence", '```json\n{"a":1}\n```', {"a": 1}, Method.FENCE),
    ("fence without a language", 'So:\n```\n{"a":1}\n```\nDone.', {"a": 1}, Method.FENCE),
    ("second fence", '```\nx = 1\n```\n```json\n{"a":1}\n```', {"a": 1}, Method.FENCE),
    ("fence left open", '```json\n{"a":1}\n', {"a": 1}, Method.BALANCED),
    ("prose around", 'Sure: {"a":1} {smile}', {"a": 1}, Method.BALANCED),
    ("stray braces before", 'A set {} is {"a":{"b":1}}.', {"a": {"b": 1}}, Method.BALANCED),
    ("open brace in prose before", 'if (x) { then {"a":1}', {"a": 1}, Method.BALANCED),
    ("braces in strings", 'So {"a":"}{\\"]"} ok', {"a": '}{"]'}, Method.BALANCED),
    ("backslash before the quote", '{"a":"\\\\"} ok', {"a": "\\"}, Method.BALANCED),
    ("two objects", '{"a":1}\n{"b":2}', {"a": 1}, Method.BALANCED),
    ("trailing commas", '{"a":[1,2,],}', {"a": [1, 2]}, Method.REPAIR),
    ("comma and blanks", '{"a":[1 , \n ] , }', {"a": [1]}, Method.REPAIR),
    ("commas in strings stay", '{"a":",]",}', {"a": ",]"}, Method.REPAIR),
    ("outer container open", '{"a":["b"]', {"a": ["b"]}, Method.REPAIR),
    ("two containers open", 'So: {"a":["b"', {"a": ["b"]}, Method.REPAIR),
    ("open behind a comma", '{"a":["b",', {"a": ["b"]}, Method.REPAIR),
    ("fenced and open", '```json\n{"a":[1,2,\n```', None, Problem.JSON_SYNTAX_FAIL),
    ("list inside left open", '{"a":[{"b":1},{"b":2}]', {"a": [{"b": 1}, {"b": 2}]}, Method.REPAIR),
    ("string inside left open", '{"a":[{"b":1},{"b":"c', None, Problem.JSON_SYNTAX_FAIL),
    ("value inside missing", '{"a":[{"b":1},{"b":', None, Problem.JSON_SYNTAX_FAIL),
    ("string left open", '{"a":"b', None, Problem.JSON_SYNTAX_FAIL),
    ("key left open", '{"a":1,"b', None, Problem.JSON_SYNTAX_FAIL),
    ("value missing", '{"a":', None, Problem.JSON_SYNTAX_FAIL),
    ("half a word", '{"a":tru', None, Problem.JSON_SYNTAX_FAIL),
    ("closed by another kind", '{"a":[1}', None, Problem.JSON_SYNTAX_FAIL),
    ("two commas", '{"a":1,,}', None, Problem.JSON_SYNTAX_FAIL),
    ("single quotes", "{'a':1}", None, Problem.JSON_SYNTAX_FAIL),
    ("no number", '{"a":NaN}', None, Problem.JSON_SYNTAX_FAIL),
    ("half a surrogate", '{"a":"\ud800"}', None, Problem.JSON_SYNTAX_FAIL),
    ("plain text", "associations: a, b", None, Problem.JSON_SYNTAX_FAIL),
    ("nothing", " \n", None, Problem.EMPTY_CONTENT),
    ("null", "null", None, Problem.SCHEMA_FAIL),
    ("a list", '[{"a":1}]', None, Problem.SCHEMA_FAIL),
    ("too long", '{"a":1}' + "." * MAX_CHARS, None, Problem.JSON_SYNTAX_FAIL),
]


@pytest.mark.parametrize(
    ("text", "value", "how"), [row[1:] for row in ROWS], ids=[r[0] for r in ROWS]
)
def test_the_object_is_found_by_the_first_rung_that_reaches_it(text, value, how):
    found = parse_object(text)
    assert found.value == value
    assert (found.method or found.problem) is how


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.text(), JSON, min_size=1, max_size=4)
PROSE = st.text(alphabet=st.characters(exclude_characters='{}[]`"', codec="utf-8"), max_size=20)


@given(OBJECTS, PROSE, PROSE)
def test_prose_around_an_object_never_hides_it(value, before, after):
    written = before + orjson.dumps(value).decode() + after
    assert parse_object(written).value == value


@given(OBJECTS, st.integers(1, 400))
def test_a_cut_object_gives_a_beginning_of_it_or_nothing(value, cut):
    written = orjson.dumps(value).decode()
    found = parse_object(written[: -min(cut, len(written) - 1)]).value
    assert found is None or _begins(found, value)


def _begins(found, value):
    """Whether ``found`` is ``value`` as far as it goes; no text may be shortened."""
    if isinstance(found, dict):
        return isinstance(value, dict) and all(
            key in value and _begins(inner, value[key]) for key, inner in found.items()
        )
    if isinstance(found, list):
        return isinstance(value, list) and all(map(_begins, found, value))
    if isinstance(found, int) and not isinstance(found, bool):
        return isinstance(value, int) and str(value).startswith(str(found))
    return found == value


@given(st.text(alphabet='{}[],:"\\ a1`\n', max_size=300))
def test_no_text_breaks_the_ladder(text):
    found = parse_object(text)
    assert (found.value is None) == (found.problem is not None)


@pytest.mark.parametrize("part", ["{", '{"a":', '"{', "```\n", "[", '{"\\', "{,", "}", "{}"])
async def test_hostile_text_holds_nobody_up(part):
    assert parse_object(part * (MAX_CHARS // len(part))).value is None
