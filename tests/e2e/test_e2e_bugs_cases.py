"""The published bug cases at the real daemon: what a user would have seen go wrong."""

import json
import os
import re
import sqlite3
from contextlib import closing, contextmanager
from datetime import datetime

import pytest

from support.daemon import running
from support.e2e import until, write_notes
from support.e2e_rows import bug_case, holders
from support.faulty import EMBEDDER, NOW, PROGRAM, program_environment

LEXICAL = '[embed]\nengine = "none"\n'
TRACES = "recall-traces.jsonl"


@contextmanager
def remembering(home, notes, *, config=""):
    """A daemon over ``notes``: texts by id, each a file of its own, indexed and embedded."""
    folder = home / "notes"
    (folder / "memory").mkdir(parents=True, exist_ok=True)
    for name, text in notes.items():
        (folder / "memory" / f"{name}.md").write_text(text + "\n", encoding="utf-8")
    with running(home / "d", workspaces=[folder], config=config) as daemon:
        daemon.call("index.sync")
        yield daemon


def notes_of(case, key="notes"):
    return {note["id"]: note["text"] for note in case[key]}


def found(daemon, query):
    """Names of the files that ``search`` gives, in order, each as often as it is given."""
    hits = daemon.call("search", query=query)["hits"]
    return [hit["path"].removeprefix("memory/").removesuffix(".md") for hit in hits]


def prompted(daemon, text, **params):
    return daemon.call("session.prompt", session={"key": "agent:main:main"}, text=text, **params)


def traces_of(home):
    """Every trace of the workspace, oldest first; each line must be whole."""
    files = sorted((home / "notes" / "memory").glob(f"{TRACES}*"), reverse=True)
    files.sort(key=lambda file: -int(file.suffix[1:]) if file.suffix[1:].isdigit() else 0)
    lines = [line for file in files for line in file.read_bytes().split(b"\n") if line]
    return [json.loads(line) for line in lines]


def counter(daemon, name):
    return daemon.call("status")["counters"].get(name, 0)


def test_quoted_trigger_words_start_no_recall_and_plain_ones_do(tmp_path, eval_data):
    case = bug_case(eval_data, "bc-01")
    notes = {"n1": "We decided last time that the store keeps its rows for thirty days."}
    with remembering(tmp_path, notes) as daemon:
        result = prompted(daemon, case["message"])
        assert result["decision"]["verdict"] != "yes"
        assert result["context"] is None
        plain = prompted(daemon, "what did we decide last time about the store?")
        assert plain["decision"]["verdict"] == "yes"
        assert "thirty days" in plain["context"]


def test_acknowledgements_cost_no_search_and_say_why_they_were_skipped(tmp_path, eval_data):
    case = bug_case(eval_data, "bc-02")
    with remembering(tmp_path, {"n1": "ok thanks ping 好的 谢谢 收到"}) as daemon:
        before = counter(daemon, "search.searches")
        for text in case["messages"]:
            result = prompted(daemon, text)
            assert result["decision"]["verdict"] == "no"
            assert (result["status"], result["context"]) == ("skipped_not_needed", None)
            # No stage ran, so neither the engine nor the index was asked.
            assert (result["stages"], result["llm_calls"]) == ([], 0)
        assert counter(daemon, "search.searches") == before
        daemon.stop()
    rows = traces_of(tmp_path)
    assert [row["status"] for row in rows] == ["skipped_not_needed"] * len(case["messages"])
    assert all(row["gateReason"] for row in rows)


@pytest.mark.parametrize("name", ["bc-03", "bc-04"])
def test_what_is_typed_is_found_by_its_words_alone(tmp_path, eval_data, name):
    case = bug_case(eval_data, name)
    with remembering(tmp_path, notes_of(case), config=LEXICAL) as daemon:
        for query, wanted in case["queries"]:
            names = found(daemon, query)
            assert wanted is None or wanted in names, query


