"""What can go wrong between a client and the daemon, told apart by what the caller can do."""


class ClientError(Exception):
    """Base of this package's faults."""


class NoDaemon(ClientError):
    """Nobody who may answer listens at ``path``; nothing was sent."""

    def __init__(self, path: str, problem: str) -> None:
        super().__init__(f"no daemon at {path}: {problem}")
        self.path = path
        self.problem = problem


class TimedOut(ClientError):
    """No answer within the deadline. The connection is closed; the request may have run."""


class Disconnected(ClientError):
    """The daemon closed the connection, or spoke something that is no protocol of ours."""


class RpcError(ClientError):
    """The daemon answered with an error. ``data`` is the error's own, or an empty dict."""

    def __init__(self, code: int, message: str, data: dict[str, object]) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data
