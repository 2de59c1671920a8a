"""Edit the list of workspaces in the user's file; every other byte stays as it is."""

import os
import tempfile
from pathlib import Path

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import AoT, Array

from recalld.config import Config, read_file
from recalld.config_decode import convert, parse
from recalld.errors import BadConfig

KEY = "workspaces"


def listed(document: tomlkit.TOMLDocument) -> list[str]:
    """The paths in the list, as the file spells them."""
    entries = document.get(KEY, [])
    return [entry if isinstance(entry, str) else str(entry["path"]) for entry in entries]


def opened(path: Path) -> tomlkit.TOMLDocument:
    """The file with its comments; empty where there is none. Raises ``BadConfig``."""
    if not path.exists():
        return tomlkit.document()
    data = read_file(path)
    convert(parse(data, name=str(path)), Config)
    try:
        return tomlkit.parse(data.decode("utf-8-sig"))
    except TOMLKitError as error:
        raise BadConfig(str(path), f"not valid TOML: {error}") from error


def added(document: tomlkit.TOMLDocument, folder: str) -> bool:
    """Put ``folder`` at the end of the list; False when it is there already."""
    if _position(document, folder) is not None:
        return False
    entries = document.get(KEY)
    if isinstance(entries, AoT):
        entries.append(tomlkit.item({"path": folder}))
    elif isinstance(entries, Array):
        entries.append(folder)
    else:
        document.add(KEY, tomlkit.item([folder]))
    return True


def removed(document: tomlkit.TOMLDocument, folder: str) -> bool:
    """Take ``folder`` out of the list; False when it is not there."""
    position = _position(document, folder)
    if position is None:
        return False
    del document[KEY][position]
    return True


def _position(document: tomlkit.TOMLDocument, folder: str) -> int | None:
    wanted = _same(folder)
    for number, entry in enumerate(listed(document)):
        if _same(entry) == wanted:
            return number
    return None


def _same(path: str) -> str:
    return os.path.normpath(os.path.expanduser(path))  # noqa: PTH111


def save(path: Path, document: tomlkit.TOMLDocument) -> None:
    """Replace the file whole, where it really lies, if the result is a valid configuration."""
    text = tomlkit.dumps(document)
    convert(parse(text.encode(), name=str(path)), Config)
    real = Path(os.path.realpath(path))
    try:
        real.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        mode = real.stat().st_mode & 0o777 if real.exists() else 0o600
        descriptor, temporary = tempfile.mkstemp(dir=real.parent, prefix=".config-")
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
                stream.write(text)
                stream.flush()
                os.fchmod(descriptor, mode)
                os.fsync(descriptor)
            Path(temporary).replace(real)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise BadConfig(str(real), (error.strerror or str(error)).lower()) from error