def test_a_query_without_a_searchable_term_finds_and_injects_nothing(tmp_path, eval_data):
    case = bug_case(eval_data, "bc-05")
    with remembering(tmp_path, notes_of(case)) as daemon:
        for query in case["queries"]:
            assert found(daemon, query) == [], query
            assert prompted(daemon, query)["context"] is None
            assert prompted(daemon, f"/recall {query}")["context"] is None


def test_the_best_of_a_bad_list_is_not_injected(tmp_path, eval_data):
    case = bug_case(eval_data, "bc-06")
    with remembering(tmp_path, notes_of(case)) as daemon:
        for text in (case["query"], f"what did we decide last time about the {case['query']}?"):
            assert prompted(daemon, text)["context"] is None, text
        right = prompted(daemon, "what did we decide about when the tomato seedlings go outside?")
        assert "15 May" in right["context"]


def first_of_yesterday(home, case, *, texts, zone):
    """Which note is first for the case's question, asked at its moment in ``zone``."""
    write_notes(home / "notes")  # among three notes any difference is a large one
    memory = home / "notes" / "memory"
    for file in memory.iterdir():
        os.utime(file, (0, 0))
    for note in case["notes"]:
        file = memory / f"{note['id']}.md"
        file.write_text(texts[note["id"]] + "\n", encoding="utf-8")
        written_s = datetime.fromisoformat(note["at"]).timestamp()
        os.utime(file, (written_s, written_s))
    environ = program_environment(home, TZ=zone, **{NOW: case["now"]})
    folders = [home / "notes"]
    with running(home / "d", workspaces=folders, environ=environ, program=PROGRAM) as daemon:
        daemon.call("index.sync")
        return found(daemon, case["query"])[0]


def test_yesterday_is_a_day_of_the_users_zone(tmp_path, eval_data):
    case = bug_case(eval_data, "bc-07")
    first = first_of_yesterday(tmp_path, case, texts=notes_of(case), zone=case["tz"])
    assert first == "b"


@pytest.mark.parametrize(("zone", "first"), [("CST-8", "b"), ("UTC0", "a")])
def test_among_equals_the_zone_decides_which_note_is_of_yesterday(tmp_path, eval_data, zone, first):
    case = bug_case(eval_data, "bc-07")
    texts = dict.fromkeys("abc", "定了新的值班表")
    assert first_of_yesterday(tmp_path, case, texts=texts, zone=zone) == first


def test_a_block_of_chinese_notes_keeps_to_its_tokens(tmp_path, eval_data):
    case = bug_case(eval_data, "bc-08")
    given = case["notes"]
    notes = {
        f"n{number}": text * given["repeat_each_text"] for number, text in enumerate(given["texts"])
    }
    config = f"[recall]\ninject_token_budget = {case['budget_tokens']}\n"
    with remembering(tmp_path, notes, config=config) as daemon:
        result = prompted(daemon, "上次我们关于订单导入和备份任务的日志定了什么？")
        assert result["hits"]
        han = re.findall(r"[\u4e00-\u9fff]", result["context"])
        assert 0 < len(han) <= 250
        assert result["tokens"] <= case["budget_tokens"]


