"""``recalld heartbeat``: look for signals now; show them, the decision, and why."""

from typing import Annotated

import typer

from recalld.cli._options import ConfigOption, JsonFlag, SocketOption, asked, daemon
from recalld.cli._output import flowing, flush, print_json, say

# A language model may be asked, and takes 15 s at most; a workspace's history is read as well.
_TIMEOUT_S = 60.0
_CHARS = 160

WHY = {
    "first_contact": "it knows next to nothing yet and introduces itself",
    "act_deadline_critical": "a deadline is less than an hour away, or past",
    "act": "there is something to tell",
    "act_confluence": "several signals together are worth telling sooner",
    "act_stale_escalated": "it was told before and is still open",
    "nudge": "it has been still for a while",
    "no_signals": "there are no signals",
    "signals_only": "only the signals were asked for",
    "suppress_time_period": "nothing is urgent enough for this hour",
    "suppress_rhythm": "you are seldom here at this hour",
    "suppress_conversation_low": "nothing is urgent enough to interrupt a conversation",
    "suppress_stale": "all of it was just told, or still rests",
    "suppress_low_no_confluence": "what there is is minor, and too little of it",
    "suppress_cooldown": "the last message was too short a while ago",
    "suppress_topic_repeat": "it would repeat what was just said",
    "suppress_nudge_cap": "there were enough nudges today",
    "suppress_nudge_backoff": "the last nudge was too short a while ago",
    "suppress_snoozed": "you put it off",
    "suppress_daily_cap": "there were enough messages today",
    "suppress_llm": "the language model found it not worth telling",
    "delivery_suspended": "messages did not get through, and rest for now",
}
DETAILS = (
    ("period", "time_period"),
    ("waiting", "cooldown_state"),
    ("confluence", "confluence_score"),
    ("brought up", "escalation_level"),
    ("answered", "response_rate"),
    ("look-ups", "lookups"),
    ("model calls", "llm_calls"),
    ("fingerprint", "fingerprint"),
    ("trace", "trace_id"),
)


def attach(app: typer.Typer) -> None:
    @app.command()
    def heartbeat(
        *,
        owner: Annotated[str, typer.Option("--owner", help="Whose memories.")] = "default",
        analyze: Annotated[
            bool, typer.Option("--analyze", help="Ask the language model, if one is set up.")
        ] = False,
        signals: Annotated[
            bool, typer.Option("--signals", help="Only list the signals; decide nothing.")
        ] = False,
        explain: Annotated[
            bool, typer.Option("--explain", help="Show what the decision was made of.")
        ] = False,
        json: JsonFlag = False,
        socket: SocketOption = None,
        config: ConfigOption = None,
    ) -> None:
        """Look for signals now, and say what is worth saying.

        What is shown here counts as told. With --json it does not: send heartbeat.delivered.
        """
        params: dict[str, object] = {"owner": owner, "analyze": analyze, "signals_only": signals}
        with daemon(socket, config) as client:
            result = asked(client, "heartbeat.tick", params, timeout_s=_TIMEOUT_S)
            if json:
                print_json(result)
                return
            show(result, explain=explain)
            flush()
            if result.get("act_id"):
                told = {"act_id": result["act_id"], "ok": True}
                client.call("heartbeat.delivered", told, timeout_s=_TIMEOUT_S)


def show(result: dict[str, object], *, explain: bool) -> None:
    say(headline(result))
    signals = _rows(result, "signals")
    if not signals and result.get("decision_reason") == "signals_only":
        say("  no signals; what was told within the hour is none")
    for signal in signals:
        say(f"  {signal.get('tier')}  {_short(signal.get('title'))}  [{signal.get('check')}]")
    if explain:
        _explain(result)
    if result.get("message"):
        say()
        say(str(result["message"]))


def headline(result: dict[str, object]) -> str:
    """One line: whether it speaks, and why."""
    reason = str(result.get("decision_reason"))
    verdict = "speaks" if result.get("should_act") else "says nothing"
    return f"{verdict}: {WHY.get(reason, reason)} ({reason})"


def _explain(result: dict[str, object]) -> None:
    for title, name in DETAILS:
        value = result.get(name)
        say(f"{title}: {'-' if value in (None, '') else value}")
    for one in _rows(result, "related_context"):
        memory = one.get("memory")
        content = memory.get("content") if isinstance(memory, dict) else ""
        say(f"related to {one.get('signal_id')}: {_short(content)} ({one.get('age')})")
    for title, name in (
        ("graph", "graph_context"),
        ("problem", "problems"),
        ("given up", "dropped"),
    ):
        found = result.get(name)
        for line in found if isinstance(found, list) else ():
            say(f"{title}: {line}")


def _rows(result: dict[str, object], name: str) -> list[dict[str, object]]:
    found = result.get(name)
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def _short(text: object) -> str:
    line = flowing(str(text))
    return line if len(line) <= _CHARS else line[: _CHARS - 1] + "…"
