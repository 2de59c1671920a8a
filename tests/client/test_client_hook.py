"""A hook never holds up its host, whatever happens."""

import os
import shlex
import subprocess
import sys

import pytest

RUN = "import sys; from recalld.client.hooks import main; sys.exit(main())"


def hook(
    *arguments: str, data: bytes | None = None, descriptor: int | None = None
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-c", RUN, *arguments],
        stdin=descriptor,
        input=data,
        capture_output=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        timeout=20,
        check=False,
    )


@pytest.mark.parametrize(
    "stdin", [b'{"prompt": "fix the typo"}', b"", b"\xff\x00", b"x" * 1_000_000]
)
def test_a_hook_without_an_adapter_says_nothing_to_the_host_and_one_line_to_the_log(stdin: bytes):
    ran = hook("claude-code", data=stdin)
    assert (ran.returncode, ran.stdout) == (0, b"")
    assert ran.stderr.count(b"\n") == 1
    assert b"'claude-code'" in ran.stderr


def test_a_hook_whose_input_never_ends_gives_up_by_itself():
    reader, writer = os.pipe()
    try:
        ran = hook("claude-code", descriptor=reader)
    finally:
        os.close(reader)
        os.close(writer)
    assert (ran.returncode, ran.stdout) == (0, b"")


def test_a_hook_without_any_input_still_exits_zero():
    command = f"exec {shlex.quote(sys.executable)} -c {shlex.quote(RUN)} <&-"
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    ran = subprocess.run(["sh", "-c", command], capture_output=True, env=environ, check=False)
    assert (ran.returncode, ran.stdout) == (0, b"")
    assert ran.stderr.count(b"\n") == 1
