"""One chat completion from an OpenAI-compatible endpoint, and nothing else from the network.

One attempt, no redirects, no proxy and nothing else from the environment but the key. The
address is resolved first, checked, and connected to as it was checked.
"""

import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from functools import partial
from typing import Protocol, cast

import anyio
import anyio.lowlevel
import anyio.to_thread
import httpx
import orjson

from recalld.counters import Counters
from recalld.llm.completion import body_of, reply_of
from recalld.llm.endpoint import Endpoint, endpoint_of, permitted
from recalld.llm.limiter import Limiter, retry_after_s
from recalld.llm.model import Barred, ChatOutcome, ChatReply, ChatRequest, ChatShape

MAX_BODY_BYTES = 262_144
MAX_KEY_CHARS = 4_096

Resolve = Callable[[str, int], Awaitable[list[str]]]


async def resolve(host: str, port: int) -> list[str]:
    """The addresses of ``host``, the likeliest to answer first. Raises ``OSError``."""
    found = await anyio.getaddrinfo(host, port)
    return [place[0] for *_, place in found]


class LlmClient:
    """The ``Chat`` of the daemon. The key is read for every call and kept nowhere.

    Counted: ``llm.requests`` and ``llm.`` with each outcome. A call that is cancelled (its stage
    was over) closes the connection and counts as a request only.
    """

    def __init__(
        self,
        *,
        environ: Mapping[str, str],
        limiter: Limiter,
        counters: Counters,
        resolver: Resolve = resolve,
        trust: Callable[[], ssl.SSLContext] | None = None,
    ) -> None:
        self._environ = environ
        self._limiter = limiter
        self._counters = counters
        self._resolve = resolver
        self._trust = trust or partial(httpx.create_ssl_context, trust_env=False)
        self._certificates: ssl.SSLContext | None = None

    def barred(self, endpoint: str, key_name: str) -> Barred | None:
        """See ``Chat``. An endpoint that is none bars nothing here; the call fails."""
        key = self._key(key_name)
        if not key:
            return Barred.KEY_MISSING
        if not _is_header_safe(key):
            return Barred.KEY_UNSAFE
        try:
            place = endpoint_of(endpoint).place
        except ValueError:
            return None
        return Barred.RATE_LIMITED if self._limiter.pause_s(place) > 0 else None

    async def complete(self, request: ChatRequest) -> ChatReply:
        """See ``Chat``."""
        reply = await self._complete(request)
        self._counters.add(f"llm.{reply.outcome}")
        return reply

    async def _complete(self, request: ChatRequest) -> ChatReply:
        barred = self.barred(request.endpoint, request.key_name)
        if barred is not None:
            return ChatReply(outcome=ChatOutcome.BARRED, problem=barred)
        try:
            endpoint = endpoint_of(request.endpoint)
        except ValueError as error:
            return _request_failed(str(error))
        try:
            found = await self._resolve(endpoint.host, endpoint.port)
        except (OSError, UnicodeError):
            return _request_failed("the name does not resolve")
        addresses = permitted(endpoint.host, found)
        if not addresses:
            self._counters.add("llm.address_refused")
            return _request_failed("the name resolves to no address that may be asked")
        try:
            return await self._exchange(endpoint, addresses, request)
        except (httpx.HTTPError, httpx.InvalidURL, ssl.SSLError, OSError) as error:
            # The message of these may quote what the server sent.
            return _request_failed(type(error).__name__)

    async def _exchange(
        self, endpoint: Endpoint, addresses: tuple[str, ...], request: ChatRequest
    ) -> ChatReply:
        body = orjson.dumps(body_of(request))
        headers = {
            "Host": endpoint.authority,
            "Authorization": f"Bearer {self._key(request.key_name)}",
            "Content-Type": "application/json",
            "Accept": "application/json",
            "Accept-Encoding": "identity",
            "User-Agent": "recalld",
        }
        self._counters.add("llm.requests")
        async with _closing() as noted, await self._http(endpoint.scheme) as http:
            for address in addresses:
                sending = http.stream(
                    "POST",
                    endpoint.at(address),
                    content=body,
                    headers=headers,
                    extensions={"sni_hostname": endpoint.host, "trace": noted},
                )
                try:
                    async with sending as response:
                        return await self._read(endpoint, response)
                except httpx.ConnectError:
                    # Nothing was sent yet: ::1 of a server that listens on 127.0.0.1 only.
                    if address == addresses[-1]:
                        raise
        raise AssertionError("there is an address")

    async def _read(self, endpoint: Endpoint, response: httpx.Response) -> ChatReply:
        status = response.status_code
        if status == 429:
            self._pause(endpoint, response.headers)
        if not 200 <= status <= 299:
            return ChatReply(
                outcome=ChatOutcome.HTTP_FAIL,
                shape=ChatShape(http_status=status),
                problem=f"status {status}",
            )
        body = bytearray()
        # Cancelled, not left: every generator below the loop is at its end then.
        with anyio.CancelScope() as reading:
            async for part in response.aiter_raw():
                body += part
                if len(body) > MAX_BODY_BYTES:
                    reading.cancel()
                # A body of one-byte chunks would hold the loop.
                await anyio.lowlevel.cancel_shielded_checkpoint()
        if len(body) > MAX_BODY_BYTES:
            return ChatReply(
                outcome=ChatOutcome.PAYLOAD_FAIL,
                shape=ChatShape(http_status=status),
                problem=f"over {MAX_BODY_BYTES} bytes",
            )
        return reply_of(bytes(body), http_status=status)

    def _pause(self, endpoint: Endpoint, headers: httpx.Headers) -> None:
        wanted_s = retry_after_s(headers.get("Retry-After"), date=headers.get("Date"))
        self._limiter.pause(endpoint.place, wanted_s)
        self._counters.add("llm.rate_limited")

    async def _http(self, scheme: str) -> httpx.AsyncClient:
        return httpx.AsyncClient(
            verify=await self._verify(scheme),
            follow_redirects=False,
            trust_env=False,
            timeout=None,  # noqa: S113  (the stage owns the time)
            limits=httpx.Limits(max_connections=1, max_keepalive_connections=0),
        )

    async def _verify(self, scheme: str) -> ssl.SSLContext:
        if scheme == "http":
            return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # trusts nobody, and is not needed
        if self._certificates is None:
            # Reading the certificates takes 20 ms and more.
            self._certificates = await anyio.to_thread.run_sync(self._trust, abandon_on_cancel=True)
        return self._certificates

    def _key(self, name: str) -> str:
        return self._environ.get(name, "").strip(" \t")


class _Closable(Protocol):
    async def aclose(self) -> None: ...


@asynccontextmanager
async def _closing() -> AsyncIterator[Callable[[str, Mapping[str, object]], Awaitable[None]]]:
    """A trace that notes what was connected, and closes it at the end: the library lets go of a
    socket whose handshake was cancelled without closing it."""
    opened: list[_Closable] = []

    async def noted(event: str, info: Mapping[str, object]) -> None:
        if event == "connection.connect_tcp.complete":
            opened.append(cast("_Closable", info["return_value"]))

    try:
        yield noted
    finally:
        for stream in opened:
            await stream.aclose()


def _is_header_safe(key: str) -> bool:
    return len(key) <= MAX_KEY_CHARS and key.isascii() and key.isprintable()


def _request_failed(problem: str) -> ChatReply:
    return ChatReply(outcome=ChatOutcome.REQUEST_FAIL, problem=problem)
