"""The raw score of an engine nobody has calibrated here: its cosine. Pure."""

from recalld.search.features import FEATURES, column
from recalld.search.relevance import (
    ANCHOR_SCORES,
    QUESTION_FEATURES,
    Coefficients,
    Provenance,
)

# c = slope x cosine + bias, mapped back through the anchors, is the cosine of the best hit. The
# others get exp(slope x difference) of it, which is their cosine to .01 in .5 to .9.
_SLOPE, _BIAS = 1.5, -10.0

PROVENANCE = Provenance(
    fitted_on="nothing",
    sources=(),
    note="seed thresholds on cosine, not calibrated: run `recalld calibrate` with the real model",
)


def cosine_coefficients(engine: str) -> Coefficients:
    """Coefficients by which the best candidate's raw score is its cosine, whatever else."""
    hit = [0.0] * len(FEATURES)
    hit[column("cos")] = _SLOPE
    low, middle, high = (_SLOPE * score + _BIAS for score in ANCHOR_SCORES)
    return Coefficients(
        engine=engine,
        provenance=PROVENANCE,
        features=FEATURES,
        hit=tuple(hit),
        hit_bias=_BIAS,
        question_features=QUESTION_FEATURES,
        question=(0.0,) * len(QUESTION_FEATURES),
        question_bias=0.0,
        question_weight=0.0,
        lead_weight=0.0,
        anchors=(low, middle, high),
        floor=0.0,
    )
