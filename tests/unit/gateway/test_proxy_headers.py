"""The proxy forwards the caller's and the provider's own headers, and no others."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.examples import examples
from turnfold_gateway.proxy.headers import Headers, body_length, own_headers, request_headers, response_headers

SENT: Headers = [
    (b"Host", b"gateway"), (b"Authorization", b"Bearer sk"), (b"X-Turnfold-Key", b"tfk"), (b"Content-Length", b"3"),
    (b"Connection", b"keep-alive, X-Own"), (b"X-Own", b"1"), (b"OpenAI-Organization", b"org"),
    (b"Accept-Encoding", b"gzip, br"), (b"Content-Encoding", b"gzip"),
]  # fmt: skip


def test_the_callers_own_headers_pass_and_those_of_a_connection_and_ours_do_not() -> None:
    kept = [(b"authorization", b"Bearer sk"), (b"openai-organization", b"org")]
    assert request_headers(SENT, same_body=False) == [*kept, (b"accept-encoding", b"gzip")]
    assert (b"content-encoding", b"gzip") in request_headers(SENT, same_body=True)


@pytest.mark.parametrize(
    ("given_value", "sent"),
    [(b"br, zstd", b"identity"), (b"gzip;q=0, deflate", b"deflate"), (b"*", b"identity"), (b"GZIP;q=0.5", b"gzip")],
)
def test_only_encodings_that_can_be_read_are_asked_for(given_value: bytes, sent: bytes) -> None:
    assert request_headers([(b"Accept-Encoding", given_value)], same_body=True) == [(b"accept-encoding", sent)]


def test_a_body_in_pieces_has_the_callers_length_unless_it_came_in_chunks() -> None:
    assert body_length(SENT) == [(b"content-length", b"3")]
    assert body_length([*SENT, (b"Transfer-Encoding", b"chunked")]) == []


def test_an_answers_length_and_encoding_pass_and_its_cookies_too() -> None:
    answered = [(b"Content-Encoding", b"gzip"), (b"Content-Length", b"9"), (b"Set-Cookie", b"a"), (b"Set-Cookie", b"b")]
    passed = response_headers([*answered, (b"Transfer-Encoding", b"chunked"), (b"X-Turnfold-Memory", b"forged")])
    assert passed == [(name.lower(), value) for name, value in answered]


def test_headers_without_a_value_are_not_added() -> None:
    assert own_headers({"X-Turnfold-Tokens": 5, "X-Turnfold-Folded": None}) == [(b"x-turnfold-tokens", b"5")]


NAMES = st.text("abcXYZ-", min_size=1).map(str.encode) | st.sampled_from([name for name, _ in SENT])


@examples(100)
@given(st.lists(st.tuples(NAMES, st.binary(max_size=20))))
def test_nothing_of_ours_or_of_a_connection_ever_passes(headers: Headers) -> None:
    sent, passed = request_headers(headers, same_body=True), response_headers(headers)
    assert not [name for name, _ in (*sent, *passed) if name.lower().startswith(b"x-turnfold")]
    assert not {b"connection", b"transfer-encoding"} & {name for name, _ in (*sent, *passed)}
    assert not {b"host", b"content-length"} & {name for name, _ in sent}
