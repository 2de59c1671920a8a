"""Where the daemon listens: the daemon's own rule, in the standard library."""

import os

TYPE_CHECKING = False  # the imports of a hook are its user's wait
if TYPE_CHECKING:
    from collections.abc import Mapping


def socket_path(
    explicit: str | None, environ: "Mapping[str, str]", *, config: str | None = None
) -> str:
    """``explicit``, else ``$RECALLD_SOCKET``, else ``server.socket``, else the usual place.

    ``config`` is the ``--config`` file. A file that cannot be read names no socket here: the
    daemon and ``recalld config check`` complain about it, a client only needs an address.
    """
    named = (
        explicit
        or _from_environment(environ)
        or _configured(config or environ.get("RECALLD_CONFIG") or _user_file(environ))
    )
    return os.path.expanduser(named) if named else _usual(environ)  # noqa: PTH111 (see below)


def socket_path_of_environment(environ: "Mapping[str, str]") -> str:
    """As ``socket_path``, without a look into any file: ``server.socket`` is not obeyed."""
    named = _from_environment(environ)
    # pathlib costs a hook 10 ms.
    return os.path.expanduser(named) if named else _usual(environ)  # noqa: PTH111


def _from_environment(environ: "Mapping[str, str]") -> str | None:
    return environ.get("RECALLD_SOCKET") or environ.get("RECALLD_SERVER__SOCKET")


def _usual(environ: "Mapping[str, str]") -> str:
    runtime = environ.get("XDG_RUNTIME_DIR", "")
    if runtime.startswith("/"):
        return f"{runtime.rstrip('/') or ''}/recalld/recalld.sock"
    return f"/tmp/recalld-{os.getuid()}/recalld.sock"  # noqa: S108 (0700, lstat-checked)


def _user_file(environ: "Mapping[str, str]") -> str:
    base = environ.get("XDG_CONFIG_HOME", "")
    if not base.startswith("/"):
        base = os.path.join(environ.get("HOME") or "~", ".config")  # noqa: PTH118
    return f"{base}/recalld/config.toml"


def _configured(path: str) -> str | None:
    try:
        with open(os.path.expanduser(path), "rb") as stream:  # noqa: PTH111, PTH123
            data = stream.read(1 << 20)
    except OSError:
        return None
    if b"socket" not in data:
        return None
    import tomllib  # noqa: PLC0415 (most installs set no socket and save the import)

    try:
        server = tomllib.loads(data.decode("utf-8-sig")).get("server")
    except ValueError:
        return None
    named = server.get("socket") if isinstance(server, dict) else None
    return named if isinstance(named, str) else None
