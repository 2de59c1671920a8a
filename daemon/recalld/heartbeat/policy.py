"""The knobs of the heartbeat and of typed memories."""

from typing import Annotated, Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from msgspec import Meta

from recalld.recall.policy import Policy

Hour = Annotated[str, Meta(pattern=r"^(?:[01]\d|2[0-3]):[0-5]\d\Z")]
Text = Annotated[str, Meta(min_length=1, max_length=4_096)]

# What ties a topic to a decision or an outcome; not family, residence, friendship, or mere
# company.
DECISION_RELATIONS = (
    "works_on", "depends_on", "maintained_with", "runs_on", "targets", "installed_on", "uses",
    "owns", "develops", "prefers", "published_on", "manages", "reports_to", "works_with",
    "recommended_by", "decided_by", "resolved_by", "fixed_by", "caused_by", "blocks",
    "blocked_by", "supersedes", "assigned_to", "part_of",
)  # fmt: skip


class QuietPolicy(Policy, frozen=True, kw_only=True):
    """Hours in which only what is immediate may pass. The start is quiet, the end is not."""

    enabled: bool = False
    start: Hour = "23:00"
    end: Hour = "07:00"


class DeliveryPolicy(Policy, frozen=True, kw_only=True):
    """How acts of the scheduler reach the user, beside subscribers. Empty: not by a command."""

    # {message} and {owner} are replaced; run without a shell.
    command: tuple[Text, ...] = ()
    timeout_s: Annotated[int, Meta(ge=1, le=300)] = 30


class HeartbeatPolicy(Policy, frozen=True, kw_only=True):
    """The ``[heartbeat]`` table."""

    # The daemon ticks by itself; hosts may tick whether or not it does.
    scheduled: bool = False
    autonomy: Literal["observe", "suggest", "act"] = "suggest"
    # The user's zone; empty: this machine's.
    timezone: Annotated[str, Meta(max_length=64)] = ""
    quiet: QuietPolicy = QuietPolicy()
    # local: related memories are attached without a model. off: only where one is asked.
    link: Literal["local", "off"] = "local"
    # Ask a language model on acts of the scheduler. Also needs llm.enabled.
    analyze: bool = False
    base_interval_s: Annotated[int, Meta(ge=60, le=3_600)] = 300
    max_messages_per_day: Annotated[int, Meta(ge=0, le=1_000)] = 12
    max_llm_calls_per_day: Annotated[int, Meta(ge=0, le=1_000)] = 24
    delivery: DeliveryPolicy = DeliveryPolicy()
    # Plans, decisions, outcomes and preferences heard in turns: off, suggest or on.
    propose: Literal["off", "suggest", "on"] = "off"
    # Relations that tie a topic to a decision, any case.
    decision_relations: tuple[Annotated[str, Meta(min_length=1, max_length=64)], ...] = (
        DECISION_RELATIONS
    )
    # Hosts that get heartbeats when a session starts: claude-code, codex.
    session_start_hosts: tuple[Text, ...] = ()
    # Test reports to watch, as globs in a workspace (JUnit XML).
    test_reports: tuple[Text, ...] = ("**/junit*.xml", "**/TEST-*.xml")

    def __post_init__(self) -> None:
        if self.timezone:
            try:
                ZoneInfo(self.timezone)
            except (ZoneInfoNotFoundError, ValueError) as error:
                raise ValueError(f"timezone: {self.timezone!r} is no time zone") from error
