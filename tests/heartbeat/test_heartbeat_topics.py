"""The graph around a tick's topics, as lines."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recalld.heartbeat.graphport import NO_GRAPH, Entity, Neighbour
from recalld.heartbeat.policy import DECISION_RELATIONS
from recalld.heartbeat.topics import (
    IN_ALL,
    MAX_LINE_CHARS,
    MAX_TOPICS,
    PER_ENTITY,
    graph_lines,
    topics,
)

REDIS = Entity(name="Redis", type="tool")


def tied(
    name: str, relation: str = "runs_on", *, strength: float = 0.5, outward: bool = True
) -> Neighbour:
    entity = Entity(name=name, type="host")
    return Neighbour(entity=entity, relation=relation, outward=outward, strength=strength)


def lines(*neighbours: Neighbour) -> tuple[str, ...]:
    return graph_lines({REDIS: neighbours}, DECISION_RELATIONS)


def test_s1_18_a_line_reads_in_the_direction_of_the_relation():
    assert lines(tied("prod-3")) == ("Redis (tool) → runs_on → prod-3 (host)",)
    assert lines(tied("prod-3", outward=False)) == ("prod-3 (host) → runs_on → Redis (tool)",)


@pytest.mark.parametrize("written", ["runs_on", "RUNS_ON", "Runs On", "runs-on"])
def test_s1_17_relations_are_compared_in_any_case(written: str):
    assert len(lines(tied("prod-3", written))) == 1
    assert len(graph_lines({REDIS: [tied("prod-3")]}, [written])) == 1


@pytest.mark.parametrize(
    "relation",
    ["married_to", "lives_in", "friend_of", "knows", "invited_by", "associated_with", "related_to"],
)
def test_s1_17_family_residence_and_company_explain_no_decision(relation: str):
    assert lines(tied("prod-3", relation)) == ()


def test_s1_16_both_ends_tell_one_relation_once():
    host = Entity(name="prod-3", type="host")
    back = Neighbour(entity=REDIS, relation="runs_on", outward=False, strength=0.9)
    found = graph_lines({REDIS: [tied("prod-3")], host: [back]}, DECISION_RELATIONS)
    assert found == ("Redis (tool) → runs_on → prod-3 (host)",)


def test_s1_18_the_strongest_come_first_five_of_an_entity_and_fifteen_in_all():
    many = {
        Entity(name=f"tool {at}", type="tool"): [
            tied(f"host {at}.{n}", strength=n / 10) for n in range(8)
        ]
        for at in range(4)
    }
    found = graph_lines(many, DECISION_RELATIONS)
    assert len(found) == IN_ALL
    assert sum("tool 0 " in line for line in found) <= PER_ENTITY
    assert all(".7" in line for line in found[:4])
    assert not any(".2 " in line for line in found)


def test_equal_strengths_and_none_at_all_are_in_order_of_their_lines():
    odd = [tied("b", strength=math.nan), tied("c"), tied("a", strength=math.nan), tied("d")]
    assert [line[-8] for line in lines(*odd)] == ["c", "d", "a", "b"]
    assert lines(*odd) == lines(*reversed(odd))


@given(st.text(max_size=300), st.text(max_size=300), st.booleans())
def test_s1_28_any_name_makes_one_short_line(name: str, kind: str, outward: bool):
    told = graph_lines({Entity(name=name, type=kind): [tied(name, outward=outward)]}, ["runs_on"])
    assert len(told) == 1
    assert len(told[0]) <= MAX_LINE_CHARS
    assert len(told[0].splitlines()) == 1
    assert "→ runs_on →" in told[0]


def test_s1_30_a_topic_is_looked_around_once_whatever_its_case():
    named = [Entity(name=name, type="tool") for name in ("Redis", "redis", " ", "Kafka", "")]
    assert [one.name for one in topics(named)] == ["Redis", "Kafka"]
    assert len(topics(Entity(name=str(at), type="tool") for at in range(50))) == MAX_TOPICS


async def test_s1_29_without_graph_memory_nothing_is_known():
    assert await NO_GRAPH.entities_of("default", ["m"]) == ()
    assert await NO_GRAPH.neighbours("default", REDIS) == ()
