"""Every constant of search, with its reason. One setting for all languages and kinds of text.

Figures are Hit@1 on dialogue, encyclopedia and documentation questions in English and Chinese.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class NewerPolicy:
    """When a newer statement goes before an older one; see ``newer``."""

    # Only the first places are worth an order.
    first: int = 5
    # Of nearly the same likelihood (log-odds), holding the same words, about the same thing.
    restated_gap: float = 1.0
    restated_overlap: float = 0.5
    restated_cosine: float = 0.3
    # The new value often shares fewer words with the question. A gap of 6 finds more and loses
    # questions about something else.
    changed_gap: float = 3.0
    changed_cosine: float = 0.35


@dataclass(frozen=True, slots=True, kw_only=True)
class SecondRound:
    """The small rules on top of the two legs, each with its switch. Off: rule and feature.

    The coefficients are fitted with all of them on.
    """

    # A question about oneself is not answered by the assistant. .2 to .6 are alike.
    first_person: bool = True
    assistant_penalty: float = 0.4

    # A turn that asks is no evidence: multi-hop Hit@1 +.06. .2 costs .04 in chats.
    question_turns: bool = True
    asking_penalty: float = 0.1

    # For chunks of the time that a question names: dated questions gain .03 to .13. .3 costs: a
    # note may tell of another day than its own.
    time_window: bool = True
    window_weight: float = 0.2

    # The lead of somebody else than the named person counts against an answer, among so many.
    wrong_person: bool = True
    wrong_person_candidates: int = 40

    newer_first: bool = True
    newer: NewerPolicy = NewerPolicy()

    # In a search over several workspaces the asker's own goes first. Taken from the log-odds of
    # the others, so that a threshold means the same at home. All sets at once, mean Hit@1 and
    # Recall@5: .36/.60 without, .62/.80 with 2, .63/.84 with 3, .64/.86 with 6, a wall in all but
    # name.
    scope_bonus: bool = True
    scope_log_odds: float = 3.0


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
    # A third one: Chinese questions on English pages +.03, nothing elsewhere.
    neighbours_per_term: int = 3
    # Words of the question and substrings of a CJK one that are looked up, the shortest first.
    # .3 ms each to embed; 40 find no more than 24.
    max_terms: int = 24
    max_expansion: int = 24
    # +.03 for Chinese questions on English pages; no effect within one language. .2 to .4: flat.
    expansion_weight: float = 0.25
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

    second: SecondRound = SecondRound()

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
