"""Webhooks are sent only to valid URLs and public addresses."""

from __future__ import annotations

import pytest

from turnfold import InvalidInput
from turnfold_gateway.webhooks.addresses import checked_url, is_public


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "10.1.2.3", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1", "::1", "fe80::1%eth0",
        "fc00::1",
        "::ffff:127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "2001:0:1:1::80ff:fffe",
        "::127.0.0.1", "64:ff9b:1::7f00:1", "fec0::1", "fd00:ec2::254", "ff0e::1", "3fff::1",
        "192.0.0.8", "192.88.99.1", "168.63.129.16", "198.18.0.1", "240.0.0.1", "255.255.255.255",
    ],
)  # fmt: skip
def test_addresses_inside_are_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", ["1.1.1.1", "2606:4700:4700::1111", "64:ff9b::101:101"])
def test_addresses_of_the_internet_are_public(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize(
    "url",
    ["http://a.example", "ftp://a.example", "https://", "https://u:p@a.example", "https://a.example/#x", "https://a b",
     "https://a.example:99999", "https://" + "a" * 3_000],
)  # fmt: skip
def test_urls_that_cannot_be_endpoints_are_refused(url: str) -> None:
    with pytest.raises(InvalidInput, match="webhook"):
        checked_url(url, allow_http=False)
