"""The page `/ui`, in a real browser next to real workers, and under hostile requests."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from typing import Any

import httpx
import pytest

from support.browser import Browser, browser
from support.gateway import Gateway, form_token, path_of, signed_in
from support.places import servers
from turnfold import Settings, Turnfold
from turnfold.contract.keys import Address
from turnfold.contract.tasks import Operation
from turnfold.redis.connections import connect
from turnfold.redis.inbox import ProducerInbox
from turnfold.wire.encode import Entry
from turnfold_gateway.keys.audit import AuditLog
from turnfold_gateway.keys.store import KeyStore
from turnfold_gateway.ui.rendering import address_of

pytestmark = pytest.mark.processes

TENANT = "page"
NAME = "<script>window.hacked = 1</script>/chat"
EVIL = "<script>window.hacked = 1</script><img src=x onerror='window.hacked = 1'> {{ 7 * 7 }}"
TURNS: list[dict[str, Any]] = [
    {"role": "user", "name": "<b>Eve</b>", "content": f"Decision: we use PostgreSQL 16 for {EVIL}. \u202eturned"},
    {"role": "assistant", "content": "مرحبا. I will send the estimate by Friday."},
    {"role": "user", "content": "What about the rent? It must be paid before 3 May 2026."},
] * 12  # fmt: skip
TURNS[2] = {"role": "user", "content": "x" * 1_000_000}


@pytest.fixture(scope="module")
def known(gateway_settings: Settings) -> Iterator[Turnfold]:
    """A conversation with hostile content, folded by workers."""
    with Turnfold(settings=replace(gateway_settings, tenant=TENANT)) as tf:
        tf.append(NAME, [{**turn, "turn_id": f"t{seq}"} for seq, turn in enumerate(TURNS, 1)])
        tf.wait(NAME, timeout_seconds=90)
        assert tf.status(NAME).segments
        yield tf


@pytest.fixture(scope="module")
def looking(gateway: Gateway, known: Turnfold, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """A browser whose user has signed in with the keyboard."""
    with browser(tmp_path_factory.mktemp("page")) as opened:
        opened.look_like()
        opened.open(f"{gateway.url}/ui")
        opened.type(gateway.key(TENANT, "read", "admin"))
        opened.press("Enter")
        opened.wait_for("document.querySelector('.who') !== null")
        yield opened


PAGES = {
    "list": "/ui", "jobs": "/ui/jobs", "usage": "/ui/usage", "timeline": address_of(NAME),
    "segment": address_of(NAME, "segments", 1), "turns": address_of(NAME, "turns", page=1),
    "turn": address_of(NAME, "turns", 3), "anchors": address_of(NAME, "anchors", state="any"),
    "search": address_of(NAME, "search", words="PostgreSQL"), "context": address_of(NAME, "context", budget=3_000),
    "diff": address_of(NAME, "diff"), "forget": address_of(NAME, "forget"),
    "nothing": address_of("nobody", "context", budget=10),
}  # fmt: skip


@pytest.mark.parametrize("name", PAGES)
def test_a_page_runs_nothing_that_was_said_and_fits_on_a_phone(looking: Browser, gateway: Gateway, name: str) -> None:
    looking.complaints.clear()
    looking.look_like(width=390, height=844, dark=True)
    looking.open(gateway.url + PAGES[name])

    assert looking.evaluate("document.querySelector('main h1, main h2').innerText.length") > 0
    assert looking.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0
    assert looking.evaluate("window.hacked ?? null") is None
    assert looking.complaints == []
    assert looking.evaluate("document.documentElement.outerHTML.length") < 1_000_000


def test_the_context_follows_the_slider_and_markers_open_in_place(looking: Browser, gateway: Gateway) -> None:
    looking.look_like()
    looking.open(gateway.url + PAGES["context"])
    before = looking.evaluate("document.querySelector('.spent').innerText")
    looking.evaluate("document.querySelector('input[type=range]').focus()")
    looking.press("ArrowRight", times=40)
    looking.wait_for(f"document.querySelector('.spent').innerText !== {before!r}")
    assert looking.evaluate("new URL(location).searchParams.get('budget')") != "3000"
    kinds = set(looking.evaluate("[...document.querySelectorAll('.piece h4')].map((piece) => piece.innerText)"))
    assert {"Standing facts", "Recent turns"} <= kinds

    looking.wait_for("document.querySelector('#context').getAttribute('aria-busy') === 'false'")
    looking.evaluate("document.querySelector('.context-page a.marker').focus()")
    looking.press("Enter")
    looking.wait_for("document.querySelector('.opened .said') !== null")
    looking.press("Enter")
    looking.wait_for("document.querySelector('.opened') === null")


def test_a_look_at_the_page_counts_as_no_look_up(looking: Browser, gateway: Gateway, known: Turnfold) -> None:
    looking.open(gateway.url + PAGES["segment"])
    assert known.segments(NAME, limit=1)[0].expansions == 0


def test_without_a_key_there_is_a_form_and_nothing_else(gateway: Gateway, known: Turnfold) -> None:
    with gateway.client() as client:
        page = client.get("/ui")
        assert page.status_code == 200
        assert 'name="key"' in page.text
        for path in [*PAGES.values()][1:]:
            answer = client.get(path)
            assert answer.status_code == 401
            assert "PostgreSQL" not in answer.text.replace("words=PostgreSQL", "")
        refused = client.post("/ui/sign-in", data={"key": "tfk_0123456789ab_" + "x" * 43})
    assert (refused.status_code, refused.cookies) == (401, httpx.Cookies())


def test_what_there_is_not_and_what_is_no_day_are_told_with_a_remedy(gateway: Gateway, known: Turnfold) -> None:
    with signed_in(gateway, TENANT, "read") as client:
        turn = client.get(address_of(NAME, "turns", 999))
        day = client.get(address_of(NAME, "context", as_of="banana"))
    assert (turn.status_code, "Unknown turn" in turn.text) == (404, True)
    assert "write it as 2026-03-06" in day.text


def test_a_conversation_that_was_only_configured_has_empty_pages(
    gateway: Gateway, http: httpx.Client, tf: Turnfold, tenant: str
) -> None:
    http.patch(path_of("planned"), json={"title": "The journey"})
    tf.wait("planned", timeout_seconds=90)
    with signed_in(gateway, tenant, "read", "admin") as client:
        assert address_of("planned") in client.get("/ui").text
        pages = [client.get(address_of("planned", *part)) for part in ([], ["turns"], ["anchors"], ["search"],
                 ["context"], ["diff"], ["forget"])]  # fmt: skip
        nobody = client.get(address_of("nobody"))
    assert [page.status_code for page in pages] == [200] * 7
    assert ["Nothing was said yet." in page.text for page in pages[:2]] == [True, True]
    assert nobody.status_code == 404


@pytest.mark.parametrize("number", ["0", "999999999", "4294967296", "9" * 20, "9" * 5_000, "-1", "x"])
@pytest.mark.parametrize("part", ["turns", "segments"])
def test_a_number_that_no_turn_or_segment_has_leads_nowhere(
    gateway: Gateway, known: Turnfold, part: str, number: str
) -> None:
    with signed_in(gateway, TENANT, "read") as client:
        answer = client.get(address_of(NAME, part, number))
    assert (answer.status_code, "Unknown" in answer.text) == (404, True)


def test_an_address_that_no_page_has_is_told_on_a_page(gateway: Gateway) -> None:
    with signed_in(gateway, TENANT, "read") as client:
        nowhere = client.get("/ui/nowhere")
        slash = client.get("/ui/jobs/")
    assert (nowhere.status_code, "Page not found" in nowhere.text) == (404, True)
    assert (slash.status_code, slash.headers["location"]) == (307, "/ui/jobs")
    with gateway.client() as client:
        stranger = client.get("/ui/nowhere")
    assert (stranger.status_code, 'name="key"' in stranger.text) == (401, True)


def test_the_cookie_is_for_this_page_alone_and_headers_are_strict(gateway: Gateway, known: Turnfold) -> None:
    with signed_in(gateway, TENANT, "read") as client:
        again = client.post("/ui/sign-in", data={"key": client.cookies["turnfold_key"]})
        flags = again.headers["set-cookie"].lower()
        assert "httponly" in flags
        assert "samesite=strict" in flags
        assert "path=/ui" in flags
        page = client.get(PAGES["timeline"])
    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert not re.search(r"<script(?! src)|<style|\sstyle=|\son\w+=", page.text)


def test_the_cookie_never_leaves_tls_where_a_proxy_ends_it(gateway: Gateway) -> None:
    key = gateway.key(TENANT, "read")
    for scheme in ("http", "https"):
        headers = {"Host": "turnfold.example.com", "Origin": f"{scheme}://turnfold.example.com"}
        with gateway.client() as client:
            flags = client.post("/ui/sign-in", data={"key": key}, headers=headers).headers["set-cookie"].lower()
        assert ("secure" in flags) == (scheme == "https")


def test_a_form_that_is_too_large_is_not_read_to_its_end(gateway: Gateway) -> None:
    large = {"content": iter([b"key=", *[b"x" * 50_000] * 4]), "headers": {"Transfer-Encoding": "Chunked"}}
    with gateway.client() as client:
        assert client.post("/ui/sign-in", **large).status_code == 413
        assert client.post("/ui/sign-in", data={f"field{number}": "x" for number in range(50)}).status_code == 413


def test_a_read_key_changes_nothing_and_a_wrong_name_forgets_nothing(gateway: Gateway, known: Turnfold) -> None:
    with signed_in(gateway, TENANT, "read") as reader:
        assert reader.get(PAGES["forget"]).status_code == 403
        answer = reader.post(PAGES["forget"], data={"name": NAME, "form_token": form_token(reader)})
        assert answer.status_code == 403
    with signed_in(gateway, TENANT, "admin") as admin:
        wrong = {"name": "another", "form_token": form_token(admin)}
        assert admin.post(PAGES["forget"], data=wrong).status_code == 422
    assert known.status(NAME).stored == len(TURNS)


def test_tenants_never_meet(gateway: Gateway, known: Turnfold) -> None:
    with signed_in(gateway, "page-other", "admin") as client:
        assert "No conversation yet" in client.get("/ui").text
        for name in ("timeline", "segment", "turn", "anchors", "context"):
            assert "PostgreSQL" not in client.get(PAGES[name]).text
        assert client.get(PAGES["timeline"]).status_code == 404


def test_an_admin_forgets_a_conversation_and_sees_the_receipt(gateway: Gateway, known: Turnfold) -> None:
    known.append("to forget", {"role": "user", "content": "Remember me."})
    known.wait("to forget")
    with signed_in(gateway, TENANT, "admin") as admin:
        path = address_of("to forget", "forget")
        assert "erased" in admin.get(path).text
        answer = admin.post(path, data={"name": "to forget", "form_token": form_token(admin)})
        assert answer.status_code == 200
        assert "1 turn," in answer.text
        assert admin.get(address_of("to forget")).status_code == 404
    with closing(KeyStore(gateway.settings)) as store:
        entries = AuditLog(store).entries(TENANT, limit=10, conversation="to forget")
    assert [(entry.action, entry.status) for entry in entries] == [("forgetConversation", 200)]


def test_parked_work_is_shown_and_skipped(gateway: Gateway, known: Turnfold) -> None:
    park(gateway.settings)
    known.append("parked", {"role": "user", "content": "And on it goes."})
    known.wait("parked")
    with signed_in(gateway, TENANT, "read") as reader:
        assert "parked" in reader.get("/ui/jobs").text
        assert "Retry" not in reader.get("/ui/jobs").text
    with signed_in(gateway, TENANT, "admin") as admin:
        (work,) = known.jobs()
        fields = {"id": work.id, "action": "skip", "form_token": form_token(admin)}
        answer = admin.post("/ui/jobs/decide", data=fields, follow_redirects=True)
        assert "the placeholder stays" in answer.text
        assert admin.post("/ui/jobs/decide", data={**fields, "action": "burn"}).status_code == 422
    assert known.jobs() == []


def park(settings: Settings) -> None:
    """Let a worker park an entry that no client would write."""
    with connect(settings.redis_url, timeout_seconds=5) as client:
        ProducerInbox(servers(client)).append(
            Address(TENANT, "parked"), Operation.APPEND, [Entry("bad-1", b"not JSON")], most_entries=100,
            most_bytes=10_000, bell=True,
        )  # fmt: skip
