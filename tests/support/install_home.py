"""A user's home with the files of agent hosts, and targets that look into it."""

import importlib
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from recalld.install.disk import Records
from recalld.install.flow import Change, Step, run
from recalld.install.model import Place, Target
from recalld.install.targets import module_of

UNITS = Path(__file__).resolve().parents[2] / "systemd"
HOOK = "/opt/rec alld/bin/recalld-hook"

JSON_TARGETS = ("claude-code", "codex", "openclaw")
ALL_TARGETS = (*JSON_TARGETS, "systemd")
SETTINGS = {
    "claude-code": ".claude/settings.json",
    "codex": ".codex/hooks.json",
    "openclaw": ".openclaw/openclaw.json",
    "systemd": ".config/systemd/user/recalld.service",
}


# Of each target a file that a person has worked on.
RICH = {
    "claude-code": """{
  "$schema": "https://json.schemastore.org/claude-code-settings.json",
  "env": {"TOKEN": "s3cret", "A": "1"},
  "permissions": { "allow": ["Bash(git log:*)"], "deny": [] },
  "hooks": {
    "Stop": [{"hooks": [{"type": "command", "command": "say done"}]}],
    "PreToolUse": [
      {
        "matcher": "Bash",
        "hooks": [{ "type": "command", "command": "~/bin/check" }]
      }
    ]
  },
  "unknownToUs": [1.50, 1e400, "权限"]
}
""",
    "codex": """{
\t"description": "mine",
\t"hooks": {
\t\t"SessionStart": [
\t\t\t{ "matcher": "startup", "hooks": [{ "type": "command", "command": "date" }] }
\t\t]
\t}
}""",
    "openclaw": """{
  gateway: { mode: 'local', auth: { token: "s3cret" } },
  plugins: {
    allow: ['telegram', 'memory-core'],
    load: { paths: ["~/plugins/mine"] },
    entries: { telegram: { enabled: true }, "active-memory": { enabled: false } },
  },
}
""",
    "systemd": """[Service]
Environment=RECALLD_LOG__LEVEL=debug
ExecStart=%h/.local/bin/recalld serve --workspace %h/notes
""",
}


def read_text(path: str) -> str | None:
    try:
        return Path(path).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return None


@dataclass(kw_only=True)
class Home:
    """``settings`` of a target is its file; what runs print is in ``shown`` of the last one."""

    root: Path
    environ: Mapping[str, str] = field(default_factory=dict)
    hook: str | None = HOOK
    versions: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    plugin: str | None = "/opt/rec alld/lib/recalld/openclaw"
    shown: list[Step] = field(default_factory=list)

    def settings(self, name: str) -> Path:
        return self.root / SETTINGS[name]

    def place(self) -> Place:
        return Place(
            home=str(self.root),
            environ=self.environ,
            hook=self.hook,
            recalld="/opt/rec alld/bin/recalld",
            plugin=self.plugin,
            units={unit.name: unit.read_text(encoding="utf-8") for unit in UNITS.iterdir()},
            skill="",
            read=read_text,
            exists=os.path.lexists,
            version=self.versions.get,
        )

    def target(self, name: str) -> Target:
        module = importlib.import_module(f"recalld.install.targets.{module_of(name)}")
        found = module.target(self.place())
        assert isinstance(found, Target)
        return found

    @property
    def records(self) -> Records:
        return Records(self.root / "state")

    def run(
        self,
        name: str,
        *,
        uninstall: bool = False,
        dry_run: bool = False,
        at_rename: Callable[[], None] = lambda: None,
    ) -> list[Change]:
        """Install or uninstall; what became of each file."""
        self.shown = []
        run(
            self.target(name),
            self.records,
            uninstall=uninstall,
            dry_run=dry_run,
            show=self.shown.extend,
            at_rename=at_rename,
        )
        return [step.change for step in self.shown]

    def warnings(self) -> list[str]:
        return [told for step in self.shown for told in step.warnings]


def snapshot(root: Path) -> dict[str, tuple[bytes | str, int, int]]:
    """Everything below ``root``: content, mode and time of change; of links, where they go."""
    found: dict[str, tuple[bytes | str, int, int]] = {}
    for path in sorted(root.rglob("*")):
        facts = path.lstat()
        if path.is_symlink():
            content: bytes | str = str(path.readlink())
        else:
            content = path.read_bytes() if path.is_file() else ""
        time_ns = 0 if path.is_dir() else facts.st_mtime_ns
        found[str(path.relative_to(root))] = (content, facts.st_mode, time_ns)
    return found


def laid(home: Home, name: str, text: str) -> Path:
    file = home.settings(name)
    file.parent.mkdir(parents=True)
    file.write_bytes(text.encode())
    file.chmod(0o640)
    return file


def ours_in(home: Home, name: str, file: Path) -> bool:
    text = file.read_text(encoding="utf-8")
    return str(home.plugin if name == "openclaw" else "/opt/rec alld/bin/recalld") in text
