"""From a request to its answer: the registry, the checks, and the one net under every handler."""

import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

import structlog

from recalld.counters import Counters
from recalld.errors import BadConfig, BadRequest, Busy, NotFound, Refused, Unavailable
from recalld.server.hub import Subscription
from recalld.server.method import AnyMethod, Context
from recalld.server.params import checked
from recalld.server.services import Services
from recalld.server.traffic import Outcome
from recalld.server.wire import Code, Request, WireError, encode_error, encode_result, shown

T = TypeVar("T")

_log = structlog.get_logger("recalld.server")


@dataclass(frozen=True, slots=True, kw_only=True)
class Incident:
    """A fault of our own, known to the log by this id."""

    id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """``body`` is one reply without its newline; ``result`` is None unless it is a result.

    ``undelivered`` is for whoever cannot write the body.
    """

    body: bytes
    outcome: Outcome
    result: object = None
    opened: tuple[Subscription, ...] = ()
    undelivered: tuple[Callable[[], None], ...] = ()


async def contained(
    work: Callable[[], Awaitable[T]], *, what: str, counters: Counters
) -> T | Incident:
    """The result of ``work``, or the incident it became, logged and counted.

    One broken handler, connection or background part must not end its siblings; cancellation
    passes through.
    """
    try:
        return await work()
    except Exception:  # noqa: BLE001 (the net itself; groups of errors are caught by it too)
        incident = Incident(id=secrets.token_hex(6))
        counters.add("incidents")
        _log.exception("incident", incident=incident.id, what=what)
        return incident


def refused(error: WireError) -> Answer:
    return Answer(body=encode_error(error), outcome=Outcome.REFUSED)


def shutting_down(request: Request) -> Answer:
    return refused(
        WireError(code=Code.SHUTTING_DOWN, message="the daemon is shutting down", id=request.id)
    )


class Dispatcher:
    """Answers requests by ``methods``; the same one serves sockets and event sources."""

    def __init__(
        self, methods: tuple[AnyMethod, ...], *, services: Services, counters: Counters
    ) -> None:
        self._methods = {method.name: method for method in methods}
        self._services = services
        self._counters = counters

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(sorted(self._methods))

    def knows(self, name: str) -> bool:
        return name in self._methods

    async def answer(self, request: Request) -> Answer:
        """Never raises but for cancellation."""

        async def work() -> Answer:
            return await self._answer(request)

        answer = await contained(work, what=shown(request.method), counters=self._counters)
        if isinstance(answer, Incident):
            return refused(
                WireError(
                    code=Code.INTERNAL,
                    message="internal error; the log knows it by its incident id",
                    id=request.id,
                    data={"incident": answer.id},
                )
            )
        return answer

    async def _answer(self, request: Request) -> Answer:
        method = self._methods.get(request.method)
        if method is None:
            self._counters.add("requests.unknown_method")
            return refused(
                WireError(
                    code=Code.NO_SUCH_METHOD,
                    message=f"no such method: {shown(request.method)}",
                    id=request.id,
                )
            )
        context = Context(services=self._services)
        result, done = None, False
        try:
            result = await method.handler(checked(method.params, request.params), context)
            done = True
        except (BadRequest, BadConfig, NotFound, Refused, Busy, Unavailable) as fault:
            return refused(_wire_error(fault, request))
        finally:
            if not done:
                for take_back in context.undelivered:
                    take_back()
        return Answer(
            body=encode_result(request.id, result),
            outcome=Outcome.ANSWERED,
            result=result,
            opened=tuple(context.opened),
            undelivered=tuple(context.undelivered),
        )


Fault = BadRequest | BadConfig | NotFound | Refused | Busy | Unavailable


def _wire_error(fault: Fault, request: Request) -> WireError:
    code, data = _code_and_data(fault)
    return WireError(code=code, message=shown(str(fault), limit=300), id=request.id, data=data)


def _code_and_data(fault: Fault) -> tuple[Code, dict[str, object] | None]:
    match fault:
        case BadRequest():
            return Code.BAD_PARAMS, {"key": fault.key, "problem": fault.problem}
        case BadConfig():
            return Code.REFUSED, {"key": fault.key, "problem": fault.problem}
        case NotFound():
            return Code.NOT_FOUND, None
        case Refused():
            return Code.REFUSED, None
        case Busy():
            return Code.BUSY, {"retry_after_ms": fault.retry_after_ms}
        case Unavailable():
            return Code.UNAVAILABLE, {"part": fault.part}
