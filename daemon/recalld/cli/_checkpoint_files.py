"""A workspace's checkpoint and its versions as they lie on the disk, without the daemon."""

import os
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial

import anyio

from recalld.cli._state import StateFile
from recalld.config import state_dir
from recalld.continuity.checkpoint import parse
from recalld.continuity.disk import FILE, Sheet, Workbench
from recalld.continuity.examine import HOW_MADE
from recalld.continuity.model import Checkpoint, Origin
from recalld.continuity.shape import Fields, fields_of
from recalld.errors import NotFound, Unavailable


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """A version: an archived copy, or one that only the daemon's database has."""

    name: str
    at: datetime
    checkpoint: Checkpoint


def read_now(root: str) -> tuple[Fields, bool]:
    """The fields of the file as it is, and whether it is an unfilled template.

    Raises ``NotFound`` when there is none, ``Refused`` and ``Unavailable`` as the disk says.
    """
    sheet = anyio.run(partial(_sheet, root), backend="trio")
    fields = fields_of(
        sheet.parsed.checkpoint,
        origin=_origin(root, sheet.sha),
        now=datetime.now(UTC),
        modified_at=sheet.modified_at,
    )
    return fields, sheet.parsed.template


def read_kept(root: str, name: str | None) -> tuple[Checkpoint, Kept]:
    """The checkpoint as it is now (empty where there is none), and the version of that name.

    None: the newest archived copy. Raises ``NotFound`` for what no list has.
    """
    return anyio.run(partial(_read_kept, root, name), backend="trio")


async def _sheet(root: str) -> Sheet:
    sheet = await Workbench(root).read()
    if sheet is None:
        raise NotFound(f"{root}/{FILE}; {HOW_MADE}")
    return sheet


async def _read_kept(root: str, name: str | None) -> tuple[Checkpoint, Kept]:
    bench = Workbench(root)
    sheet = await bench.read()
    now = Checkpoint() if sheet is None else sheet.parsed.checkpoint
    copies = await bench.copies()
    if name is None and not copies:
        raise NotFound(f"an archived copy in {root}")
    for copy in copies:
        if name in (None, copy.name, copy.path):
            old = await bench.read_copy(copy.name)
            return now, Kept(name=copy.name, at=copy.at, checkpoint=old.parsed.checkpoint)
    return now, _of_database(root, name or "")


def _of_database(root: str, name: str) -> Kept:
    found = StateFile(state_dir(os.environ)).version(os.path.realpath(root), name)
    if found is None:
        raise NotFound(f"checkpoint version {name[:100]!r} in {root}")
    text, at = found
    return Kept(name=name, at=at, checkpoint=parse(text).checkpoint)


def _origin(root: str, sha: str) -> Origin:
    """As the daemon says it: what nobody noted was written by hand."""
    try:
        noted = StateFile(state_dir(os.environ)).origin_of(os.path.realpath(root), sha)
    except Unavailable:
        noted = None
    return Origin.MACHINE if noted == Origin.MACHINE else Origin.HAND
