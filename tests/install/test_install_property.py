"""Whatever settings a person has: installing keeps their every value, uninstalling every byte."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recalld.errors import Refused
from recalld.install.edit import Put, edited
from recalld.install.flow import Change
from recalld.install.hooks import values
from recalld.install.model import Before
from recalld.install.scan import Value, comments
from support.install_home import HOOK, Home
from support.json5 import documents

OLD_HOOK = "'/old venv/bin/recalld-hook'"
HANDLERS = st.sampled_from(
    [
        *("say done", "recalld-hook codex", "recalld-hook claude-code", "X=1 recalld-hook codex"),
        *(f"{OLD_HOOK} claude-code", f"{OLD_HOOK} codex", f"'{HOOK}' claude-code", "recalld-hook"),
    ]
).map(lambda command: {"type": "command", "command": command})
GROUPS = st.builds(
    lambda matcher, handlers: matcher | {"hooks": handlers},
    st.sampled_from([{}, {"matcher": "startup"}, {"matcher": ""}, {"own": True}]),
    st.lists(HANDLERS, max_size=2),
)
EVENTS = st.sampled_from(["Stop", "SessionStart", "PreToolUse", "SessionEnd", "Retired"])
HOOKS = st.dictionaries(EVENTS, st.lists(GROUPS, max_size=2), max_size=3)
PATHS = st.lists(
    st.sampled_from(["~/mine", "/old/recalld/openclaw", "/x/recalld/openclaw/"]), max_size=3
)
PLUGINS = st.fixed_dictionaries(
    {},
    optional={
        "allow": st.lists(st.sampled_from(["telegram", "recalld", " Recalld "]), max_size=2),
        "load": st.fixed_dictionaries({}, optional={"paths": PATHS, "watch": st.booleans()}),
        "entries": st.fixed_dictionaries(
            {},
            optional={
                "active-memory": st.fixed_dictionaries({"enabled": st.booleans()}),
                "recalld": st.fixed_dictionaries(
                    {}, optional={"enabled": st.booleans(), "config": st.just({"a": 1})}
                ),
            },
        ),
        "deny": st.just(["other"]),
    },
)


@st.composite
def settings_files(draw: st.DrawFn) -> str:
    text = draw(documents())
    for key, content in (("hooks", HOOKS), ("plugins", PLUGINS)):
        if draw(st.booleans()):
            text = edited(text, [Put(path=(key,), value=draw(content))])
    return text


def kept(before: Value, after: Value) -> None:
    """Every value of ``before`` is in ``after`` but for what is ours to set, in the same order."""
    if isinstance(before, dict):
        assert isinstance(after, dict)
        for name, inner in before.items():
            if name in after:
                kept(inner, after[name])
            else:
                assert "recalld-hook" in str(inner), name
        assert [name for name in after if name in before] == [n for n in before if n in after]
    elif isinstance(before, list) and before != after:
        assert isinstance(after, list)
        others = [item for item in before if "recalld" not in str(item)]
        left = iter(after)
        # In the same order; a group that lost our hook may look like another now.
        assert all(any(found == item for found in left) for item in others)
    elif before != after:
        assert isinstance(before, bool) or "recalld" in str(before)


@pytest.mark.parametrize("name", ["claude-code", "codex", "openclaw"])
@settings(max_examples=80, deadline=None)
@given(text=settings_files())
def test_install_then_uninstall_is_as_if_nothing_had_been(name: str, text: str):
    with tempfile.TemporaryDirectory() as folder:
        home = Home(root=Path(folder))
        file = home.settings(name)
        file.parent.mkdir()
        file.write_bytes(text.encode())
        try:
            home.run(name)
        except Refused:
            assert file.read_bytes() == text.encode()
            return
        installed = file.read_bytes().decode()
        kept(values(text), values(installed))
        found = comments(installed)
        assert [comment for comment in comments(text) if comment not in found] == []
        assert home.run(name) == [Change.NONE]
        managed = home.target(name).files[0]
        original = managed.take(text, None).text
        home.run(name, uninstall=True)
        assert file.read_bytes() == (original or "").encode()
        # And as good as that where the file is not the same any more.
        left = managed.take(installed + "\n", Before(text=original)).text
        assert left is not None
        assert values(left) == values(original or "")


@pytest.mark.parametrize("name", ["claude-code", "codex", "openclaw"])
@settings(max_examples=50, deadline=None)
@given(text=documents(root_keys=st.sampled_from(["a", "b", "description", "权限"])))
def test_a_file_that_knew_nothing_of_us_comes_back_to_the_byte(name: str, text: str):
    with tempfile.TemporaryDirectory() as folder:
        home = Home(root=Path(folder))
        file = home.settings(name)
        file.parent.mkdir()
        file.write_bytes(text.encode())
        home.run(name)
        assert file.read_bytes() != text.encode()
        home.run(name, uninstall=True)
        assert file.read_bytes() == text.encode()
