"""Each route of `/v1` answers over HTTP what the SDK returns."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from support.gateway import Gateway, gateway_process, path_of
from support.waiting import wait_until
from turnfold import InvalidSettings, Settings, Turnfold
from turnfold.contract.keys import gateway_idempotency
from turnfold.redis.connections import connect
from turnfold.tokens import tiktoken_counter

pytestmark = pytest.mark.processes

TURNS = [
    {"role": "user", "content": "Decision: we use PostgreSQL 16 with one replica.", "turn_id": "m-1"},
    {"role": "assistant", "content": "Noted. I will send the estimate by Friday.", "turn_id": "m-2"},
    {"role": "user", "content": "The budget is 300 euros a month.", "turn_id": "m-3"},
    {"role": "user", "content": "Which pooler fits the connection limit?", "turn_id": "m-4", "importance": "high"},
]


@pytest.fixture
def talk(tf: Turnfold) -> str:
    """A conversation of four turns, stored and folded."""
    tf.append("team/talk", TURNS)
    tf.wait("team/talk")
    return "team/talk"


def test_turns_come_in_pages(http: httpx.Client, talk: str) -> None:
    first = http.get(path_of(talk, "turns"), params={"limit": 3}).json()
    second = http.get(path_of(talk, "turns"), params={"limit": 3, "cursor": first["next_cursor"]}).json()
    end = http.get(path_of(talk, "turns"), params={"limit": 3, "cursor": second["next_cursor"]}).json()

    assert [turn["turn_id"] for turn in first["turns"] + second["turns"]] == ["m-1", "m-2", "m-3", "m-4"]
    assert end == {"turns": [], "next_cursor": None}
    assert (second["turns"][0]["importance"], second["turns"][0]["state"]) == ("high", "stored")


def test_a_turn_is_edited_and_deleted(http: httpx.Client, tf: Turnfold, talk: str) -> None:
    edited = http.patch(path_of(talk, "turns", "m-3"), json={"content": "The budget is 500 euros a month."})
    deleted = http.delete(path_of(talk, "turns", "m-2"))
    unknown = http.delete(path_of(talk, "turns", "m-9"))

    assert (edited.status_code, deleted.status_code, unknown.status_code) == (204, 204, 404)
    assert unknown.json()["type"] == "urn:turnfold:problem:unknown-turn"
    contents = [turn.content for turn in tf.turns(talk)]
    assert contents[1:3] == ["", "The budget is 500 euros a month."]


def test_a_conversation_is_rewound(http: httpx.Client, tf: Turnfold, talk: str) -> None:
    assert http.post(path_of(talk, "rewind"), json={"after": "m-2"}).status_code == 204
    assert [turn.turn_id for turn in tf.turns(talk)] == ["m-1", "m-2"]


@pytest.mark.parametrize("form", ["openai", "anthropic"])
def test_a_context_in_a_providers_form(http: httpx.Client, tf: Turnfold, talk: str, form: str) -> None:
    read = http.post(path_of(talk, "context"), json={"budget_tokens": 900, "form": form, "system": "Be brief."}).json()

    assert read["form"] == form
    assert "text" not in read
    request = tf.context(talk, budget_tokens=900, system="Be brief.").request(form)
    assert {name: read[name] for name in request} == json.loads(json.dumps(request))


def own_counter(encoding: str) -> tuple[Callable[[str], int] | None, str]:
    """Return tiktoken's counter, or the reason why this machine has none."""
    try:
        return tiktoken_counter(encoding).count, ""
    except InvalidSettings as error:
        return None, error.problem


def test_a_context_is_counted_by_a_callers_tokenizer_where_its_file_is_there(http: httpx.Client, talk: str) -> None:
    read = http.post(path_of(talk, "context"), json={"budget_tokens": 900, "tokenizer": "o200k_base"})
    refused = http.post(path_of(talk, "context"), json={"budget_tokens": 900, "tokenizer": "klingon"})

    counts, why_not = own_counter("o200k_base")
    if counts is None:
        assert (read.status_code, read.json()["detail"]) == (422, why_not)
    else:
        assert "o200k_base" in read.json()["counter"]
        assert counts(read.json()["text"]) <= read.json()["tokens"] <= 900
    assert refused.status_code == 422


def test_a_context_tells_its_statements(http: httpx.Client, tf: Turnfold, talk: str) -> None:
    read = http.post(path_of(talk, "context"), json={"budget_tokens": 900, "form": "json", "query": "pooler"}).json()

    assert read["fingerprint"] == tf.context(talk, budget_tokens=900, query="pooler").fingerprint
    assert {statement["kind"] for statement in read["statements"]} >= {"turn"}