def test_a_block_that_comes_back_is_neither_stored_nor_asked_nor_growing(tmp_path, eval_data):
    case = bug_case(eval_data, "bc-10")
    message = case["each_round_user_message"]
    own = "What is left for the billing job?"
    session = {"key": "agent:main:main"}
    # Each round is to inject the block again, so that it could grow.
    config = "[recall]\nledger_turns = 0\n"
    with remembering(tmp_path, notes_of(case, "stored"), config=config) as daemon:
        blocks = []
        for number in range(case["rounds"]):
            result = prompted(daemon, message, event_id=f"p{number}")
            assert result["decision"]["query"] == own
            asked = message.replace(own, "How many attempts do billing retries use?")
            blocks.append(prompted(daemon, asked)["context"])
            turn = {"user": message, "assistant": "Nothing.", "event_id": f"t{number}"}
            daemon.call("session.turn", session=session, **turn)
            daemon.call("index.sync")
        assert found(daemon, "billing retries") == ["n1"]
        assert "5 attempts" in blocks[0]
        assert len(set(blocks)) == 1
        # What a host writes down of the conversation may lie in the workspace as well.
        log = tmp_path / "notes" / "memory" / "2026-05-01.md"
        log.write_text(f"## User\n\n{message}\n", encoding="utf-8")
        daemon.call("index.sync")
        texts = [hit["snippet"] for hit in daemon.call("search", query="billing retries")["hits"]]
        assert sum("5 attempts" in text for text in texts) == 1
        daemon.stop()
    with closing(sqlite3.connect(tmp_path / "d" / "state" / "state.db")) as connection:
        payloads = [row[0].decode() for row in connection.execute("SELECT payload FROM event")]
    assert len(payloads) == 2 * case["rounds"]
    for payload in payloads:
        assert own in payload
        assert "5 attempts" not in payload
    assert all("5 attempts" not in row["prompt"] for row in traces_of(tmp_path))


def test_a_credential_in_a_message_is_in_no_file_and_the_rest_is_found(tmp_path, eval_data):
    case = bug_case(eval_data, "bc-12")
    message = case["join"].join(case["user_message_parts"])
    key = message.split("is ")[1].split(" ")[0]
    assert key.startswith("sk-live-")
    session = {"key": "agent:main:main", "client": "pager"}
    with remembering(tmp_path, {"2026-05-01": f"## User, 2026-05-01\n\n{message}"}) as daemon:
        turn = {"user": message, "assistant": f"noted: {key}", "event_id": "t1"}
        daemon.call("session.turn", session=session, **turn)
        answers = [
            prompted(daemon, message, event_id="p1"),
            prompted(daemon, "/recall pager rota starts on Monday"),
            prompted(daemon, f"what did we decide last time about the pager rota? {key}"),
            daemon.call("search", query="pager rota"),
        ]
        daemon.call("session.end", session=session, reason=f"told {key}")
        assert found(daemon, "pager rota")[0] == "2026-05-01"
        assert "pager rota starts on Monday" in answers[1]["context"]
        assert "[redacted:" in answers[1]["context"]
        assert all(key not in json.dumps(answer) for answer in answers)
        ours = [daemon.state, daemon.log]
        assert holders([key], ours) == []
        assert daemon.stop() == 0
    memory = tmp_path / "notes" / "memory"
    ours += list(memory.glob(f"{TRACES}*"))
    assert len(ours) == 3
    assert holders([key], ours) == []
    assert holders(["pager rota"], ours) != []


def test_renamed_and_deleted_files_are_not_found_whether_it_ran_or_not(tmp_path):
    memory = tmp_path / "notes" / "memory"
    with remembering(tmp_path, {"a": "alpha budget is 40k"}) as daemon:
        assert found(daemon, "budget") == ["a"]
        (memory / "a.md").rename(memory / "b.md")
        until(lambda: found(daemon, "budget") == ["b"], what="the new name alone")
        (memory / "b.md").unlink()
        until(lambda: found(daemon, "alpha budget") == [], what="nothing")
        assert daemon.stop() == 0
    (memory / "c.md").write_text("gamma budget is 9k\n", encoding="utf-8")
    with remembering(tmp_path, {}) as daemon:
        until(lambda: found(daemon, "budget") == ["c"], what="what came meanwhile")
        assert daemon.stop() == 0
    (memory / "c.md").unlink()
    with running(tmp_path / "d", workspaces=[tmp_path / "notes"]) as daemon:
        until(lambda: found(daemon, "budget") == [], what="nothing of what went meanwhile")
        (status,) = daemon.call("index.status")["workspaces"]
        assert (status["files"], status["chunks"], status["lexical"]) == (0, 0, 0)
    for text in ("gamma", "alpha"):
        with closing(sqlite3.connect(tmp_path / "d" / "state" / "index.db")) as connection:
            terms = connection.execute("SELECT term FROM lexv_1 WHERE term = ?", (text,))
            assert terms.fetchall() == []


