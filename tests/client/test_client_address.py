"""The client's idea of where the daemon listens is the daemon's."""

import os
from pathlib import Path

import pytest

from recalld.client import socket_path as client_rule
from recalld.config import load
from recalld.config import socket_path as daemon_rule

CASES = {
    "nothing is set": {},
    "the runtime directory": {"XDG_RUNTIME_DIR": "/run/user/7"},
    "the runtime directory with a slash": {"XDG_RUNTIME_DIR": "/run/user/7/"},
    "the root as runtime directory": {"XDG_RUNTIME_DIR": "/"},
    "a relative runtime directory is ignored": {"XDG_RUNTIME_DIR": "run"},
    "the variable": {"RECALLD_SOCKET": "/s", "XDG_RUNTIME_DIR": "/run/user/7"},
    "an empty variable is unset": {"RECALLD_SOCKET": "", "XDG_RUNTIME_DIR": "/run/user/7"},
    "a home in the variable": {"RECALLD_SOCKET": "~/s"},
    "the key's own variable": {"RECALLD_SERVER__SOCKET": "/k", "RECALLD_CONFIG": "{config}"},
    "both variables": {"RECALLD_SERVER__SOCKET": "/k", "RECALLD_SOCKET": "/s"},
    "the file by variable": {"RECALLD_CONFIG": "{config}", "XDG_RUNTIME_DIR": "/run/user/7"},
    "the user's file": {"XDG_CONFIG_HOME": "{home}"},
    "the file under the home": {"HOME": "{dot_home}"},
    "a relative configuration home is ignored": {"XDG_CONFIG_HOME": "x", "HOME": "{dot_home}"},
    "a file without a socket": {"RECALLD_CONFIG": "{plain}", "XDG_RUNTIME_DIR": "/run/user/7"},
}


@pytest.mark.parametrize("case", CASES)
def test_client_and_daemon_agree(tmp_path: Path, case: str):
    places = {
        "config": tmp_path / "own.toml",
        "home": tmp_path / "xdg",
        "dot_home": tmp_path / "home",
        "plain": tmp_path / "plain.toml",
    }
    for file in (
        places["config"],
        places["home"] / "recalld" / "config.toml",
        places["dot_home"] / ".config" / "recalld" / "config.toml",
    ):
        file.parent.mkdir(parents=True, exist_ok=True)
        text = f"\ufeff[server]\nsocket = '/from/{file.parent.name}/s'\n"
        file.write_text(text, encoding="utf-8")
    places["plain"].write_text("# socket\nrecall.top_k = 4", encoding="utf-8")
    environ = {"HOME": "/nonexistent"} | {
        name: value.format(**places) for name, value in CASES[case].items()
    }
    assert client_rule(None, environ) == str(daemon_rule(load(None, environ), environ))


def test_an_explicit_socket_wins_and_an_explicit_file_comes_before_the_variable(tmp_path: Path):
    file = tmp_path / "c.toml"
    file.write_text("server.socket = '/from/flag'", encoding="utf-8")
    environ = {"HOME": "/nonexistent", "RECALLD_CONFIG": "/nonexistent/c.toml"}
    assert client_rule(None, environ, config=str(file)) == "/from/flag"
    assert client_rule("/explicit", environ, config=str(file)) == "/explicit"


def test_a_broken_file_names_no_socket_to_a_client(tmp_path: Path):
    file = tmp_path / "c.toml"
    file.write_bytes(b"server.socket = \xff")
    usual = f"/tmp/recalld-{os.getuid()}/recalld.sock"
    assert client_rule(None, {}, config=str(file)) == usual
