"""Which addresses a language model may be asked at. Pure."""

import ipaddress
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

# Answers of a cloud's own network that lie in public space.
_METADATA = frozenset({ipaddress.ip_address("168.63.129.16")})
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_PORTS = {"https": 443, "http": 80}
MAX_ADDRESSES = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """A checked address. ``target`` is what stands behind host and port, from the slash on."""

    scheme: str
    host: str
    port: int
    target: str

    @property
    def place(self) -> str:
        """What a limit of the other side holds for."""
        return f"{self.scheme}://{self._bracketed(self.host)}:{self.port}"

    @property
    def authority(self) -> str:
        """The ``Host`` header."""
        host = self._bracketed(self.host)
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"

    def at(self, address: str) -> str:
        """The URL with the resolved ``address`` in the place of the name."""
        return f"{self.scheme}://{self._bracketed(address)}:{self.port}{self.target}"

    @staticmethod
    def _bracketed(host: str) -> str:
        return f"[{host}]" if ":" in host else host


def endpoint_of(base: str) -> Endpoint:
    """The chat completions under ``base``. Raise ``ValueError`` unless it is https, or http to
    loopback, without user name or password."""
    parts = urlsplit(base)
    host, scheme = (parts.hostname or "").rstrip("."), parts.scheme
    if not host or scheme not in _PORTS or not _printable(base):
        raise ValueError("neither https nor http to loopback")
    if parts.username is not None or parts.password is not None:
        raise ValueError("a user name or password in the address")
    if scheme == "http" and not names_loopback(host):
        raise ValueError("http beyond loopback")
    path = parts.path.rstrip("/") + "/chat/completions"
    target = f"{path}?{parts.query}" if parts.query else path
    return Endpoint(scheme=scheme, host=host, port=parts.port or _PORTS[scheme], target=target)


def permitted(host: str, addresses: Iterable[str]) -> tuple[str, ...]:
    """Those of the ``addresses`` that ``host`` may have, in their order, four at most.

    A name of loopback has loopback addresses only. Every other name has public ones only: no
    loopback, private, link-local, multicast or cloud-internal one, in whatever wrapping.
    """
    wants_loopback = names_loopback(host)
    allowed = []
    for text in dict.fromkeys(addresses):
        try:
            address = _unwrapped(ipaddress.ip_address(text))
        except ValueError:
            continue
        if address.is_loopback if wants_loopback else _is_public(address):
            allowed.append(text)
    return tuple(allowed[:MAX_ADDRESSES])


def names_loopback(host: str) -> bool:
    """``localhost``, or a loopback address as it is written."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def _is_public(address: Address) -> bool:
    unusual = address.is_multicast or address.is_unspecified or address in _METADATA
    return address.is_global and not unusual


def _unwrapped(address: Address) -> Address:
    """The IPv4 address inside an IPv6 one that stands for it."""
    if isinstance(address, ipaddress.IPv4Address):
        return address
    if address in _NAT64:
        return ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF)
    return address.ipv4_mapped or address.sixtofour or address


def _printable(text: str) -> bool:
    return text.isascii() and all(" " < sign < "\x7f" for sign in text)
