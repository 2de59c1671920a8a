"""Bringing a BGE-M3 checkpoint to where it is looked for, whole or not at all."""

import os
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from hashlib import file_digest
from pathlib import Path

from recalld.embed.bge_files import HEADS, SMALL_FILES, WEIGHTS, fault_of, weights_of
from recalld.errors import Refused, Unavailable
from recalld.there import is_file, is_missing

SUMS = "SHA256SUMS"
# Of use to other programs; loaded where they are there.
OPTIONAL = ("special_tokens_map.json", "sentencepiece.bpe.model")
_HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]*/[\w.-]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    """Where the checkpoint lies now, and the sha256 of each of its files by name."""

    folder: Path
    sums: Mapping[str, str]


def is_hub_id(source: str) -> bool:
    """Whether ``source`` names a repository: OWNER/NAME, and no folder of that name is here."""
    return _HUB_ID.fullmatch(source) is not None and is_missing(source)


def fetch_folder(source: Path, target: Path, *, link: bool) -> Fetched:
    """Copy the files of ``source``, or link to them. ``Refused`` where they are not complete."""
    fault = fault_of(source)
    if fault is not None:
        raise Refused(fault)
    if not is_missing(target) and source.samefile(target):
        return _noted(target)
    names = [*SMALL_FILES, *HEADS, weights_of(source).name]
    names += [name for name in OPTIONAL if is_file(source / name)]
    place: Callable[[Path, Path], object] = _link if link else partial(shutil.copy2)
    return _replaced(target, lambda into: [place(source / name, into / name) for name in names])


def fetch_hub(repository: str, target: Path) -> Fetched:
    """Download from the hub: the one place that may, and only when it is named.

    ``Unavailable`` without the package, without network and with ``HF_HUB_OFFLINE=1``.
    """
    try:
        from huggingface_hub import snapshot_download  # noqa: PLC0415 (an extra)
    except ImportError as error:
        raise Unavailable("model", "not installed: pip install 'recalld[bge]'") from error
    wanted = [*SMALL_FILES, *HEADS, *WEIGHTS, *OPTIONAL]

    def download(into: Path) -> None:
        try:
            snapshot_download(repository, local_dir=into, allow_patterns=wanted)
        # What it raises are kinds of these: no network, offline mode, no such repository.
        except (OSError, ValueError, RuntimeError) as error:
            first = str(error).strip().split("\n")[0]
            raise Unavailable("model", f"{repository}: {type(error).__name__}: {first}") from error
        shutil.rmtree(into / ".cache", ignore_errors=True)

    return _replaced(target, download)


def changed_files(folder: Path) -> list[str]:
    """The files that are not what was fetched; none where nothing was noted then."""
    noted = folder / SUMS
    if not is_file(noted):
        return []
    rows = (line.split("  ", 1) for line in noted.read_text("utf-8").splitlines())
    return [
        name
        for wanted, name in rows
        if not is_file(folder / name) or _sum_of(folder / name) != wanted
    ]


def _replaced(target: Path, fill: Callable[[Path], object]) -> Fetched:
    """``target`` with what ``fill`` puts into a folder beside it, once that is complete."""
    try:
        with _beside(target) as fresh:
            fill(fresh)
            fault = fault_of(fresh)
            if fault is not None:
                raise Refused(fault)
            _noted(fresh)
            if not is_missing(target):
                old = target.with_name(target.name + ".old")
                shutil.rmtree(old, ignore_errors=True)
                target.rename(old)
                fresh.rename(target)
                shutil.rmtree(old, ignore_errors=True)
            else:
                fresh.rename(target)
    except OSError as error:
        raise Unavailable("model", f"{error.filename or target}: {error.strerror}") from error
    return _noted(target)


@contextmanager
def _beside(target: Path) -> Iterator[Path]:
    fresh = target.with_name(target.name + ".partial")
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(parents=True)
    try:
        yield fresh
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def _noted(folder: Path) -> Fetched:
    """The sums, which are written down where they were not."""
    noted = folder / SUMS
    if is_file(noted):
        rows = (line.split("  ", 1) for line in noted.read_text("utf-8").splitlines())
        return Fetched(folder=folder, sums={name: found for found, name in rows})
    names = sorted(path.name for path in folder.iterdir() if is_file(path))
    sums = {name: _sum_of(folder / name) for name in names}
    lines = "".join(f"{found}  {name}\n" for name, found in sums.items())
    noted.write_text(lines, encoding="utf-8")
    return Fetched(folder=folder, sums=sums)


def _sum_of(path: Path) -> str:
    with path.open("rb") as stream:
        return file_digest(stream, "sha256").hexdigest()


def _link(source: Path, target: Path) -> None:
    os.symlink(source.resolve(), target)  # noqa: PTH211
