"""The knobs of asking a language model."""

from recalld.recall.policy import Policy


class LlmPolicy(Policy, frozen=True, kw_only=True):
    """The ``[llm]`` table. Off: a key set for something else must not send text out."""

    enabled: bool = False
