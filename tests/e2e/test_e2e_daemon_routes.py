"""``search`` with named routes, over the socket."""

from support.daemon import running

NO_ENGINE = '[embed]\nengine = "none"\n'


def test_search_runs_the_routes_it_is_told_and_names_a_near_miss(tmp_path):
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "a.md").write_text("The turbine plan was a decision of May.\n", encoding="utf-8")
    with running(tmp_path / "home", workspaces=[notes], config=NO_ENGINE) as daemon:
        daemon.call("index.sync")
        query = {"query": "when was the turbine plan decided?", "explain": True}
        told = daemon.call("search", **query, routes=["literal", "det:axis"])
        assert set(told["explain"]) == {"literal", "det:axis"}
        (hit,) = told["hits"]
        assert (hit["routes"], hit["route_hits"]) == (["literal", "det:axis"], 2)
        assert set(daemon.call("search", **query)["explain"]) == {"literal"}
        assert daemon.call("search", **query, routes=[])["hits"] == []
        with daemon.peer() as peer:
            error = peer.ask("search", query="x", routes=["literal", "axis"])["error"]
    assert (error["code"], error["data"]["key"]) == (-32602, "params.routes[1]")
    assert "did you mean det:axis?" in error["data"]["problem"]
