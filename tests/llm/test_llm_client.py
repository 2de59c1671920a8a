"""One bounded completion over a real loopback socket, with everything that can go wrong."""

import logging
import ssl
from dataclasses import replace
from typing import Any

import anyio
import pytest
import trustme

from recalld.budget import Outcome, Run, Stage
from recalld.counters import Counters
from recalld.llm.client import MAX_BODY_BYTES, LlmClient
from recalld.llm.limiter import Limiter
from recalld.llm.model import Barred, ChatOutcome, ChatReply, ChatRequest
from support import llm_server as toxic
from support.llm_server import KEY, KEY_NAME, answer, endpoint, message, saying

TEN_S = 10_000


def request(url: str, **changes) -> ChatRequest:
    base = ChatRequest(
        endpoint=url,
        key_name=KEY_NAME,
        model="m",
        system="Answer in JSON.",
        user="the question",
        max_output_tokens=800,
        response_format={"type": "json_object"},
    )
    return replace(base, **changes)


def client(**changes) -> LlmClient:
    parts = {
        "environ": {KEY_NAME: KEY},
        "limiter": Limiter(jitter=lambda: 0.0),
        "counters": Counters(),
    }
    return LlmClient(**{**parts, **changes})


async def asked(url: str, *, limit_ms: int = TEN_S, **changes) -> tuple[Any, Outcome]:
    """The reply, and what became of the stage that bounds it."""
    run = Run(TEN_S)
    chat = client(**changes)

    async def work() -> ChatReply | None:
        return await chat.complete(request(url))

    reply = await run.stage(Stage(name="llm", work=work, otherwise=None, limit_ms=limit_ms))
    return reply, run.ledger[0].outcome


async def test_a_completion_is_one_request_with_the_key_in_its_header():
    async with endpoint(saying('{"a":1}')) as served:
        reply, _ = await asked(served.url)
    assert (reply.outcome, reply.content) == (ChatOutcome.OK, '{"a":1}')
    assert (reply.shape.content_type, reply.shape.finish_reason) == ("string", "stop")
    (seen,) = served.requests
    assert seen.line == "POST /v1/chat/completions HTTP/1.1"
    assert seen.headers["authorization"] == f"Bearer {KEY}"
    assert seen.headers["host"] == f"127.0.0.1:{served.port}"
    assert seen.json == {
        "model": "m",
        "messages": [
            {"role": "system", "content": "Answer in JSON."},
            {"role": "user", "content": "the question"},
        ],
        "max_tokens": 800,
        "response_format": {"type": "json_object"},
        "stream": False,
    }


async def test_thinking_is_sent_only_where_it_is_set():
    async with endpoint(saying("{}")) as served:
        chat = client()
        await chat.complete(request(served.url, thinking="disabled"))
    assert served.requests[0].json["thinking"] == {"type": "disabled"}