def test_a_context_of_a_day(http: httpx.Client, tf: Turnfold) -> None:
    tf.append(
        "dated",
        [{"role": "user", "content": f"Day {day}.", "created_at": f"2026-03-0{day}T12:00:00Z"} for day in (1, 2, 3)],
    )
    read = http.post(path_of("dated", "context"), json={"budget_tokens": 900, "as_of": "2026-03-02"}).json()
    refused = http.post(path_of("dated", "context"), json={"budget_tokens": 900, "as_of": "next week"})

    assert "Day 2." in read["text"]
    assert "Day 3." not in read["text"]
    assert (refused.status_code, "2026-03-06" in refused.json()["remedy"]) == (422, True)


def test_a_marker_is_expanded(http: httpx.Client, tf: Turnfold, talk: str) -> None:
    expanded = http.get(path_of(talk, "expand", "L0:turn-1"))
    wrong = http.get(path_of(talk, "expand", "L1:pooler-99"))

    assert expanded.json()["turns"][0]["content"] == TURNS[0]["content"]
    assert (wrong.status_code, wrong.json()["type"]) == (404, "urn:turnfold:problem:unknown-marker")


def test_a_conversation_is_asked(http: httpx.Client, tf: Turnfold, talk: str) -> None:
    hits = http.get(path_of(talk, "search"), params={"query": "pooler", "limit": 3}).json()["hits"]
    anchors = http.get(path_of(talk, "anchors"), params={"types": "decision", "states": "all"}).json()["anchors"]
    notes = http.get(path_of(talk, "notes"), params={"min_importance": 0}).json()["notes"]
    entries = http.get(path_of(talk, "timeline")).json()["entries"]
    status = http.get(path_of(talk, "status")).json()

    assert [hit["marker"] for hit in hits] == [hit.marker for hit in tf.search(talk, "pooler", limit=3)]
    assert [anchor["text"] for anchor in anchors] == [
        anchor.text for anchor in tf.anchors(talk, types=["decision"], states=None)
    ]
    assert [note["text"] for note in notes] == [note.text for note in tf.notes(talk, min_importance=0)]
    assert [entry["text"] for entry in entries] == [entry.text for entry in tf.timeline(talk)]
    assert (status["stored"], status["inbox"], status["parked"]) == (4, 0, 0)


def test_anchors_come_in_pages(http: httpx.Client, tf: Turnfold, talk: str) -> None:
    every = [anchor.id for anchor in tf.anchors(talk, states=None)]
    told: list[int] = []
    wanted: dict[str, Any] = {"states": "all", "limit": 1}
    while (page := http.get(path_of(talk, "anchors"), params=wanted).json())["anchors"]:
        told += [anchor["id"] for anchor in page["anchors"]]
        wanted["cursor"] = page["next_cursor"]
    assert (told, page["next_cursor"]) == (every, None)
    assert len(every) > 1


def test_a_timeline_comes_in_pages_from_a_cursor_on(http: httpx.Client, tf: Turnfold, talk: str) -> None:
    every = [entry.turn_seq for entry in tf.timeline(talk, after=0)]
    told: list[int] = []
    wanted: dict[str, Any] = {"cursor": "0", "limit": 1}
    while (page := http.get(path_of(talk, "timeline"), params=wanted).json())["entries"]:
        told += [entry["turn_seq"] for entry in page["entries"]]
        wanted["cursor"] = page["next_cursor"]
    best = http.get(path_of(talk, "timeline"), params={"limit": 1}).json()
    wrong = http.get(path_of(talk, "timeline"), params={"cursor": "x"})

    assert (told, page["next_cursor"]) == (every, None)
    assert len(every) > 1
    assert (len(best["entries"]), best["next_cursor"]) == (1, None)
    assert (wrong.status_code, wrong.json()["type"]) == (422, "urn:turnfold:problem:invalid-cursor")


