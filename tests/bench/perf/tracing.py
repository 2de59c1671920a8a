"""Tracing on against off, in one daemon that is told to change.

Two daemons will not do: with the same settings their medians lie 2 to 18 percent apart. Each
round asks the same messages with tracing on and off, the order changing from round to round. A
round is longer than the writer lets traces gather, so what it takes from answers is seen, and a
pause after it keeps it out of the other's times.
"""

from collections.abc import Iterator, Sequence
from itertools import cycle, islice
from threading import Event

from bench.perf.lines import Line, median_ms, median_ratio, quantile_ms
from bench.perf.measures import warm_up
from bench.perf.messages import PLAIN_NO
from bench.perf.talk import prompt_line, seconds, timed
from support.daemon import Peer, Process

# What else the machine does only ever adds to a 99th percentile, and more to some than to others:
# each side's is that of its quietest round.
NO_ROUNDS, NO_EACH = 12, 1_600
YES_ROUNDS, YES_EACH = 6, 100
PAUSE_S = 0.4

Times = list[float]


def tracing(process: Process, questions: Sequence[str]) -> Iterator[Line]:
    """Of each kind of message the median of paired ratios and how far the 99th percentile moves."""
    with process.peer() as peer:
        for name, messages, rounds, each in (
            ("no", PLAIN_NO, NO_ROUNDS, NO_EACH),
            ("yes", questions, YES_ROUNDS, YES_EACH),
        ):
            warm_up(peer, messages)
            texts = list(islice(cycle(messages), each))
            taken = [_round(process, peer, texts, first=bool(n % 2)) for n in range(rounds)]
            yield from _lines(name, taken)


def _lines(name: str, rounds: Sequence[tuple[Times, Times]]) -> Iterator[Line]:
    on, off = ([time_s for one in rounds for time_s in one[side]] for side in (0, 1))
    pairs = list(zip(on, off, strict=True))
    yield Line(
        name=f"tracing on / off, {name}",
        value=median_ratio(pairs),
        at_most=1.05,
        detail=f"{median_ms(on):.3f} ms / {median_ms(off):.3f} ms, n={len(pairs)}",
    )
    on_ms, off_ms = (min(quantile_ms(one[side], 0.99) for one in rounds) for side in (0, 1))
    yield Line(
        name=f"tracing, {name}: p99 moves by",
        value=on_ms - off_ms,
        unit="ms",
        at_most=5.0,
        detail=f"{on_ms:.2f} ms / {off_ms:.2f} ms, quietest of {len(rounds)} rounds; "
        f"all: {quantile_ms(on, 0.99):.2f} ms / {quantile_ms(off, 0.99):.2f} ms",
    )


def _round(
    process: Process, peer: Peer, texts: Sequence[str], *, first: bool
) -> tuple[Times, Times]:
    """Times with tracing on, and off; ``first``: on first."""
    times: dict[bool, Times] = {}
    for enabled in (first, not first):
        (process.state.parent / "config.toml").write_text(
            f"[trace]\nenabled = {str(enabled).lower()}\n", encoding="utf-8"
        )
        peer.result("config.reload")
        if bool(timed(peer, prompt_line(texts[0]))[1].get("trace_id")) is not enabled:
            raise RuntimeError("the daemon does not do as its settings say")
        times[enabled] = [seconds(peer, prompt_line(text)) for text in texts]
        Event().wait(PAUSE_S)
    return times[True], times[False]
