"""The promises, each measured as a ratio of times taken in turn over one connection."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import cycle, islice
from statistics import median

from bench.perf.lines import Line, median_ms, median_ratio, quantile_ms
from bench.perf.messages import OPEN_NO, PLAIN_NO, SMALL_TALK
from bench.perf.parts import Alone, Cost, Noted
from bench.perf.talk import PING, prompt_line, seconds, stages, timed
from support.daemon import Peer

WARM_UP = 30
NO_ROUNDS = 400
OPEN_ROUNDS = 300
EXTENDED = "gate.extended"


def _embed_calls(peer: Peer) -> int:
    counters: dict[str, int] = peer.result("status")["counters"]
    return counters.get("embed.calls", 0)


def warm_up(peer: Peer, messages: Sequence[str]) -> None:
    for text in islice(cycle(messages), WARM_UP):
        seconds(peer, PING)
        seconds(peer, prompt_line(text))


def plain_no(peer: Peer, name: str, messages: Sequence[str]) -> list[Line]:
    """A message that the rules turn down, against a ping. It must not reach the engine."""
    warm_up(peer, messages)
    calls = _embed_calls(peer)
    pairs = []
    for text in islice(cycle(messages), NO_ROUNDS):
        ping_s = seconds(peer, PING)
        took_s, result = timed(peer, prompt_line(text))
        if result["status"] != "skipped_not_needed" or stages(result):
            raise RuntimeError(f"not a plain no: {text!r}: {result['status']}")
        pairs.append((took_s, ping_s))
    took_ms, ping_ms = (median_ms(times) for times in zip(*pairs, strict=True))
    return [
        Line(
            name=f"{name} / ping",
            value=median_ratio(pairs),
            at_most=3.0,
            detail=f"{took_ms:.3f} ms / {ping_ms:.3f} ms, n={len(pairs)}",
        ),
        Line(name=f"{name}: embeddings", value=_embed_calls(peer) - calls, at_most=0.0),
    ]


def small_talk(peer: Peer) -> list[Line]:
    return plain_no(peer, "nothing, thanks or hello", SMALL_TALK)


def no(peer: Peer) -> list[Line]:
    return plain_no(peer, "no by the rules", PLAIN_NO)


def extended_no(peer: Peer, alone: Alone) -> list[Line]:
    """A message that the engine is asked about and that stays a no."""
    staying = [text for text in OPEN_NO if _stays_no(peer, text)]
    warm_up(peer, staying)
    calls = _embed_calls(peer)
    pairs, parts = [], []
    for text in islice(cycle(staying), OPEN_ROUNDS):
        ping_s = seconds(peer, PING)
        took_s = seconds(peer, prompt_line(text))
        embed_s = alone.embed_s(text)
        pairs.append((took_s, 3 * ping_s + embed_s))
        parts.append((took_s, ping_s, embed_s))
    took_ms, ping_ms, embed_ms = (median_ms(times) for times in zip(*parts, strict=True))
    return [
        Line(
            name="no by the extended stage / (3 pings + embedding)",
            value=median_ratio(pairs),
            at_most=1.0,
            detail=f"{took_ms:.3f} ms / (3 x {ping_ms:.3f} + {embed_ms:.3f} ms), n={len(pairs)}",
        ),
        Line(
            name="embeddings a message of these",
            value=(_embed_calls(peer) - calls) / len(pairs),
            detail=f"{len(staying)} of {len(OPEN_NO)} messages stay a no",
        ),
    ]


def _stays_no(peer: Peer, text: str) -> bool:
    result = timed(peer, prompt_line(text))[1]
    return result["status"] == "skipped_not_needed" and EXTENDED in stages(result)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One question over the socket and its parts alone."""

    took_s: float
    cost: Cost
    searches: int
    shown: int


def yes(peer: Peer, alone: Alone, noted: Noted, prompts: Sequence[str]) -> list[Line]:
    """A question in balanced depth against its embeddings, its FTS queries and its scans."""
    warm_up(peer, prompts)
    asked, unlike = [], 0
    for text in (*prompts, *prompts):
        took_s, result = timed(peer, prompt_line(text))
        if result["decision"]["depth"] != "balanced" or result["status"] not in (
            "ok",
            "low_quality",
        ):
            raise RuntimeError(f"not answered: {text!r}: {result['status']}")
        cost = alone.cost(text)
        if sorted(stages(result)) != sorted(noted.work[text].stages):
            unlike += 1
            continue
        asked.append(
            Asked(
                took_s=took_s,
                cost=cost,
                searches=len(stages(result)),
                shown=len(result["hits"]),
            )
        )
    took, embed, fts, scan = (
        median_ms(times)
        for times in zip(
            *((a.took_s, a.cost.embed_s, a.cost.fts_s, a.cost.scan_s) for a in asked), strict=True
        )
    )
    detail = (
        f"{took:.2f} ms / ({embed:.2f} embed + {fts:.2f} fts + {scan:.2f} scan), n={len(asked)}"
    )
    return [
        Line(
            name="yes, balanced / its parts",
            value=median_ratio([(a.took_s, a.cost.total_s) for a in asked]),
            at_most=3.0,
            detail=detail,
        ),
        *(
            Line(
                name=f"yes, balanced / its parts, {count} search{'es' * (count > 1)}",
                value=median_ratio([(a.took_s, a.cost.total_s) for a in some]),
                at_most=3.0,
                detail=f"n={len(some)}",
            )
            for count in sorted({a.searches for a in asked})
            for some in [[a for a in asked if a.searches == count]]
        ),
        Line(
            name="yes, balanced: p99",
            value=quantile_ms([a.took_s for a in asked], 0.99),
            unit="ms",
            detail=f"{median(a.searches for a in asked):g} searches; "
            f"{sum(bool(a.shown) for a in asked)}/{len(asked)} inject; {unlike} left out",
        ),
    ]
