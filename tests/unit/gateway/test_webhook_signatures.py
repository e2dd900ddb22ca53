"""A receiver takes what was signed a little while ago, once changed or late nothing, and fails at no header."""

from __future__ import annotations

import pytest

from turnfold_gateway.webhooks.signatures import TOLERANCE_SECONDS, new_secret, signed_headers, verify

NOW = 1_800_000_000
BODY = b'{"type":"conversation.folded"}'
SECRET = new_secret()
HEADERS = signed_headers(SECRET, "msg_1", NOW, BODY)


@pytest.mark.parametrize("late", [0, TOLERANCE_SECONDS, -TOLERANCE_SECONDS])
def test_what_was_signed_a_while_ago_is_taken(late: int) -> None:
    assert verify(SECRET, HEADERS, BODY, now=NOW + late)
    others = {**HEADERS, "webhook-signature": f"v1a,other v1,wrong {HEADERS['webhook-signature']}"}
    assert verify(SECRET, others, BODY, now=NOW + late)


@pytest.mark.parametrize("late", [TOLERANCE_SECONDS + 1, -TOLERANCE_SECONDS - 1, 1e300, float("nan")])
def test_what_is_sent_again_later_is_not(late: float) -> None:
    assert not verify(SECRET, HEADERS, BODY, now=NOW + late)


@pytest.mark.parametrize(
    "changed",
    [
        {"webhook-id": "msg_2"}, {"webhook-timestamp": str(NOW + 1)}, {"webhook-timestamp": "9" * 400},
        {"webhook-timestamp": "9" * 5_000}, {"webhook-timestamp": "nan"}, {"webhook-signature": ""},
        {"webhook-signature": "v1,"}, {"webhook-signature": "\u00e9"},
        {"webhook-signature": "v2" + HEADERS["webhook-signature"][2:]},
    ],
)  # fmt: skip
def test_a_changed_header_is_not_taken(changed: dict[str, str]) -> None:
    assert not verify(SECRET, {**HEADERS, **changed}, BODY, now=NOW)


def test_another_body_or_secret_is_not_taken() -> None:
    assert not verify(SECRET, HEADERS, BODY + b" ", now=NOW)
    assert not verify(new_secret(), HEADERS, BODY, now=NOW)
    assert not verify("whsec_!!", HEADERS, BODY, now=NOW)
    assert not verify(SECRET, {}, BODY, now=NOW)
