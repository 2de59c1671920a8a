"""Messages that only their conversation explains, put to stores that know nothing of it.

What such a message finds there is chance. Each goes through the whole pipeline, so a message that
the gate sends on without a probe counts as soon as it would inject something.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from recalld.budget import Run
from recalld.embed.port import Embedder
from recalld.evaluate.gate_eval import Message
from recalld.evaluate.world import World
from recalld.recall.flow import MessageEmbedder
from recalld.recall.gate_extended import extended_stage
from recalld.recall.model import Prompt
from recalld.recall.pipeline import Ports, recall
from recalld.recall.policy import GraphMemoryPolicy, RecallPolicy
from recalld.recall.record import GateStatus, Recall
from recalld.recall.rules import rules_of

UNCERTAIN = "uncertain"
# Nobody waits; a late search would count as one that found nothing.
PATIENT_MS = 60_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Probed:
    """Of ``n`` messages put to the groups of one set, one by one, how many ``passed``."""

    store: str
    n: int
    passed: int


async def probe_stores(
    world: World, messages: Iterable[Message], *, embedder: Embedder, policy: RecallPolicy
) -> tuple[Probed, ...]:
    """Every message labelled uncertain, in every group of every set; by set, in their order."""
    uncertain = [one for one in messages if one.label == UNCERTAIN]
    ports = Ports(
        searcher=world.searcher,
        sparse=world.index.searchers.sparse,
        rules=rules_of(extended_stage(embedder.identity)),
        embed=MessageEmbedder(embedder),
    )
    passed: dict[str, list[bool]] = defaultdict(list)
    for (name, group), placed in world.groups.items():
        for message in uncertain:
            prompt = Prompt(
                text=message.text,
                at=placed.last,
                session_key=f"{name}/{group}/{message.id}",
                workspace_id=placed.workspace_id,
            )
            passed[name].append(await _passes(prompt, ports, policy))
    return tuple(
        Probed(store=name, n=len(found), passed=sum(found)) for name, found in passed.items()
    )


async def _passes(prompt: Prompt, ports: Ports, policy: RecallPolicy) -> bool:
    fresh = Recall(prompt=prompt, policy=policy, graph=GraphMemoryPolicy(), total_ms=PATIENT_MS)
    seen = await recall(fresh, run=Run(PATIENT_MS), ports=ports)
    return seen.gate_status is GateStatus.BGE_PROBE_PASS or seen.injection is not None
