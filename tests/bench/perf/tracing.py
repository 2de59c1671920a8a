"""Tracing on against off: two daemons on copies of one index, asked in turn.

The same message goes to both, one right after the other, in changing order: whatever else the
machine does meets both alike. The traces of the one are written all the while, so what their
writer takes from the next answers is in its times.
"""

from collections.abc import Iterator, Sequence
from itertools import cycle, islice

from bench.perf.lines import Line, median_ms, median_ratio, quantile_ms
from bench.perf.measures import warm_up
from bench.perf.messages import PLAIN_NO
from bench.perf.talk import prompt_line, seconds
from support.daemon import Peer

# What else the machine does only ever adds to a 99th percentile, and more to some than to others:
# each side's is that of its quietest round.
NO_ROUNDS, NO_EACH = 7, 600
YES_ROUNDS, YES_EACH = 5, 100


def tracing(on: Peer, off: Peer, questions: Sequence[str]) -> Iterator[Line]:
    """Of each kind of message the median of paired ratios and how far the 99th percentile moves."""
    for name, messages, rounds, each in (
        ("no", PLAIN_NO, NO_ROUNDS, NO_EACH),
        ("yes", questions, YES_ROUNDS, YES_EACH),
    ):
        for peer in (on, off):
            warm_up(peer, messages)
        texts = list(islice(cycle(messages), each))
        taken = [_round(on, off, texts) for _ in range(rounds)]
        pairs = [pair for one in taken for pair in one]
        traced, plain = zip(*pairs, strict=True)
        yield Line(
            name=f"tracing on / off, {name}",
            value=median_ratio(pairs),
            at_most=1.05,
            detail=f"{median_ms(traced):.3f} ms / {median_ms(plain):.3f} ms, n={len(pairs)}",
        )
        quiet_on_ms, quiet_off_ms = (
            min(quantile_ms([pair[side] for pair in one], 0.99) for one in taken) for side in (0, 1)
        )
        yield Line(
            name=f"tracing, {name}: p99 moves by",
            value=quiet_on_ms - quiet_off_ms,
            unit="ms",
            at_most=5.0,
            detail=f"{quiet_on_ms:.2f} ms / {quiet_off_ms:.2f} ms, quietest of {rounds} rounds; "
            f"all: {quantile_ms(traced, 0.99):.2f} ms / {quantile_ms(plain, 0.99):.2f} ms",
        )


def _round(on: Peer, off: Peer, texts: Sequence[str]) -> list[tuple[float, float]]:
    pairs = []
    for number, text in enumerate(texts):
        line = prompt_line(text)
        if number % 2:
            traced, plain = seconds(on, line), seconds(off, line)
        else:
            plain, traced = seconds(off, line), seconds(on, line)
        pairs.append((traced, plain))
    return pairs
