"""Where a language model may be asked."""

import pytest

from recalld.llm.endpoint import endpoint_of, permitted


@pytest.mark.parametrize(
    ("base", "url", "authority"),
    [
        ("https://api.example.com/v1", "https://A:443/v1/chat/completions", "api.example.com"),
        ("https://api.example.com", "https://A:443/chat/completions", "api.example.com"),
        ("https://example.com:8443/v1/", "https://A:8443/v1/chat/completions", "example.com:8443"),
        ("https://e.com/v1?version=2", "https://A:443/v1/chat/completions?version=2", "e.com"),
        ("http://localhost:11434/v1", "http://A:11434/v1/chat/completions", "localhost:11434"),
        ("http://[::1]:80/v1", "http://A:80/v1/chat/completions", "[::1]"),
        ("https://Example.COM./v1", "https://A:443/v1/chat/completions", "example.com"),
    ],
)
def test_address_and_host_header_follow_from_the_setting(base, url, authority):
    endpoint = endpoint_of(base)
    assert endpoint.at("A") == url
    assert endpoint.authority == authority


def test_an_address_of_six_groups_is_bracketed():
    assert endpoint_of("https://e.com/v1").at("2606:4700::1").startswith("https://[2606:4700::1]:")


@pytest.mark.parametrize(
    "base",
    [
        "",
        "api.example.com/v1",
        "http://example.com/v1",
        "http://10.0.0.1/v1",
        "http://localhost.example.com/v1",
        "ftp://localhost/v1",
        "https://user@example.com/v1",
        "https://:pass@example.com/v1",
        "https:///v1",
        "https://example.com:99999/v1",
        "https://example.com/v1\r\nX: y",
        "https://exa mple.com/v1",
        "https://例え.jp/v1",
    ],
)
def test_any_other_address_is_refused(base):
    with pytest.raises(ValueError, match=r"."):
        endpoint_of(base)


PUBLIC = ["1.1.1.1", "2606:4700:4700::1111"]
LOOPBACK = ["127.0.0.1", "::1", "127.8.8.8", "::ffff:127.0.0.1"]
INTERNAL = [
    "169.254.169.254",
    "fe80::1",
    "fe80::1%eth0",
    "fd00:ec2::254",
    "10.1.2.3",
    "172.16.0.1",
    "192.168.1.1",
    "100.100.100.200",
    "168.63.129.16",
    "0.0.0.0",
    "::",
    "224.0.0.1",
    "ff02::1",
    "::ffff:169.254.169.254",
    "::ffff:10.0.0.1",
    "64:ff9b::a9fe:a9fe",
    "2002:a9fe:a9fe::1",
    "255.255.255.255",
    "not an address",
]


def test_a_name_has_public_addresses_only():
    assert permitted("example.com", [*INTERNAL, *LOOPBACK, *PUBLIC]) == tuple(PUBLIC)


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST", "127.0.0.1", "::1"])
def test_loopback_has_loopback_addresses_only(host):
    assert permitted(host, [*INTERNAL, *PUBLIC, *LOOPBACK]) == tuple(LOOPBACK)


def test_a_name_with_many_addresses_is_tried_at_four():
    assert len(permitted("example.com", [f"1.1.1.{n}" for n in range(9)] * 2)) == 4
