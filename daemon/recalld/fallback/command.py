"""A program run within its caller's deadline, and its output up to a limit."""

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence

import anyio
from anyio.abc import Process

from recalld.errors import Unavailable

MAX_OUTPUT_BYTES = 1_048_576
# Of a program that was killed: its end is waited for, not its output.
REAPING_S = 0.2


async def output_of(
    argv: Sequence[str], *, folder: str | None, environ: Mapping[str, str]
) -> bytes:
    """What ``argv`` prints. No shell, no input; errors are not read.

    Raise ``Unavailable`` where it cannot be started, prints over 1 MiB or fails. When the call
    is cancelled the program and all that it started are killed.
    """
    try:
        process = await anyio.open_process(
            argv,
            stdin=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=folder,
            env=environ,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        raise Unavailable("fallback", f"cannot be started: {type(error).__name__}") from error
    async with process:
        try:
            printed = await _printed(process)
            status = await process.wait()
        finally:
            await _ended(process)
    if status != 0:
        raise Unavailable("fallback", f"ended with status {status}")
    return printed


async def _printed(process: Process) -> bytes:
    printed = bytearray()
    if process.stdout is not None:
        async for part in process.stdout:
            printed += part
            if len(printed) > MAX_OUTPUT_BYTES:
                raise Unavailable("fallback", f"printed over {MAX_OUTPUT_BYTES} bytes")
    return bytes(printed)


async def _ended(process: Process) -> None:
    """Kill the program's whole session: a wrapper's children would go on otherwise."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return
    with anyio.move_on_after(REAPING_S, shield=True):
        await process.wait()
