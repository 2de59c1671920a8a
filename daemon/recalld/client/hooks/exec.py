"""Any other host: it says itself what to ask.

Input: ``{"method": NAME, "params": {…}}`` with a method of the session events, as the daemon
takes them. Output: for ``session.start`` and ``session.prompt`` the object ``{"recovery",
"context"}``, each a text or null; for the others the daemon's result. Nothing at all means that
nothing was reached. ``session.prompt`` gets a ``budget_ms`` that fits the hook's deadline.
"""

from recalld.client.hooks._call import Answer, BadEvent, Call, Host

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

METHODS = frozenset(
    [
        "session.start",
        "session.prompt",
        "session.turn",
        "session.compact",
        "session.reset",
        "session.end",
        "subagent.end",
    ]
)
_SHOWN = frozenset({"session.start", "session.prompt"})


def plan(event: "Mapping[str, object]", until: float) -> Call:
    del until
    method, params = event.get("method"), event.get("params", {})
    if not isinstance(method, str) or method not in METHODS:
        raise BadEvent("no method of the session events")
    if not isinstance(params, dict):
        raise BadEvent(f"the params of {method} are no object")
    return Call(method, method, params, ends=method == "session.end")


def answer(call: Call, result: "Mapping[str, object]") -> Answer:
    if call.method not in _SHOWN:
        return Answer(dict(result))
    return Answer({name: result.get(name) for name in ("recovery", "context")})


HOST = Host(plan=plan, answer=answer)