@pytest.mark.parametrize(
    ("method", "parts", "sent", "remedy"),
    [
        ("GET", ("turns",), {"params": {"limit": 1_001}}, "read page by page"),
        ("PATCH", ("turns", "m-99"), {"json": {"content": "x"}}, "take ids from receipts or from `turns`"),
    ],
)
def test_a_remedy_is_one_that_callers_over_http_have(
    http: httpx.Client, tf: Turnfold, method: str, parts: tuple[str, ...], sent: dict[str, Any], remedy: str
) -> None:
    tf.append("c", TURNS)
    answer = http.request(method, path_of("c", *parts), **sent)
    assert (answer.status_code // 100, answer.json()["remedy"]) == (4, remedy)


def test_what_there_is_not_is_said_with_a_remedy(http: httpx.Client) -> None:
    answer = http.get(path_of("nobody", "anchors"))

    assert answer.status_code == 404
    assert answer.json()["type"] == "urn:turnfold:problem:unknown-conversation"
    assert answer.json()["remedy"]


def test_conversations_are_listed_configured_and_forgotten(http: httpx.Client, tf: Turnfold) -> None:
    for name in ("a", "b", "c/d"):
        tf.append(name, TURNS)
        tf.wait(name)
    assert http.patch(path_of("b"), json={"title": "Orders", "goal": "Choose a database."}).status_code == 204
    tf.wait("b")

    first = http.get("/v1/conversations", params={"limit": 2}).json()
    rest = http.get("/v1/conversations", params={"cursor": first["next_cursor"]}).json()
    named = [talk["conversation_id"] for talk in first["conversations"] + rest["conversations"]]
    receipt = http.delete(path_of("c/d"))

    assert named == ["a", "b", "c/d"]
    assert first["conversations"][1]["title"] == "Orders"
    assert (receipt.status_code, receipt.json()["completed"], receipt.json()["turns"]) == (200, True, 4)
    assert [talk.conversation_id for talk in tf.conversations()] == ["a", "b"]


def test_an_end_user_is_forgotten(http: httpx.Client, tf: Turnfold) -> None:
    appended = http.post(path_of("one", "turns"), json={"turns": TURNS, "subject": "user/42"})
    tf.wait("one")

    receipt = http.delete(f"/v1/subjects/{quote('user/42', safe='')}")

    assert appended.status_code == 202
    assert [erased["conversation_id"] for erased in receipt.json()["conversations"]] == ["one"]


def test_a_repeat_with_the_same_idempotency_key_adds_nothing(http: httpx.Client, tf: Turnfold) -> None:
    without_ids = [{"role": turn["role"], "content": turn["content"]} for turn in TURNS]
    key = {"Idempotency-Key": "4f2c"}
    first, second = (http.post(path_of("c", "turns"), json={"turns": without_ids}, headers=key) for _ in range(2))
    other = http.post(path_of("c", "turns"), json={"turns": TURNS[:1]}, headers=key)
    elsewhere = http.post(path_of("d", "turns"), json={"turns": TURNS[:1]}, headers=key)

    assert (first.status_code, first.json()) == (202, second.json())
    assert len(tf.turns("c")) == len(TURNS)
    assert (other.status_code, other.json()["type"]) == (422, "urn:turnfold:problem:idempotency-key-reused")
    assert elsewhere.status_code == 202


def test_a_body_may_be_packed_and_an_answer_is_where_it_is_wanted(http: httpx.Client, tf: Turnfold) -> None:
    packed = gzip.compress(json.dumps({"turns": TURNS * 1}).encode())
    appended = http.post(path_of("c", "turns"), content=packed, headers={"Content-Encoding": "gzip"})
    broken = http.post(path_of("c", "turns"), content=packed[:-9], headers={"Content-Encoding": "gzip"})
    answer = http.get("/openapi.json")

    assert (appended.status_code, broken.status_code) == (202, 400)
    assert (answer.headers["content-encoding"], answer.json()["openapi"]) == ("gzip", "3.1.0")


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"{", 400), (b"\xff", 400), (b"[]", 422), (b'{"turns": 1}', 422), (b'{"turns": [], "more": 1}', 422),
        (b'{"turns": [{"role": "robot", "content": "Hi."}]}', 422), (b'{"turns": [{"content": ' + b"[" * 100_000, 400),
        (b'{"turns": [{"role": "user", "content": "' + b"x" * 2_000_000 + b'"}]}', 422),
    ],
    ids=range(8),
)  # fmt: skip
def test_a_body_that_makes_no_sense_is_refused_with_the_reason(http: httpx.Client, body: bytes, status: int) -> None:
    answer = http.post(path_of("c", "turns"), content=body)

    assert (answer.status_code, answer.headers["content-type"]) == (status, "application/problem+json")
    assert answer.json()["detail"]


def test_a_path_or_method_that_there_is_not_is_a_problem(http: httpx.Client) -> None:
    path, method = http.get("/v1/nothing"), http.put(path_of("c", "turns"))

    assert (path.status_code, path.json()["status"]) == (404, 404)
    assert (method.status_code, {*method.headers["allow"].split(", ")}) == (405, {"GET", "HEAD", "POST"})


def test_the_gateway_is_ready(gateway: Gateway) -> None:
    with gateway.client() as client:
        assert client.get("/readyz").status_code == 200


