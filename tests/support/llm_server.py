"""A language model's endpoint on a real loopback socket, with everything that can go wrong."""

import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import anyio
import orjson
from anyio.abc import ByteStream
from anyio.streams.tls import TLSListener

KEY_NAME = "TEST_LLM_KEY"
KEY = "sk-test-8Qm2Zr"

Act = Callable[[ByteStream], Awaitable[None]]


@dataclass(frozen=True, kw_only=True)
class Seen:
    """One request as it came over the wire."""

    line: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self):
        return orjson.loads(self.body)


@dataclass(kw_only=True)
class Endpoint:
    """Counts connections and requests. ``acts`` answer in turn; the last one stays."""

    acts: list[Act]
    port: int = 0
    scheme: str = "http"
    host: str = "127.0.0.1"
    connections: int = 0
    requests: list[Seen] = field(default_factory=list)
    left: anyio.Event = field(default_factory=anyio.Event)

    @property
    def url(self) -> str:
        return f"{self.scheme}://{self.host}:{self.port}/v1"

    async def serve(self, stream: ByteStream) -> None:
        self.connections += 1
        try:
            async with stream:
                self.requests.append(await _request(stream))
                act = self.acts.pop(0) if len(self.acts) > 1 else self.acts[0]
                await act(stream)
        except (anyio.BrokenResourceError, anyio.EndOfStream, ssl.SSLError):
            pass
        finally:
            self.left.set()


@asynccontextmanager
async def endpoint(*acts: Act, tls: ssl.SSLContext | None = None) -> AsyncIterator[Endpoint]:
    """Served until the block ends."""
    served = Endpoint(acts=list(acts), scheme="https" if tls else "http")
    tcp = await anyio.create_tcp_listener(local_host="127.0.0.1", local_port=0)
    served.port = tcp.listeners[0].extra(anyio.abc.SocketAttribute.local_port)
    listener = TLSListener(tcp, tls) if tls else tcp
    async with listener, anyio.create_task_group() as group:
        group.start_soon(listener.serve, served.serve)
        yield served
        group.cancel_scope.cancel()


async def _request(stream: ByteStream) -> Seen:
    data = b""
    while b"\r\n\r\n" not in data:
        data += await stream.receive()
    head, _, body = data.partition(b"\r\n\r\n")
    line, *rest = head.decode().split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (h.partition(":") for h in rest)}
    while len(body) < int(headers.get("content-length", 0)):
        body += await stream.receive()
    return Seen(line=line, headers=headers, body=body)


def answer(
    body: bytes, *, status: str = "200 OK", headers: str = "Content-Type: application/json"
) -> Act:
    """A whole response."""
    head = f"HTTP/1.1 {status}\r\n{headers}\r\nContent-Length: {len(body)}\r\n\r\n"
    return sending(head.encode() + body)


def sending(*parts: bytes, pause_s: float = 0.0) -> Act:
    """Those bytes, and then the end of the connection."""

    async def act(stream: ByteStream) -> None:
        for part in parts:
            await stream.send(part)
            await anyio.sleep(pause_s)

    return act


def message(**fields: object) -> Act:
    """A completion with that message; ``finish_reason`` belongs to the choice."""
    finish = fields.pop("finish_reason", "stop")
    choice = {"index": 0, "finish_reason": finish, "message": {"role": "assistant", **fields}}
    return answer(orjson.dumps({"choices": [choice]}))


def saying(content: str, finish_reason: str = "stop") -> Act:
    return message(content=content, finish_reason=finish_reason)


async def hang(stream: ByteStream) -> None:
    """Nothing at all, until the other side leaves."""
    await stream.receive()


async def headers_only(stream: ByteStream) -> None:
    await stream.send(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n")
    await hang(stream)


async def one_byte_a_second(stream: ByteStream) -> None:
    await sending(b"HTTP/1.1 200 OK\r\nContent-Length: 9000\r\n\r\n")(stream)
    await sending(*[b" "] * 9_000, pause_s=1.0)(stream)


async def endless_body(stream: ByteStream) -> None:
    await stream.send(b"HTTP/1.1 200 OK\r\n\r\n")
    while True:
        await stream.send(b" " * 4_096)


async def endless_headers(stream: ByteStream) -> None:
    await stream.send(b"HTTP/1.1 200 OK\r\n")
    while True:
        await stream.send(b"X-More: " + b"x" * 4_000 + b"\r\n")


async def endless_chunks_of_one_byte(stream: ByteStream) -> None:
    await stream.send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    while True:
        await stream.send(b"1\r\n \r\n")
