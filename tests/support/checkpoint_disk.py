"""What tests of the checkpoint's files share: workspaces, and a disk that is met at each step."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from recalld.atomic import Disk, is_temporary
from recalld.continuity.disk import ARCHIVE, COLD, FILE, Workbench, draft_of
from recalld.continuity.model import Checkpoint

AT = datetime(2026, 3, 1, 10, 0, 5, tzinfo=UTC)
OLD = Checkpoint(
    objective="Ship the release 发布新版本",
    key_decisions=("Tag from main: it is what was tested",),
    next_action="Tag it",
    blockers="waiting for the signing key\nand for its owner",
)
NEW = Checkpoint(objective="Ship the release 发布新版本", next_action="Announce it 然后公布")


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One side of one call to the disk; numbered from 0 in order."""

    number: int
    call: str
    after: bool


class SteppedFiles(Disk):
    """The real disk, except that each side of each call is told to ``meet`` first.

    ``meet`` runs in the writer's thread; it may raise, hang, edit the file or end the process.
    With ``most_bytes`` a write takes that much at a time, as a disk may.
    """

    def __init__(self, meet: Callable[[Step], None], *, most_bytes: int = 1 << 20) -> None:
        self._meet = meet
        self._most_bytes = most_bytes
        self._number = -1

    def _side(self, call: str, *, after: bool) -> None:
        self._number += 1
        self._meet(Step(number=self._number, call=call, after=after))

    def mkdir(self, name: str, mode: int, *, folder: int) -> None:
        self._side("mkdir", after=False)
        super().mkdir(name, mode, folder=folder)
        self._side("mkdir", after=True)

    def create(self, name: str, flags: int, mode: int, *, folder: int) -> int:
        self._side("create", after=False)
        return super().create(name, flags, mode, folder=folder)

    def chmod(self, file: int, mode: int) -> None:
        self._side("chmod", after=False)
        super().chmod(file, mode)
        self._side("chmod", after=True)

    def write(self, file: int, data: bytes) -> int:
        self._side("write", after=False)
        written = super().write(file, data[: self._most_bytes])
        self._side("write", after=True)
        return written

    def sync(self, file: int) -> None:
        self._side("sync", after=False)
        super().sync(file)
        self._side("sync", after=True)

    def rename(self, old: str, new: str, *, folder: int, to: int) -> None:
        self._side("rename", after=False)
        super().rename(old, new, folder=folder, to=to)
        self._side("rename", after=True)

    def sync_folder(self, folder: int) -> None:
        self._side("sync_folder", after=False)
        super().sync_folder(folder)
        self._side("sync_folder", after=True)

    def unlink(self, name: str, *, folder: int) -> None:
        self._side("unlink", after=False)
        super().unlink(name, folder=folder)
        self._side("unlink", after=True)


def live(root: Path) -> Path:
    return root / FILE


def put(root: Path, content: bytes | Checkpoint) -> Path:
    """Write the file as an editor does, not as we do."""
    file = live(root)
    file.parent.mkdir(exist_ok=True)
    data = content if isinstance(content, bytes) else draft_of(content).data
    file.write_bytes(data)
    return file


def copies_in(root: Path) -> dict[str, bytes]:
    """Every file of the archive, by its path below the archive."""
    folder = root / ARCHIVE
    return {
        str(file.relative_to(folder)): file.read_bytes()
        for file in folder.rglob("*")
        if file.is_file()
    }


def put_copy(root: Path, name: str, content: bytes | str, *, cold: bool = False) -> Path:
    file = root / (COLD if cold else ARCHIVE) / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return file


def temporary_files(root: Path) -> list[Path]:
    return [file for file in root.rglob("*") if is_temporary(file.name)]


async def sha_of(bench: Workbench) -> str | None:
    sheet = await bench.read()
    return None if sheet is None else sheet.sha


async def objective_of(bench: Workbench) -> str | None:
    sheet = await bench.read()
    return None if sheet is None else sheet.parsed.checkpoint.objective
