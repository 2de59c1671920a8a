"""Install or uninstall a target: first all that will be, then all of it or nothing."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from difflib import unified_diff
from enum import StrEnum
from functools import partial

from recalld import atomic
from recalld.errors import Refused
from recalld.install import disk
from recalld.install.disk import Found, Record, Records
from recalld.install.model import Before, Managed, Merged, Target
from recalld.install.scan import Malformed


class Change(StrEnum):
    NONE = "none"
    CREATED = "created"
    CHANGED = "changed"
    REMOVED = "removed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One file: what it is, what it will be, and the record that will tell of it."""

    found: Found
    new: bytes | None
    old_record: Record | None
    before: bytes | None
    warnings: tuple[str, ...] = ()

    @property
    def change(self) -> Change:
        if self.new == self.found.data:
            return Change.NONE
        if self.found.data is None:
            return Change.CREATED
        return Change.REMOVED if self.new is None else Change.CHANGED

    def diff(self) -> str:
        """What changes, as ``diff -u`` shows it; empty where nothing does."""
        return "".join(_diff(self.found.path, self.found.data, self.new))


def run(  # noqa: PLR0913  one name for each thing that is decided outside
    target: Target,
    records: Records,
    *,
    uninstall: bool,
    dry_run: bool,
    show: Callable[[Sequence[Step]], None],
    files: atomic.Files | None = None,
    at_rename: Callable[[], None] = lambda: None,
) -> None:
    """Plan a step for each file of ``target``, ``show`` them, and write, unless it is a dry run.

    Raises ``Refused``, naming the file, and nothing has changed then: where one of several
    files cannot be written, those before it are put back.
    """
    with nullcontext() if dry_run else records.locked():
        steps = _planned(target, records, uninstall=uninstall)
        show(steps)
        _require_writable(steps)
        if not dry_run:
            write = partial(
                _carry_out, records=records, uninstall=uninstall, files=files, at_rename=at_rename
            )
            _carry_out_all(steps, records, write, uninstall=uninstall)


def _planned(target: Target, records: Records, *, uninstall: bool) -> list[Step]:
    if uninstall:
        target.may_leave()
    plan = _taken if uninstall else _put
    return [plan(managed, records) for managed in target.files]


def _require_writable(steps: list[Step]) -> None:
    """``Refused`` where a file that has to change cannot be."""
    for step in steps:
        if step.change is not Change.NONE and step.found.locked is not None:
            raise Refused(f"{step.found.path}: {step.found.locked}; nothing was changed")


def _carry_out_all(
    steps: list[Step], records: Records, write: Callable[[Step], None], *, uninstall: bool
) -> None:
    done: list[Step] = []
    try:
        for step in steps:
            if step.change is not Change.NONE:
                write(step)
                done.append(step)
            elif uninstall:
                records.save(step.found.real, None)
    except Refused:
        for step in reversed(done):
            _undo(step, records)
        raise
    for step in done:
        if step.new is None and step.old_record is not None:
            disk.remove_folders(step.old_record.folders)


def _put(managed: Managed, records: Records) -> Step:
    found = disk.read(managed.path)
    text = _text(found.data, managed.path)
    record = records.load(found.real)
    with _named(managed.path):
        if record is not None and _untouched(found, record):
            before = record.before
            merged = managed.put(_text(before, managed.path) if managed.whole else text)
        else:
            merged = managed.put(text)
            before = _without_us(managed, found, record)
    return Step(
        found=found,
        new=_bytes(merged.text),
        old_record=record,
        before=before,
        warnings=merged.warnings,
    )


def _without_us(managed: Managed, found: Found, record: Record | None) -> bytes | None:
    """What an uninstall should bring back, of a file that may have us in it already."""
    text = _text(found.data, managed.path)
    if text is None:
        return None
    return _bytes(_bare(managed, text, record).text)


def _bare(managed: Managed, text: str, record: Record | None) -> Merged:
    before = None if record is None else Before(text=_text(record.before, managed.path))
    return managed.take(text, before)


def _taken(managed: Managed, records: Records) -> Step:
    found = disk.read(managed.path)
    text = _text(found.data, managed.path)
    record = records.load(found.real)
    if text is None:
        return Step(found=found, new=None, old_record=record, before=None)
    if _untouched(found, record) and record is not None:
        return Step(found=found, new=record.before, old_record=record, before=None)
    with _named(managed.path):
        merged = _bare(managed, text, record)
    new = _bytes(merged.text)
    return Step(found=found, new=new, old_record=record, before=None, warnings=merged.warnings)


def _carry_out(
    step: Step,
    *,
    records: Records,
    uninstall: bool,
    files: atomic.Files | None,
    at_rename: Callable[[], None],
) -> None:
    """The record of an install is there before the file is: whatever happens, it can be undone."""
    real, old = step.found.real, step.old_record
    if uninstall or step.new is None:
        disk.replace(step.found, step.new, files=files, at_rename=at_rename)
        # One that cannot be removed no longer fits the file, and so does no harm.
        with suppress(Refused):
            records.save(real, None)
        return
    made = disk.make_folders(real)
    folders = made or (old.folders if old is not None else ())
    try:
        record = Record(before=step.before, after=disk.digest(step.new), folders=folders)
        records.save(real, record)
        disk.replace(step.found, step.new, files=files, at_rename=at_rename)
    except BaseException:
        with suppress(Refused):
            records.save(real, old)
        disk.remove_folders(made)
        raise


def _undo(step: Step, records: Records) -> None:
    real, record = step.found.real, records.load(step.found.real)
    found = disk.read(step.found.path)
    if found.data == step.new:
        disk.replace(found, step.found.data)
    records.save(real, step.old_record)
    if step.found.data is None and record is not None:
        disk.remove_folders(record.folders)


def _untouched(found: Found, record: Record | None) -> bool:
    """Whether a file is to the byte what an install left."""
    return record is not None and found.data is not None and disk.digest(found.data) == record.after


@contextmanager
def _named(path: str) -> Iterator[None]:
    """Faults of the block get the name of the file in front."""
    try:
        yield
    except (Refused, Malformed) as error:
        raise Refused(f"{path}: {error}; nothing was changed") from error


def _text(data: bytes | None, path: str) -> str | None:
    try:
        return None if data is None else data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Refused(f"{path}: not UTF-8 at byte {error.start}; nothing was changed") from error


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else text.encode("utf-8")


def _diff(path: str, old: bytes | None, new: bytes | None) -> Iterator[str]:
    before, after = (_lines(data) for data in (old, new))
    names = ("/dev/null" if old is None else path, "/dev/null" if new is None else path)
    for line in unified_diff(before, after, *names):
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _lines(data: bytes | None) -> list[str]:
    """Lines end at ``\\n`` alone; the ``\\r`` before one is nothing to see."""
    text = (data or b"").decode("utf-8").replace("\r\n", "\n")
    lines = [line + "\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return [line for line in lines if line]
