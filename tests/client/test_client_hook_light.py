"""What a hook has instead of ``json`` and ``socket`` does as they do, and it loads nothing else."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recalld.client.hooks._light import encoded, parsed
from support.hooking import RUN, Hooks
from support.scripted import scripted_daemon

PROMPT = {"hook_event_name": "UserPromptSubmit", "session_id": "s1", "prompt": "端口？"}
# Each of these costs more than everything that a hook does.
HEAVY = frozenset(
    [
        "argparse",
        "asyncio",
        "collections",
        "dataclasses",
        "enum",
        "functools",
        "hashlib",
        "importlib",
        "inspect",
        "json",
        "logging",
        "pathlib",
        "re",
        "selectors",
        "signal",
        "socket",
        "ssl",
        "subprocess",
        "tempfile",
        "threading",
        "tomllib",
        "traceback",
        "typing",
        "uuid",
    ]
)

TEXTS = st.text(st.characters(), max_size=40)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=20,
)
FINITE = VALUES.filter(lambda value: "inf" not in repr(value))


@given(VALUES)
def test_what_json_writes_is_read_as_json_reads_it(value):
    for text in (json.dumps(value), f" {json.dumps(value, ensure_ascii=False, indent=1)}\n\t"):
        assert parsed(text) == json.loads(text)


@given(FINITE)
def test_what_is_written_is_what_json_writes(value):
    compact = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    assert encoded(value) == compact.encode("utf-8", "replace")


@given(st.text(st.sampled_from('{}[]",:0123456789.eE-+truefalsn \n\\u\ud800\0'), max_size=24))
def test_what_is_no_json_for_json_is_none_here(text: str):
    try:
        value = json.loads(text)
    except ValueError:
        with pytest.raises(ValueError):  # noqa: PT011 (json's own words)
            parsed(text)
    else:
        assert repr(parsed(text)) == repr(value)


@pytest.mark.parametrize("text", ["", " ", "\ufeff{}", "{} {}", "[1,]", "'a'", "\x00{}", "nul"])
def test_texts_that_are_no_json_are_refused(text: str):
    with pytest.raises(ValueError):  # noqa: PT011 (json's own words)
        parsed(text)


def test_a_text_that_is_too_deep_is_refused():
    with pytest.raises(RecursionError):
        parsed("[" * 100_000)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {1, 2}, object(), b"x"])
def test_what_json_has_no_word_for_is_refused(value):
    with pytest.raises(ValueError):  # noqa: PT011
        encoded({"a": [value]})


def loaded(hooks: Hooks, event: dict[str, str]) -> set[str]:
    """The modules of a hook's process, without those that ``site`` brings along."""
    ran = subprocess.run(
        [sys.executable, "-S", "-X", "importtime", "-c", RUN, "claude-code"],
        input=json.dumps(event).encode(),
        capture_output=True,
        env=hooks.environ(),
        check=True,
    )
    lines = ran.stderr.decode().splitlines()
    return {line.rpartition("|")[2].strip() for line in lines if line.startswith("import time:")}


def test_a_prompt_loads_no_module_that_costs_as_much_as_the_interpreter(tmp_path: Path):
    with scripted_daemon(tmp_path / "s", {"session.prompt": {"context": "<r>9410</r>"}}) as daemon:
        hooks = Hooks(socket=daemon.path, state=tmp_path / "state")
        modules = loaded(hooks, PROMPT)
    ours = {name.rpartition(".")[2] for name in modules if name.startswith("recalld")}
    assert daemon.seen("session.prompt")
    assert modules & HEAVY == set()
    assert "claude_code" in ours
    assert ours.isdisjoint({"codex", "openclaw", "exec", "_note", "_tail", "_exchange", "sync"})


def test_the_end_of_a_turn_loads_no_such_module_either(tmp_path: Path):
    path = tmp_path / "t.jsonl"
    path.write_text('{"type": "user", "message": {"role": "user", "content": "端口？"}}\n')
    event = {"hook_event_name": "Stop", "session_id": "s", "transcript_path": str(path)}
    with scripted_daemon(tmp_path / "s", {}) as daemon:
        modules = loaded(Hooks(socket=daemon.path, state=tmp_path / "state"), event)
    assert daemon.seen("session.turn")[0]["user"] == "端口？"
    assert modules & HEAVY == set()


@pytest.mark.parametrize("missing", [["_json"], ["_socket"], ["_signal"], ["_json", "_signal"]])
def test_without_the_modules_inside_the_public_ones_do_the_same(tmp_path: Path, missing):
    """As another interpreter may lack them. What ``socket`` itself is made of cannot be taken."""
    block = "".join(f"sys.modules[{name!r}] = None; " for name in missing)
    code = f"import sys, json, signal, socket; {block}{RUN}"
    with scripted_daemon(tmp_path / "s", {"session.prompt": {"context": "<r>端口</r>"}}) as daemon:
        hooks = Hooks(socket=daemon.path, state=tmp_path / "state")
        ran = subprocess.run(
            [sys.executable, "-c", code, "claude-code"],
            input=json.dumps(PROMPT).encode(),
            capture_output=True,
            env=hooks.environ(),
            check=False,
        )
    assert (ran.returncode, ran.stderr, hooks.log) == (0, b"", [])
    shown = json.loads(ran.stdout)["hookSpecificOutput"]["additionalContext"]
    assert shown == "<r>端口</r>"
    assert daemon.seen("session.prompt")[0]["text"] == "端口？"
