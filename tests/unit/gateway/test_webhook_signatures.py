"""A receiver, ours or the guide's, accepts only recent and unchanged signed messages, and raises on no header."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.examples import examples
from support.webhook_guide import documented_receiver
from turnfold_gateway.webhooks.signatures import TOLERANCE_SECONDS, new_secret, signed_headers, verify

NOW = 1_800_000_000
BODY = b'{"type":"conversation.folded"}'
SECRET = new_secret()
HEADERS = signed_headers(SECRET, "msg_1", NOW, BODY)

Receiver = Callable[[str, Mapping[str, str], bytes], bool]
Receivers = Callable[[float], Receiver]


@pytest.fixture(params=["ours", "the guide's"])
def at(request: pytest.FixtureRequest) -> Receivers:
    """A function that makes a receiver for a given time."""
    if request.param == "ours":
        return lambda now: partial(verify, now=now)
    return documented_receiver


@pytest.mark.parametrize("late", [0, TOLERANCE_SECONDS, -TOLERANCE_SECONDS])
def test_what_was_signed_a_while_ago_is_taken(at: Receivers, late: int) -> None:
    assert at(NOW + late)(SECRET, HEADERS, BODY)
    others = {**HEADERS, "webhook-signature": f"v1a,other v1,wrong {HEADERS['webhook-signature']}"}
    assert at(NOW + late)(SECRET, others, BODY)


@pytest.mark.parametrize("late", [TOLERANCE_SECONDS + 1, -TOLERANCE_SECONDS - 1, 1e300, float("nan")])
def test_what_is_sent_again_later_is_not(at: Receivers, late: float) -> None:
    assert not at(NOW + late)(SECRET, HEADERS, BODY)


@pytest.mark.parametrize(
    "changed",
    [
        {"webhook-id": "msg_2"}, {"webhook-id": "\udcff"}, {"webhook-timestamp": str(NOW + 1)},
        {"webhook-timestamp": "9" * 400}, {"webhook-timestamp": "9" * 5_000}, {"webhook-timestamp": "nan"},
        {"webhook-timestamp": ""}, {"webhook-timestamp": "1_800_000_000"}, {"webhook-timestamp": f" {NOW}"},
        {"webhook-timestamp": f"{NOW}.0"}, {"webhook-timestamp": "\udcff"}, {"webhook-signature": ""},
        {"webhook-signature": "v1,"}, {"webhook-signature": "\u00e9"}, {"webhook-signature": "v1,\udcff"},
        {"webhook-signature": "v2" + HEADERS["webhook-signature"][2:]},
    ],
)  # fmt: skip
def test_a_changed_header_is_not_taken(at: Receivers, changed: dict[str, str]) -> None:
    assert not at(NOW)(SECRET, {**HEADERS, **changed}, BODY)


@examples(300)
@given(changed=st.dictionaries(st.sampled_from(sorted(HEADERS)), st.text(st.characters()), min_size=1))
def test_no_made_up_header_is_taken_or_fails(changed: dict[str, str]) -> None:
    for receiver in (partial(verify, now=NOW), documented_receiver(NOW)):
        assert receiver(SECRET, {**HEADERS, **changed}, BODY) is (changed.items() <= HEADERS.items())


@pytest.mark.parametrize("missing", sorted(HEADERS))
def test_a_missing_header_is_not_taken(at: Receivers, missing: str) -> None:
    assert not at(NOW)(SECRET, {name: text for name, text in HEADERS.items() if name != missing}, BODY)


def test_another_body_or_secret_is_not_taken(at: Receivers) -> None:
    assert not at(NOW)(SECRET, HEADERS, BODY + b" ")
    assert not at(NOW)(new_secret(), HEADERS, BODY)
    assert not at(NOW)(SECRET, {}, BODY)
    for secret in ("whsec_!!", "whsec_\u00e9"):
        assert not verify(secret, HEADERS, BODY, now=NOW)
