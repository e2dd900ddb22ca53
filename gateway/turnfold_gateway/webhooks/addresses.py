"""Check URLs that may be called: their form when an endpoint is added, their addresses before each call."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from typing import Final
from urllib.parse import SplitResult, urlsplit

from turnfold import InvalidInput

LONGEST_URL: Final = 2_000


class RefusedAddressError(Exception):
    """Raised when a host has no address, or one in a private network."""


def checked_url(url: str, *, allow_http: bool) -> SplitResult:
    """Return the parts of a URL that may be an endpoint. Raises `InvalidInput`."""
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError as error:
        msg = "the webhook's URL is invalid: use one such as https://hooks.example.com/x"
        raise InvalidInput(msg) from error
    if not parts.hostname or len(url) > LONGEST_URL or not url.isascii() or any(ord(sign) <= 32 for sign in url):
        msg = f"a webhook needs a URL such as https://hooks.example.com/x, percent-encoded, up to {LONGEST_URL} long"
        raise InvalidInput(msg)
    if parts.scheme != "https" and not (allow_http and parts.scheme == "http"):
        raise InvalidInput("a webhook's URL must begin with https:// (TURNFOLD_GATEWAY_WEBHOOK_HTTP=on allows http://)")
    if parts.username is not None or parts.password is not None or parts.fragment:
        msg_0 = "a webhook's URL must not have a user, password or fragment: the signature identifies the sender"
        raise InvalidInput(msg_0)
    return parts


async def address_of(host: str, port: int, *, allow_private: bool) -> str:
    """Return an address of a host; all its addresses have to be public. Raises `RefusedAddressError`."""
    try:
        resolved = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        msg = "the host has no address"
        raise RefusedAddressError(msg) from error
    addresses = [str(entry[4][0]) for entry in resolved]
    if not addresses:
        raise RefusedAddressError("the host has no address")
    if not allow_private and not all(is_public(address) for address in addresses):
        msg = "the host is inside a private network (TURNFOLD_GATEWAY_WEBHOOK_PRIVATE=on allows it)"
        raise RefusedAddressError(msg)
    return addresses[0]


def is_public(address: str) -> bool:
    """Tell whether an address is on the public internet; IPv4 inside IPv6 is judged as IPv4."""
    parsed = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(parsed, ipaddress.IPv6Address):
        inner = parsed.ipv4_mapped or parsed.sixtofour or (parsed.teredo[1] if parsed.teredo else None)
        if inner is None and parsed in _NAT64:
            inner = ipaddress.IPv4Address(int(parsed) & 0xFFFFFFFF)
        if inner is not None:
            return is_public(str(inner))
        if parsed not in _GLOBAL_UNICAST:
            return False
    if any(parsed in network for network in _INSIDE_ALL_THE_SAME):
        return False
    return parsed.is_global and not parsed.is_multicast and not parsed.is_reserved


_NAT64: Final = ipaddress.IPv6Network("64:ff9b::/96")
_GLOBAL_UNICAST: Final = ipaddress.IPv6Network("2000::/3")
"""All IPv6 that the internet routes; `is_global` is also true of site-local addresses."""
_INSIDE_ALL_THE_SAME: Final = (
    ipaddress.ip_network("192.0.0.0/24"),  # protocol assignments, RFC 6890
    ipaddress.ip_network("192.88.99.0/24"),  # relays of 6to4, no longer in use
    ipaddress.ip_network("168.63.129.16/32"),  # the virtual machine's agent in Azure
    ipaddress.ip_network("3fff::/20"),  # documentation, RFC 9637
)
"""Networks that are not on the internet, even if `is_global` is true of them."""