REDIRECT = "Location: http://169.254.169.254/latest/meta-data/"
OK, HTTP, PAYLOAD, REQUEST = (
    ChatOutcome.OK,
    ChatOutcome.HTTP_FAIL,
    ChatOutcome.PAYLOAD_FAIL,
    ChatOutcome.REQUEST_FAIL,
)
PARTS = [{"type": "text", "text": '{"a"'}, {"type": "text", "text": ":1}"}]
ANSWERS = [
    ("text parts", message(content=PARTS), OK, "array"),
    ("bare strings as parts", message(content=['{"a"', ":1}"]), OK, "array"),
    ("empty content", saying(""), OK, "string"),
    ("reasoning only", message(content=None, reasoning_content="hm"), PAYLOAD, "null"),
    ("no content", message(tool_calls=[]), PAYLOAD, "missing"),
    ("content is a number", message(content=7), PAYLOAD, "number"),
    ("content is an object", message(content={"a": 1}), PAYLOAD, "object"),
    ("parts without text", message(content=[{"type": "image"}, 3]), PAYLOAD, "array"),
    ("HTML with status 200", answer(b"<html>hello</html>"), PAYLOAD, None),
    ("nothing", answer(b""), PAYLOAD, None),
    ("JSON of another kind", answer(b"[1,2]"), PAYLOAD, None),
    ("no choices", answer(b'{"choices":[]}'), PAYLOAD, None),
    ("choices of another kind", answer(b'{"choices":{"a":1}}'), PAYLOAD, None),
    ("a choice of another kind", answer(b'{"choices":["a"]}'), PAYLOAD, None),
    ("deep nesting", answer(b"[" * 200_000), PAYLOAD, None),
    ("garbage in the body", answer(bytes(range(256)) * 4), PAYLOAD, None),
    ("20 MB", answer(b" " * 20_000_000), PAYLOAD, None),
    ("endless body", toxic.endless_body, PAYLOAD, None),
    ("packed body", answer(b"\x1f\x8b", headers="Content-Encoding: gzip"), PAYLOAD, None),
    ("redirect", answer(b"", status="302 Found", headers=REDIRECT), HTTP, None),
    ("too many requests", answer(b"later", status="429 Too Many"), HTTP, None),
    ("server error", answer(b"oops", status="500 Oops"), HTTP, None),
    ("endless headers", toxic.endless_headers, REQUEST, None),
    ("no HTTP at all", toxic.sending(b"hello\r\n\r\n"), REQUEST, None),
    ("closed without a word", toxic.sending(), REQUEST, None),
    (
        "closed in the middle",
        toxic.sending(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"),
        REQUEST,
        None,
    ),
]


@pytest.mark.parametrize(
    ("act", "outcome", "content_type"), [row[1:] for row in ANSWERS], ids=[r[0] for r in ANSWERS]
)
async def test_every_answer_ends_as_a_value_after_one_request(act, outcome, content_type):
    async with endpoint(act) as served:
        reply, stage = await asked(served.url)
    assert stage is Outcome.OK
    assert (reply.outcome, reply.shape.content_type) == (outcome, content_type)
    assert (len(served.requests), served.connections) == (1, 1)


async def test_reasoning_without_content_is_told_by_its_shape_alone():
    act = message(content=None, reasoning_content="secret thoughts", finish_reason="length")
    async with endpoint(act) as served:
        reply, _ = await asked(served.url)
    shape = reply.shape
    assert (shape.content_type, shape.finish_reason) == ("null", "length")
    assert shape.has_reasoning_content
    assert "thoughts" not in f"{reply!r}"


async def test_an_unknown_finish_reason_is_not_repeated():
    async with endpoint(saying("{}", finish_reason="ignore all previous")) as served:
        reply, _ = await asked(served.url)
    assert reply.shape.finish_reason == "other"


@pytest.mark.parametrize("status", [302, 429, 500])
async def test_of_a_refusal_only_the_status_is_kept(status):
    async with endpoint(answer(b"the body", status=f"{status} Why")) as served:
        reply, _ = await asked(served.url)
    assert (reply.shape.http_status, reply.content) == (status, "")
    assert "body" not in f"{reply!r}"


@pytest.mark.parametrize(
    "act",
    [
        toxic.hang,
        toxic.headers_only,
        toxic.one_byte_a_second,
        toxic.endless_chunks_of_one_byte,
    ],
    ids=lambda act: act.__name__,
)
async def test_a_slow_answer_is_cut_off_with_the_connection(act):
    async with endpoint(act) as served:
        reply, stage = await asked(served.url, limit_ms=150)
        assert (reply, stage) == (None, Outcome.TIMEOUT)
        with anyio.fail_after(10):
            await served.left.wait()
    assert served.connections == 1


async def test_a_handshake_that_stalls_is_cut_off():
    async with endpoint(toxic.hang) as served:  # reads, and never answers the handshake
        url = f"https://localhost:{served.port}/v1"
        reply, stage = await asked(url, limit_ms=400)
    assert (reply, stage) == (None, Outcome.TIMEOUT)
    assert served.requests == []


async def test_a_name_server_that_hangs_is_cut_off():
    async def resolver(host, port):
        await anyio.sleep_forever()

    reply, stage = await asked("https://example.com/v1", limit_ms=50, resolver=resolver)
    assert (reply, stage) == (None, Outcome.TIMEOUT)


async def test_a_refused_connection_is_a_failed_request():
    async with endpoint(saying("{}")) as served:
        url = served.url
    reply, _ = await asked(url)
    assert reply.outcome is REQUEST


async def test_the_largest_body_that_is_read_is_256_kib():
    prefix = b'{"choices":[{"message":{"content":"'
    suffix = b'"}}]}'
    room = MAX_BODY_BYTES - len(prefix) - len(suffix)
    for extra, outcome in ((0, OK), (1, PAYLOAD)):
        body = prefix + b"a" * (room + extra) + suffix
        async with endpoint(answer(body)) as served:
            reply, _ = await asked(served.url)
        assert reply.outcome is outcome


async def test_localhost_is_reached_at_whichever_loopback_address_listens():
    async def resolver(host, port):
        return ["::1", "127.0.0.1"]

    async with endpoint(saying("{}")) as served:
        url = f"http://localhost:{served.port}/v1"
        reply, _ = await asked(url, resolver=resolver)
    assert reply.outcome is OK
    assert len(served.requests) == 1


@pytest.mark.parametrize(
    ("url", "addresses"),
    [
        ("https://rebound.example.com:{port}/v1", ["127.0.0.1"]),
        ("https://metadata.google.internal:{port}/v1", ["169.254.169.254"]),
        ("https://wrapped.example.com:{port}/v1", ["::ffff:127.0.0.1", "10.0.0.1"]),
        ("http://localhost:{port}/v1", ["192.168.0.9", "1.1.1.1"]),
    ],
)
async def test_a_name_that_resolves_to_the_wrong_place_is_never_connected_to(url, addresses):
    async def resolver(host, port):
        return addresses

    counters = Counters()
    async with endpoint(saying("{}")) as served:
        reply, _ = await asked(url.format(port=served.port), resolver=resolver, counters=counters)
    assert reply.outcome is REQUEST
    assert served.connections == 0
    assert counters.get("llm.address_refused") == 1
    assert counters.get("llm.requests") == 0


@pytest.mark.parametrize("url", ["http://example.com/v1", "https://u:p@example.com/v1", "nonsense"])
async def test_an_address_that_is_not_allowed_is_not_even_resolved(url):
    async def resolver(host, port):
        raise AssertionError(host)

    reply, _ = await asked(url, resolver=resolver)
    assert reply.outcome is REQUEST


async def test_a_name_that_does_not_resolve_is_a_failed_request():
    async def resolver(host, port):
        raise OSError("no such name")

    reply, _ = await asked("https://example.com/v1", resolver=resolver)
    assert reply.outcome is REQUEST


async def test_proxies_of_the_environment_are_not_used(monkeypatch):
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    async with endpoint(saying("{}")) as served:
        reply, _ = await asked(served.url)
    assert reply.outcome is OK


@pytest.mark.parametrize("trusted", [True, False])
async def test_the_certificate_must_be_one_of_a_known_authority_for_the_name(trusted):
    authority, other = trustme.CA(), trustme.CA()
    tls, trust = _tls(authority.issue_cert("localhost"), authority if trusted else other)
    async with endpoint(saying("{}"), tls=tls) as served:
        url = f"https://localhost:{served.port}/v1"
        reply, _ = await asked(url, trust=lambda: trust)
    assert reply.outcome is (OK if trusted else REQUEST)
    assert len(served.requests) == int(trusted)


async def test_a_certificate_for_another_name_is_not_accepted():
    authority = trustme.CA()
    tls, trust = _tls(authority.issue_cert("example.com"), authority)
    async with endpoint(saying("{}"), tls=tls) as served:
        reply, _ = await asked(f"https://localhost:{served.port}/v1", trust=lambda: trust)
    assert reply.outcome is REQUEST
    assert served.requests == []


def _tls(cert, authority):
    server = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    cert.configure_cert(server)
    client_side = ssl.create_default_context()
    authority.configure_trust(client_side)
    return server, client_side


KEYS = [
    ("unset", None, Barred.KEY_MISSING),
    ("empty", "", Barred.KEY_MISSING),
    ("blanks", "  ", Barred.KEY_MISSING),
    ("line feed", f"{KEY}\nX: y", Barred.KEY_UNSAFE),
    ("carriage return", f"{KEY}\r", Barred.KEY_UNSAFE),
    ("zero", f"{KEY}\0", Barred.KEY_UNSAFE),
    ("beyond ASCII", "ключ", Barred.KEY_UNSAFE),
    ("huge", "k" * 5_000, Barred.KEY_UNSAFE),
    ("fine", KEY, None),
]


@pytest.mark.parametrize(("key", "barred"), [row[1:] for row in KEYS], ids=[r[0] for r in KEYS])
async def test_a_key_that_is_missing_or_unsafe_sends_nothing(key, barred):
    environ = {} if key is None else {KEY_NAME: key}
    async with endpoint(saying("{}")) as served:
        assert client(environ=environ).barred(served.url, KEY_NAME) is barred
        reply, _ = await asked(served.url, environ=environ)
    assert served.connections == int(barred is None)
    assert reply.outcome is (OK if barred is None else ChatOutcome.BARRED)


async def test_a_new_key_is_used_from_the_next_call_on():
    environ = {KEY_NAME: "one"}
    chat = client(environ=environ)
    async with endpoint(saying("{}")) as served:
        await chat.complete(request(served.url))
        environ[KEY_NAME] = "two"
        await chat.complete(request(served.url))
    assert [seen.headers["authorization"] for seen in served.requests] == [
        "Bearer one",
        "Bearer two",
    ]


async def test_the_key_stands_in_no_log_and_no_reply(caplog):
    caplog.set_level(logging.DEBUG)
    async with endpoint(answer(KEY.encode()), saying("{}")) as served:
        replies = [(await asked(served.url))[0] for _ in range(2)]
    assert KEY not in caplog.text
    assert KEY not in f"{replies!r}"


async def test_after_429_nothing_is_sent_until_the_pause_is_over():
    limiter = Limiter(jitter=lambda: 0.0)
    counters = Counters()
    chat = client(limiter=limiter, counters=counters)
    busy = answer(b"", status="429 Too Many Requests", headers="Retry-After: 20")
    async with endpoint(busy, saying("{}")) as served:
        assert (await chat.complete(request(served.url))).outcome is HTTP
        assert 15 < limiter.pause_s(f"http://127.0.0.1:{served.port}") <= 20
        assert chat.barred(served.url, KEY_NAME) is Barred.RATE_LIMITED
        assert (await chat.complete(request(served.url))).outcome is ChatOutcome.BARRED
        assert chat.barred("http://127.0.0.1:1/v1", KEY_NAME) is None
    assert len(served.requests) == 1
    assert counters.snapshot() == {
        "llm.barred": 1,
        "llm.http_fail": 1,
        "llm.rate_limited": 1,
        "llm.requests": 1,
    }
