"""Secrets and personal data never leave this machine, and are restored in the model's answers."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from support.refinery import Refinery
from support.talk import talk
from turnfold_worker.pipeline.refinement.sources import ModelRequest, Purpose
from turnfold_worker.testing import model_replies as scribe
from turnfold_worker.testing.model_server import Request

pytest.importorskip("datafog", reason="pip install 'turnfold-worker[redact]'")
pytest.importorskip("detect_secrets", reason="pip install 'turnfold-worker[redact]'")

SECRETS = (
    "mara.lind@example.org", "+49 170 1234567", "4111 1111 1111 1111", "10.20.30.40", "AKIAIOSFODNN7EXAMPLE",
    "ghp_abcdefghijklmnopqrstuvwxyz0123456789", "hunter22xyz",
)  # fmt: skip
SAID = (
    f"The contact is {SECRETS[0]} or {SECRETS[1]}.", f"They pay with card {SECRETS[2]} every month.",
    f"The staging host answers on {SECRETS[3]} only.", f"Use the access key {SECRETS[4]} for uploads.",
    f"The pipeline token is {SECRETS[5]} for now.", f"password = '{SECRETS[6]}' opens the admin page.",
)  # fmt: skip


def private_talk() -> list[dict[str, object]]:
    turns = talk("c", 50)
    for place, sentence in enumerate(SAID):
        turns[3 * place]["content"] += f" {sentence}"
    return turns  # type: ignore[return-value]


def test_what_is_private_is_not_sent_and_quotes_of_it_are_kept_whole(make_refinery: Callable[..., Refinery]) -> None:
    refinery = make_refinery(redact=True)

    def answer(request: Request) -> str:
        body = json.loads(scribe.answer(request))
        told = {one.number: one for one in scribe.read_request(request["messages"][1]["content"])}
        for segment in body.get("segments", ()):
            segment["quotes"] = [
                {"turn": numbers[0], "type": "critical_fact", "quote": sentence}
                for numbers, _, words in told[segment["segment"]].turns
                for sentence in scribe.sentences(words)
                if "<card-" in sentence or "<email-" in sentence or "<secret-" in sentence
            ]
        return json.dumps(body)

    refinery.server.answer = answer
    refinery.fold("c", private_talk())
    sent = json.dumps([request["messages"] for request in refinery.server.requests])
    for secret in SECRETS:
        assert secret not in sent
    assert set(refinery.states) <= {"done", "skipped"}
    used = refinery.used()
    assert used["quotes_refused"] == 0
    found = " ".join(row[0] for row in refinery.query("SELECT body FROM anchor"))
    assert sum(secret in found for secret in SECRETS) >= 4
    replies = json.dumps(refinery.query("SELECT CAST(body AS TEXT) FROM reply"))
    assert not any(secret in replies for secret in SECRETS), "what is kept of replies holds placeholders"


@pytest.mark.parametrize(
    "secret",
    [
        f"-----BEGIN RSA PRIVATE KEY-----\n{'MIIEowIBAAKCAQEA' * 4}\n-----END RSA PRIVATE KEY-----",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U",
        f"sk-proj-{'aB3' * 12}T3BlbkFJ{'xY7' * 12}", "xoxb-1234567890-abcdefghij", "postgres://app:s3cr3tpw@db/x",
    ],
    ids=["private key", "JWT", "OpenAI key", "Slack token", "URL with a password"],
)  # fmt: skip
def test_a_secret_is_hidden_whole(secret: str) -> None:
    from turnfold_worker.adapters.redaction import PersonalDataRedactor

    user = f"Before it.\n#7 user: look: {secret}\nand after."
    request = ModelRequest(purpose=Purpose.NOTES, model="m", prompt_version="p", system="s", user=user, max_tokens=1)
    hidden, restore = PersonalDataRedactor().hide(request)
    for piece in secret.replace("db/x", "").replace("postgres", "").split("\n"):
        assert piece not in hidden.user
    assert hidden.user.startswith("Before it.\n#7 user: look: ")
    assert hidden.user.endswith("\nand after.")
    assert json.loads(restore(json.dumps(hidden.user))) == user


def test_the_same_words_are_redacted_alike_and_come_back_whole() -> None:
    from turnfold_worker.adapters.redaction import PersonalDataRedactor

    redactor = PersonalDataRedactor()
    user = f"{' '.join(SAID)} <email-1> {SECRETS[0]} again"
    request = ModelRequest(purpose=Purpose.NOTES, model="m", prompt_version="p", system="s", user=user, max_tokens=1)
    hidden, restore = redactor.hide(request)
    again, _ = redactor.hide(request)
    assert hidden == again
    assert not any(secret in hidden.user for secret in SECRETS)
    assert "<email-1>" in hidden.user, "what looked like a placeholder before stays"
    reply = json.dumps({"quote": hidden.user})
    assert json.loads(restore(reply))["quote"] == user
