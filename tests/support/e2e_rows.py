"""Rows of the published sets, and the files of ours that must not hold a secret."""

import base64
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from urllib.parse import quote

Row = dict[str, Any]


def rows_of(folder: Path, name: str) -> list[Row]:
    lines = (folder / name).read_bytes().split(b"\n")
    return [json.loads(line) for line in lines if line]


def bad_inputs(folder: Path, kind: str) -> dict[str, Row]:
    return {row["id"]: row for row in rows_of(folder, "bad-inputs.jsonl") if row["kind"] == kind}


def bug_case(folder: Path, name: str) -> Row:
    (row,) = [row for row in rows_of(folder, "bug-cases.jsonl") if row["id"] == name]
    given: Row = row["input"]
    return given


def payload(row: Row) -> bytes:
    data = base64.b64decode(row["bytes_b64"]) if "bytes_b64" in row else row["text"].encode()
    pad = row.get("pad")
    if pad:
        data += pad["unit"].encode() * pad["times"] + pad["tail"].encode()
    return bytes(data)


def name_of(row: Row) -> bytes:
    if "name_b64" in row:
        return base64.b64decode(row["name_b64"])
    name: str = row["name"]
    return name.encode()


def holders(secrets: Iterable[str], folders: Iterable[Path]) -> list[str]:
    """``file: secret`` for every file below ``folders`` that holds one, plain or encoded."""
    found = []
    for folder in folders:
        files = [folder] if folder.is_file() else list(folder.rglob("*"))
        for file in files:
            if not file.is_file() or file.is_symlink():
                continue
            data = file.read_bytes()
            found += [
                f"{file}: {secret}"
                for secret in secrets
                if any(form in data for form in forms_of(secret))
            ]
    return found


def forms_of(secret: str) -> set[bytes]:
    raw = secret.encode()
    forms = {raw, quote(secret, safe="").encode(), secret.encode("utf-16-le")}
    for shift in range(3):
        # The part of the encoding that does not depend on what stands beside the secret.
        coded = base64.b64encode(b"x" * shift + raw)
        forms.add(coded[4 if shift else 0 : -4])
    return forms
