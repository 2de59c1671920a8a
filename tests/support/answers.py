"""A stand-in for the dispatcher: answers by name, in virtual time."""

import anyio

from recalld.server.dispatch import Answer, refused
from recalld.server.traffic import Outcome
from recalld.server.wire import Code, Request, WireError, encode_result


class ScriptedAnswerer:
    """``ping`` answers at once; ``wait`` after ``params.s``; ``large`` with ``params.bytes``.

    Anything else is no such method. ``seen`` and ``most_at_once`` tell what came in.
    """

    def __init__(self) -> None:
        self.seen: list[Request] = []
        self.at_once = 0
        self.most_at_once = 0
        self.cancelled = 0

    async def answer(self, request: Request) -> Answer:
        self.seen.append(request)
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            return await self._answer(request)
        except anyio.get_cancelled_exc_class():
            self.cancelled += 1
            raise
        finally:
            self.at_once -= 1

    async def _answer(self, request: Request) -> Answer:
        match request.method:
            case "ping":
                result: object = {"ok": True, **request.params}
            case "wait":
                await anyio.sleep(float(str(request.params["s"])))
                result = {"waited": request.params["s"]}
            case "large":
                result = "x" * int(str(request.params["bytes"]))
            case _:
                return refused(
                    WireError(code=Code.NO_SUCH_METHOD, message="no such method", id=request.id)
                )
        return Answer(
            body=encode_result(request.id, result), outcome=Outcome.ANSWERED, result=result
        )
