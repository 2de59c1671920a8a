"""A recall service over fakes, with a real sink behind it."""

from dataclasses import dataclass, field
from pathlib import Path

import orjson

from recalld.counters import Counters
from recalld.llm.model import Chat
from recalld.llm.policy import LlmPolicy
from recalld.recall.flow import RecallService, RecallSettings, RecallWorld
from recalld.recall.ids import TraceIds
from recalld.recall.model import RecallResult
from recalld.recall.pipeline import Ports
from recalld.recall.policy import GraphMemoryPolicy, RecallPolicy, TracePolicy
from recalld.recall.sink import open_sink
from support.recall_world import FakeGate, FakeSearcher, hit, prompt


@dataclass(kw_only=True)
class Settings:
    recall: RecallPolicy = field(default_factory=RecallPolicy)
    trace: TracePolicy = field(default_factory=TracePolicy)
    graph_memory: GraphMemoryPolicy = field(default_factory=GraphMemoryPolicy)
    llm: LlmPolicy = field(default_factory=LlmPolicy)


@dataclass(kw_only=True)
class House:
    """A service over fakes, with everything it told anybody."""

    root: Path
    searcher: FakeSearcher = field(default_factory=lambda: FakeSearcher(hits=(hit(),)))
    gate: FakeGate = field(default_factory=FakeGate)
    chat: Chat | None = None
    settings: RecallSettings = field(default_factory=Settings)
    counters: Counters = field(default_factory=Counters)
    told: list[RecallResult] = field(default_factory=list)
    now_ms: int = 1_000

    def service(self, sink):
        ports = Ports(searcher=self.searcher, rules=self.gate.rules(), chat=self.chat)
        return RecallService(
            RecallWorld(
                ports=ports,
                settings=lambda: self.settings,
                sink=sink,
                counters=self.counters,
                ids=TraceIds(now_ms=lambda: self.now_ms, chance=lambda _: 7),
                roots=lambda: (str(self.root),),
                on_recall=self.told.append,
            )
        )

    def prompt(self, text="what did we decide?", **changes):
        return prompt(text, workspace_root=str(self.root), **changes)

    def open_sink(self):
        return open_sink(state_dir=self.root, counters=self.counters)

    def lines(self):
        path = self.root / self.settings.trace.file
        return [orjson.loads(line) for line in path.read_bytes().splitlines()]
