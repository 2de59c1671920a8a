"""What is better than at the last act."""

from collections.abc import Iterator
from datetime import timedelta

from recalld.heartbeat.finding import Found, Label, days, rounded, told
from recalld.heartbeat.goals import goals
from recalld.heartbeat.model import Check, Signal, Snapshot, State, Tier
from recalld.heartbeat.mood import CHANGE, mood
from recalld.heartbeat.silence import last_mentions
from recalld.heartbeat.wording import prefers_chinese, title

LABEL = Label("positive_deltas", Tier.NORMAL)

SILENT_DAYS = 7.0


def _find(snapshot: Snapshot) -> tuple[Signal, ...]:
    """Plans that went on, then entities that are back, then the mood; none before a first act."""
    last = snapshot.last_state
    if last is None:
        return ()
    found = [*_goals(snapshot, last), *_entities(snapshot, last), *_sentiment(snapshot, last)]
    return told(snapshot, LABEL, found)


def _goals(snapshot: Snapshot, last: State) -> Iterator[Found]:
    for goal in goals(snapshot):
        before = last.goals.get(goal.plan.id)
        if before is not None and goal.share > before:
            yield Found(
                key=goal.plan.id,
                title=title("goal_improved", goal.plan.content),
                memories=(goal.plan,),
                detail={
                    "kind": "goal_improved",
                    "progress": rounded(goal.share),
                    "before": rounded(before),
                },
            )


def _entities(snapshot: Snapshot, last: State) -> Iterator[Found]:
    were_silent = {name for name, before in last.silent_days.items() if before > SILENT_DAYS}
    mentions = last_mentions(snapshot) if were_silent else {}
    for name in sorted(were_silent & mentions.keys()):
        memory, before = mentions[name], last.silent_days[name]
        silent = days(snapshot.now - memory.created_at)
        if silent < before / 2:
            yield Found(
                key=f"entity:{name}",
                title=title("entity_reengaged", name, span=timedelta(days=before)),
                memories=(memory,),
                detail={
                    "kind": "entity_reengaged",
                    "entity": name,
                    "days_silent": silent,
                    "days_silent_before": rounded(before),
                },
            )


def _sentiment(snapshot: Snapshot, last: State) -> Iterator[Found]:
    felt = mood(snapshot)
    if felt is not None and felt.recent - last.sentiment > CHANGE:
        yield Found(
            key="sentiment",
            title=title("sentiment_improved", "", chinese=prefers_chinese(snapshot)),
            detail={
                "kind": "sentiment_improved",
                "sentiment": rounded(felt.recent),
                "before": rounded(last.sentiment),
            },
        )


CHECK = Check(name=LABEL.name, tier=LABEL.tier, find=_find)
