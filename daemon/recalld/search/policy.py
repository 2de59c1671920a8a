"""Every constant of search, with its reason. One setting for all languages and kinds of text.

Figures are Hit@1 on dialogue, encyclopedia and documentation questions in English and Chinese.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchPolicy:
    """How one search looks, fuses and judges. Not configurable: the raw score is fitted to it."""

    # A longer question is a pasted text; what is asked stands at its ends.
    query_chars: int = 400
    query_head_chars: int = 180

    # own, prev, next, head. A match in a neighbour says "near here" only.
    column_weights: tuple[float, float, float, float] = (1.0, 0.4, 0.3, 1.0)
    # Beyond this rank no lexical hit reached the first thirty after fusion.
    lexical_best: int = 200

    # A word of the corpus is near a word of the question from this cosine on, centred on the
    # vocabulary's mean; below it neighbours are words of the same kind, not of the same thing.
    neighbour_cosine: float = 0.6
    neighbours_per_term: int = 2
    # Words of the question and substrings of a CJK one that are looked up, the shortest first.
    # .3 ms each to embed; 40 find no more than 24.
    max_terms: int = 24
    max_expansion: int = 24
    # +.03 for Chinese questions on English pages; no effect within one language.
    expansion_weight: float = 0.2
    # The vocabulary that is embedded: the words in most chunks. 20,000 words are 20 MB.
    max_vocabulary: int = 20_000
    # CJK questions look up words only where this share of the chunks is not CJK.
    min_latin_share: float = 0.02

    # The chunk before and after, inside a file: +.016 in dialogue.
    previous_weight: float = 0.25
    next_weight: float = 0.15
    # Cosine with "file name. title": +.03 on documentation.
    head_weight: float = 0.5

    # .5 and .7 are .01 worse: flat.
    lexical_weight: float = 0.6
    # The best chunks of the same file support each other: Recall@5 +.02 to +.04.
    support_weight: float = 0.5
    support_decay: tuple[float, ...] = (1.0, 0.5, 0.25)
    support_pool: int = 400
    # A question that names one speaker is not answered by another: +.09 in dialogue. .25: +.08.
    other_speaker_penalty: float = 0.4

    # The dense leg takes part once this share of the windows is embedded: over a part of the
    # corpus its best is no best.
    min_embedded_share: float = 0.9

    # The judged candidates. Fitted on 60 or 100, dialogue loses .01.
    candidates: int = 30
    max_candidates: int = 100
    # A word that stands in a neighbour only counts half in coverage.
    neighbour_coverage: float = 0.5
    both_legs_rank: int = 3

    # For a candidate of the days that a question names (yesterday, 三天前). In an experiment with
    # absolute dates as well, dated questions gained .03 to .13; .3 costs: a note may tell of
    # another day than its own.
    day_weight: float = 0.2

    # The embedder answers in 3 to 10 ms; one that takes this long is stuck or starved, and the
    # lexical answer is needed in time.
    embed_limit_ms: int = 700
    # One read with two full-text queries; 31 ms at 50,000 chunks (p95).
    lexical_limit_ms: int = 1_200
    scan_limit_ms: int = 800
    details_limit_ms: int = 600
    # A search waits this long for chunks that were just written.
    refresh_limit_ms: int = 150
    # Windows embedded before the corpus is rebuilt with them: half a second to two.
    embed_round: int = 512
    # After the store or the engine failed.
    retry_s: float = 2.0
    # A batch takes a tenth of a second; whoever waits for an engine that does none gives up.
    stall_s: float = 60.0
    # How often vectors without a text are looked for.
    sweep_s: float = 3_600.0
    # The whole of one search; below the 2,200 ms of a query route.
    total_ms: int = 2_100

    def __post_init__(self) -> None:
        if self.query_head_chars >= self.query_chars:
            raise ValueError("query_head_chars must be below query_chars")
        if not 0.0 <= self.lexical_weight <= 1.0:
            raise ValueError("lexical_weight must be in [0, 1]")
