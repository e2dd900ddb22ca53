"""An unreachable provider and invalid settings of the proxy are reported with what to check."""

from __future__ import annotations

import gzip
import zlib

import pytest

from turnfold import InvalidInput
from turnfold_gateway.problems import Problem
from turnfold_gateway.proxy.upstream import Decoded, Upstream
from turnfold_gateway.settings import GatewaySettings


@pytest.mark.parametrize(
    ("url", "status", "remedy"),
    [
        ("", 501, "TURNFOLD_GATEWAY_UPSTREAM_URL"),
        # The discard port, on which nothing listens.
        ("http://127.0.0.1:9/v1", 502, "TURNFOLD_GATEWAY_UPSTREAM_URL"),
    ],
)
async def test_a_provider_that_is_not_there_is_a_problem_that_says_where_to_look(
    url: str, status: int, remedy: str
) -> None:
    upstream = Upstream(GatewaySettings(upstream_url=url))
    with pytest.raises(Problem) as caught:
        await upstream.send("/chat/completions", "", [(b"authorization", b"Bearer sk-hidden")], b"{}")
    await upstream.close()
    assert caught.value.status == status
    assert remedy in caught.value.document["error"]["message"]
    assert "sk-hidden" not in str(caught.value.document)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("UPSTREAM_URL", "api.example.com"),
        ("UPSTREAM_URL", "https://user:hidden@"),
        ("UPSTREAM_URL", "https://api.example.com/v1?key=hidden"),
        ("UPSTREAM_TIMEOUT_SECONDS", "0"),
        ("PROXY_BUDGET_TOKENS", "100"),
        ("PROXY_TENANT", "a\x00b"),
        ("PROXY_WAIT_SECONDS", "-1"),
    ],
)
def test_a_setting_that_makes_no_sense_is_named(name: str, text: str) -> None:
    with pytest.raises(InvalidInput, match=f"TURNFOLD_GATEWAY_{name}") as caught:
        GatewaySettings.from_env({f"TURNFOLD_GATEWAY_{name}": text})
    assert "hidden" not in str(caught.value)


@pytest.mark.parametrize(("encoding", "pack"), [("gzip", gzip.compress), ("deflate", zlib.compress), ("", bytes)])
def test_a_body_reads_the_same_in_each_encoding(encoding: str, pack: object) -> None:
    assert callable(pack)
    packed = pack(b"Noted. " * 40)
    decoded = Decoded(encoding)
    read = b"".join(decoded.of(packed[at : at + 3], most_bytes=1_000) for at in range(0, len(packed), 3))
    assert read == b"Noted. " * 40


def test_a_body_that_cannot_be_read_reads_as_nothing() -> None:
    assert Decoded("zstd").of(b"abc", most_bytes=10) == b""
    broken = Decoded("gzip")
    assert broken.of(b"no gzip at all", most_bytes=10) == b""
    assert broken.of(gzip.compress(b"abc"), most_bytes=10) == b""