@pytest.fixture(scope="module")
def away() -> Iterator[Gateway]:
    """A gateway whose Redis does not answer and whose database does not exist."""
    settings = Settings(redis_url="redis://127.0.0.1:1/0", database_url="sqlite:////nowhere/turnfold.db")
    with gateway_process(settings, TURNFOLD_TIMEOUT_SECONDS="1") as running:
        yield running


def test_a_gateway_whose_servers_are_away_lives_and_is_not_ready(away: Gateway) -> None:
    with away.client("tfk_0123456789ab_" + "x" * 43) as client:
        ready, read = client.get("/readyz"), client.get("/v1/conversations")

        assert client.get("/healthz").json() == {"status": "ok"}
    assert (ready.status_code, read.status_code) == (503, 503)
    assert (read.headers["retry-after"], "TURNFOLD_DATABASE_URL" in read.json()["detail"]) == ("1", True)


@pytest.fixture(scope="module")
def strict(gateway_settings: Settings) -> Iterator[Gateway]:
    """A gateway with small limits that a web page may call."""
    variables = {
        "TURNFOLD_GATEWAY_MAX_BODY_BYTES": "2000", "TURNFOLD_GATEWAY_KEY_CACHE_SECONDS": "0",
        "TURNFOLD_GATEWAY_CORS_ORIGINS": "https://app.example.com", "TURNFOLD_MAX_INBOX_TURNS": "3",
    }  # fmt: skip
    with gateway_process(gateway_settings, **variables) as running:
        yield running


def test_nothing_may_follow_the_end_of_a_packed_body(http: httpx.Client) -> None:
    packed = gzip.compress(json.dumps({"turns": TURNS}).encode())
    for behind in (b"x", b"x" * 1_000_000, packed):
        answer = http.post(path_of("c", "turns"), content=iter([packed, behind]), headers={"Content-Encoding": "gzip"})
        assert (answer.status_code, answer.json()["type"]) == (400, "urn:turnfold:problem:invalid-gzip")


def test_an_idempotency_key_is_not_for_another_subjects_turns(http: httpx.Client) -> None:
    def append(subject: str) -> int:
        body = {"turns": [{"role": "user", "content": "Hello."}], "subject": subject}
        return http.post(path_of("k", "turns"), json=body, headers={"Idempotency-Key": "1"}).status_code

    assert [append(subject) for subject in ("ana", "ana", "ben")] == [202, 202, 422]


def test_a_key_that_is_used_again_when_it_is_forgotten_drops_no_turn(
    http: httpx.Client, tf: Turnfold, tenant: str, gateway_settings: Settings
) -> None:
    def append(content: str) -> httpx.Response:
        turns = [{"role": "user", "content": content}]
        return http.post(path_of("k", "turns"), json={"turns": turns}, headers={"Idempotency-Key": "1"})

    first = append("Said on one day.")
    assert append("Said on one day.").json() == first.json()
    assert append("Said on the next day.").status_code == 422
    with connect(gateway_settings.redis_url, timeout_seconds=5) as redis:
        remembered = [*redis.scan_iter(gateway_idempotency(tenant, "*"))]
        assert len(remembered) == 1
        redis.delete(*remembered)

    assert append("Said on the next day.").status_code == 202
    tf.wait("k")
    assert [turn.content for turn in tf.turns("k")] == ["Said on one day.", "Said on the next day."]


def test_a_key_that_came_with_refused_turns_may_come_with_corrected_ones(http: httpx.Client) -> None:
    def append(*turns: dict[str, str]) -> httpx.Response:
        return http.post(path_of("k", "turns"), json={"turns": turns}, headers={"Idempotency-Key": "1"})

    turn = {"role": "user", "content": "Said."}
    assert append(turn, {"role": "nobody", "content": "Said."}).json()["type"] == "urn:turnfold:problem:invalid-turn"
    first = append(turn)
    assert (first.status_code, append(turn).json()) == (202, first.json())
    assert append({"role": "user", "content": "Said otherwise."}).status_code == 422


def test_a_body_above_the_limit_is_refused_however_well_it_is_packed(strict: Gateway, tenant: str) -> None:
    body = json.dumps({"turns": [{"role": "user", "content": "x" * 100_000}]}).encode()
    with strict.client(strict.key(tenant, "append")) as client:
        plain = client.post(path_of("c", "turns"), content=body)
        packed = client.post(path_of("c", "turns"), content=gzip.compress(body), headers={"Content-Encoding": "gzip"})

    assert (plain.status_code, packed.status_code) == (413, 413)


