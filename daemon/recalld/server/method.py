"""What a method is: a name, the parameters it accepts, and a handler."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from recalld.server.hub import Subscription
from recalld.server.params import Params
from recalld.server.services import Services

P = TypeVar("P", bound=Params)


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What a handler may use. A subscription put into ``opened`` starts after the reply.

    What is put into ``undelivered`` is called, once, where the reply does not reach the peer:
    the request was cancelled, or the connection ended before the reply was written.
    """

    services: Services
    opened: list[Subscription] = field(default_factory=list)
    undelivered: list[Callable[[], None]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Method(Generic[P]):
    """One row of the registry. The handler's result is encoded as it is."""

    name: str
    params: type[P]
    handler: Callable[[P, Context], Awaitable[object]]


# A registry holds methods of many parameter types.
AnyMethod = Method[Any]