def test_a_file_of_several_names_is_found_once_and_a_loop_of_links_ends(tmp_path, eval_data):
    case = bug_case(eval_data, "bc-14")
    folder = tmp_path / "notes"
    for name, text in (case["files"] | case["also"]).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text + "\n", encoding="utf-8")
    for name, target in case["links"]:
        (folder / name).symlink_to(target)
    os.link(folder / "memory" / "x.md", folder / "memory" / "y.md")
    with running(tmp_path / "d", workspaces=[folder]) as daemon:
        daemon.call("index.sync")
        for query, path in zip(case["queries"], ("MEMORY.md", "memory/x.md"), strict=True):
            hits = daemon.call("search", query=query)["hits"]
            texts = [hit["snippet"] for hit in hits]
            assert hits[0]["path"] == path
            assert len(texts) == len(set(texts))
            assert daemon.call("search", query=query)["hits"] == hits


def test_trace_files_keep_to_their_size_and_the_newest_lines(tmp_path):
    config = "[trace]\nmax_bytes = 65536\nkeep = 3\n"
    count = 400
    with remembering(tmp_path, {"n1": "the boiler code is 7"}, config=config) as daemon:
        with daemon.peer() as peer:
            for number in range(count):
                text = f"what did we decide about boiler {number}?"
                result = peer.result("session.prompt", session={"key": "s"}, text=text)
                assert result["status"] != "fail_open"
        assert daemon.stop() == 0
    files = list((tmp_path / "notes" / "memory").glob(f"{TRACES}*"))
    assert len(files) == 4
    assert sum(file.stat().st_size for file in files) <= 4 * 65_536
    asked = [int(row["prompt"].split("boiler ")[1].rstrip("?")) for row in traces_of(tmp_path)]
    assert asked == list(range(count - len(asked), count))


def test_vectors_of_another_size_are_never_used_and_are_replaced(tmp_path):
    notes = {f"n{number}": f"desk {number} is closed at noon" for number in range(11)}
    notes["n11"] = "freezer alarm goes to the night desk"
    with remembering(tmp_path, notes) as daemon:
        assert daemon.stop() == 0
    file = tmp_path / "d" / "state" / "index.db"
    with closing(sqlite3.connect(file)) as connection:
        # As a smaller model would have left them.
        connection.execute("UPDATE vector SET identity = 'small/m-small/384'")
        connection.execute("UPDATE vector SET vector = zeroblob(768)")
        connection.commit()
    environ = program_environment(tmp_path)
    (tmp_path / EMBEDDER).touch()  # it loads no further than this until the file is gone
    with running(
        tmp_path / "d", workspaces=[tmp_path / "notes"], environ=environ, program=PROGRAM
    ) as daemon:
        until(lambda: found(daemon, "freezer alarm")[:1] == ["n11"], what="the index")
        (status,) = daemon.call("index.status")["workspaces"]
        outdated = [why for why in status["degraded"] if "/384" in why]
        assert "/512" in outdated[0]
        assert "recalld index" in outdated[0]
        (tmp_path / EMBEDDER).unlink()
        daemon.call("index.sync")
        until(
            lambda: not daemon.call("index.status")["workspaces"][0]["reembedding"],
            what="vectors of the engine in use alone",
        )
        assert found(daemon, "freezer alarm")[0] == "n11"
        (status,) = daemon.call("index.status")["workspaces"]
        assert (status["vectors"], status["invariants"]["holds"]) == (12, True)
        assert daemon.stop() == 0
    with closing(sqlite3.connect(file)) as connection:
        sizes = connection.execute("SELECT DISTINCT length(vector) FROM vector").fetchall()
    assert sizes == [(1_024,)]
