"""What trusting a hit adds to a prompt: its calibrated score, its file looked at, what was shown.

The scores and the ledger are timed alone in this process, on what the searches of the very prompt
found; the look at the files is the daemon's own note of it. They are set against the rest of the
same prompt, asked over the socket in turn with them.
"""

import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from itertools import count
from statistics import median

from bench.perf.lines import Line, median_ms, median_ratio
from bench.perf.measures import warm_up
from bench.perf.parts import Noted
from bench.perf.talk import Result, prompt_line, timed
from recalld.recall.ledger import Ledger, is_repeated
from recalld.recall.record import Recall
from recalld.search.examined import Examined
from recalld.search.features import features
from recalld.search.flow import load_coefficients
from recalld.search.policy import SearchPolicy
from recalld.search.relevance import Candidates, judge_together
from support.daemon import Peer

NOW = datetime(2026, 1, 1, tzinfo=UTC)
LEDGER_TURNS = 10
POLICY = SearchPolicy()


def judging(peer: Peer, noted: Noted, prompts: Sequence[str]) -> list[Line]:
    """Of the prompts that show something: the three together against all the rest."""
    warm_up(peer, prompts)
    alone = Alone()
    parts: list[tuple[float, float, float]] = []
    pairs: list[tuple[float, float]] = []
    for text in (*prompts, *prompts):
        took_s, result = timed(peer, prompt_line(text))
        check_s = _check_s(result)
        if check_s is None:
            continue
        scores_s = sum(alone.scores_s(one) for one in noted.examined[text])
        ledger_s = alone.ledger_s(noted.seen[text])
        added_s = scores_s + check_s + ledger_s
        parts.append((scores_s, check_s, ledger_s))
        pairs.append((added_s, took_s - added_s))
    scores, check, ledger = (median_ms(times) for times in zip(*parts, strict=True))
    rest = median([rest_s for _, rest_s in pairs]) * 1_000
    return [
        Line(
            name="yes: score, freshness and ledger / the rest",
            value=median_ratio(pairs),
            at_most=0.10,
            detail=f"({scores:.2f} scores + {check:.2f} files + {ledger:.2f} ledger) / "
            f"{rest:.2f} ms, n={len(pairs)}",
        )
    ]


def _check_s(result: Result) -> float | None:
    """None where nothing came so far that its file was looked at."""
    took = [stage["took_ms"] for stage in result["stages"] if stage["name"] == "check"]
    return took[0] / 1_000 if took else None


class Alone:
    """The scores and the ledger with nothing around them."""

    def __init__(self) -> None:
        self._coefficients = load_coefficients("usem3")
        self._ledger = Ledger()
        self._turns = count()

    def scores_s(self, one: Examined) -> float:
        """From what both legs found to raw scores."""
        return _took_s(partial(self._judge, one))

    def _judge(self, one: Examined) -> None:
        found = features(one.corpus, one.question, one.fusion, evidence=one.evidence, policy=POLICY)
        judge_together((Candidates(features=found, coefficients=self._coefficients),))

    def ledger_s(self, seen: Recall) -> float:
        """One prompt of a session that was shown something else ``LEDGER_TURNS`` times."""
        block = seen.injection
        assert block is not None
        told = [
            (hit.found.uid, text) for hit, text in zip(block.shown, block.snippets, strict=True)
        ]
        return _took_s(partial(self._tell, told))

    def _tell(self, told: Sequence[tuple[str, str]]) -> None:
        shown = self._ledger.next_prompt("bench", turns=LEDGER_TURNS)
        for key, text in told:
            is_repeated(key, text, shown)
        self._ledger.note("bench", told)


def _took_s(work: Callable[[], object]) -> float:
    began_s = time.perf_counter()
    work()
    return time.perf_counter() - began_s
