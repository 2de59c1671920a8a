"""What a whole daemon asks beyond its index, and that by default it asks nobody."""

import json
import sys
from pathlib import Path

import anyio
import orjson
import pytest

from recalld.base import Base
from support.daemon import request, serving
from support.hangs import hung_readers
from support.llm_server import KEY, KEY_NAME, endpoint, saying

NOTE = "# Queue\n\nPostgres LISTEN/NOTIFY carries the job queue; Redis lost jobs in the outage.\n"
ANSWER = orjson.dumps({"rewrite": "postgres job queue redis outage", "associations": []}).decode()
ASKING = "/recall that zzyzx flurble thing"


def config(url: str, *, enabled: bool) -> str:
    return f"""
[recall]
profile = "deep"
[recall.expansion]
endpoint = "{url}"
api_key_env = "{KEY_NAME}"
[embed]
engine = "none"
[llm]
enabled = {str(enabled).lower()}
"""


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    (folder / "memory").mkdir(parents=True)
    (folder / "memory" / "queue.md").write_text(NOTE, encoding="utf-8")
    return folder


async def called(path: Path, method: str, **params):
    """The result of one call on a connection of its own."""
    async with await anyio.connect_unix(str(path)) as stream:
        await stream.send(request(method, **params))
        line = b""
        while not line.endswith(b"\n"):
            line += await stream.receive()
    return json.loads(line)["result"]


async def asked(inside, notes: Path, text: str = ASKING):
    session = {"key": "agent:main:main", "workspace": str(notes)}
    return await called(inside.socket_path, "session.prompt", session=session, text=text)


@pytest.mark.slow_step
@pytest.mark.parametrize("enabled", [True, False])
async def test_a_deep_recall_is_rescued_only_where_the_user_allows_it(
    tmp_path, notes, monkeypatch, enabled
):
    monkeypatch.setenv(KEY_NAME, KEY)
    async with endpoint(saying(ANSWER)) as served:
        settings = config(served.url, enabled=enabled)
        async with serving(tmp_path / "d", workspaces=[notes], config=settings) as inside:
            await called(inside.socket_path, "index.sync")
            told = await asked(inside, notes)
            counted = inside.counters.snapshot()
    assert (len(served.requests), told["llm_calls"]) == (int(enabled), int(enabled))
    assert counted.get("rescue.structured_ok", 0) == int(enabled)
    (trace,) = (notes / "memory" / "recall-traces.jsonl").read_bytes().splitlines()
    assert KEY.encode() not in trace
    routes = {search["route"] for search in json.loads(trace)["searches"]}
    assert ("rescue:rewrite" in routes) is enabled
    if enabled:
        (seen,) = served.requests
        question = json.loads(seen.json["messages"][1]["content"])
        assert question == {"question": "that zzyzx flurble thing"}


@pytest.mark.slow_step
@pytest.mark.allow_errors
async def test_the_users_command_answers_while_the_index_hangs(tmp_path, notes):
    row = {"path": "memory/queue.md", "line": 3, "score": 0.9, "snippet": "Redis lost jobs"}
    program = tmp_path / "search.py"
    program.write_text(f"print({json.dumps([row])!r})", encoding="utf-8")
    command = json.dumps([sys.executable, "-I", "-S", str(program), "{query}"])
    settings = f'[embed]\nengine = "none"\n[search]\nfallback_command = {command}\n'
    held: list[Base] = []

    def adjust(base: Base) -> Base:
        held.append(base)
        return base

    async with serving(
        tmp_path / "d", workspaces=[notes], config=settings, adjust=adjust
    ) as inside:
        await called(inside.socket_path, "index.sync")
        async with hung_readers(held[0]):
            told = await asked(inside, notes, "/recall redis jobs")
        assert inside.counters.get("fallback.searches") >= 1
    assert [one["snippet"] for one in told["hits"]] == ["Redis lost jobs"]
    assert told["reason"] == "index: unavailable"