def test_turns_that_an_inbox_never_holds_are_refused(strict: Gateway, tenant: str) -> None:
    with strict.client(strict.key(tenant, "append")) as client:
        answer = client.post(path_of("c", "turns"), json={"turns": TURNS})

    assert (answer.status_code, answer.json()["type"]) == (422, "urn:turnfold:problem:invalid-input")


def test_the_path_of_a_turn_that_a_client_resolved_leads_to_no_conversation(strict: Gateway, tenant: str) -> None:
    with strict.client(strict.key(tenant, "append", "admin")) as client:
        client.post(path_of("c", "turns"), json={"turns": TURNS[:1]})
        answer = client.delete(path_of("c") + "/", follow_redirects=True)
        refused = client.post(path_of("c", "turns"), json={"turns": [{**TURNS[0], "turn_id": ".."}]})
        kept = client.get(path_of("c", "status"))

    assert (answer.status_code, answer.json()["type"]) == (404, "urn:turnfold:problem:not-found")
    assert (refused.status_code, refused.json()["type"]) == (422, "urn:turnfold:problem:invalid-identifier")
    assert kept.status_code == 200


@pytest.mark.parametrize(
    ("method", "route", "sent", "remedy"),
    [
        (
            "POST",
            "context",
            {"json": {"budget_tokens": 500, "form": "xml"}},
            "use one of text, openai, anthropic, json",
        ),
        ("POST", "context", {"json": {"budget": 500}}, "use budget_tokens, query, form"),
        ("GET", "search", {"params": {"q": "Kafka"}}, "use query, limit"),
        ("POST", "context", {"json": {"budget_tokens": "many"}}, "correct this field"),
    ],
)
def test_a_request_that_is_not_as_declared_is_told_what_is(
    strict: Gateway, tenant: str, method: str, route: str, sent: dict[str, Any], remedy: str
) -> None:
    with strict.client(strict.key(tenant, "read")) as client:
        answer = client.request(method, path_of("c", route), **sent)

    assert answer.status_code == 422
    assert answer.json()["remedy"].startswith(remedy)


def test_pages_of_named_origins_may_call_and_no_others(strict: Gateway, gateway: Gateway) -> None:
    def allowed(running: Gateway, origin: str) -> str | None:
        asked = {"Origin": origin, "Access-Control-Request-Method": "POST"}
        with running.client() as client:
            return client.options(path_of("c", "context"), headers=asked).headers.get("access-control-allow-origin")

    assert allowed(strict, "https://app.example.com") == "https://app.example.com"
    assert allowed(strict, "https://evil.example.com") is None
    assert allowed(gateway, "https://app.example.com") is None


def test_a_key_makes_as_many_requests_as_it_may(gateway: Gateway, tenant: str) -> None:
    key = gateway.key(tenant, "read", requests_per_minute=3)
    with gateway.client(key) as client:
        answers = [client.get("/v1/conversations") for _ in range(4)]

    assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
    assert 1 <= int(answers[-1].headers["retry-after"]) <= 21


def test_refused_requests_count_too(gateway: Gateway, tenant: str) -> None:
    with gateway.client(gateway.key(tenant, "read", requests_per_minute=2)) as client:
        statuses = [client.delete(path_of("c")).status_code for _ in range(3)]

    assert statuses == [403, 403, 429]


def test_a_revoked_key_opens_nothing(strict: Gateway, gateway: Gateway, tenant: str) -> None:
    from turnfold_gateway.keys.store import KeyStore

    key = gateway.key(tenant, "read")
    store = KeyStore(gateway.settings)
    with strict.client(key) as client, gateway.client(key) as cached:
        before = client.get("/v1/conversations").status_code, cached.get("/v1/conversations").status_code
        assert store.revoke(key.split("_")[1])
        after = client.get("/v1/conversations")
        wait_until(lambda: cached.get("/v1/conversations").status_code == 401, what="the cache has forgotten it")
    store.close()

    assert (before, after.status_code) == ((200, 200), 401)


def test_what_is_served_bounds_headers(gateway: Gateway) -> None:
    with gateway.client() as client, suppress(httpx.TransportError):
        # A client that goes on sending may find the connection closed before the answer.
        assert client.get("/healthz", headers={"X": "a" * 1_000_000}).status_code == 431
    with gateway.client() as client:
        assert client.get("/healthz", headers={"X": "a" * 1_000}).status_code == 200


def test_no_route_is_a_web_socket(gateway: Gateway) -> None:
    upgrade = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "a"}
    with gateway.client(**upgrade) as client:
        assert client.get("/v1/conversations").status_code == 401
