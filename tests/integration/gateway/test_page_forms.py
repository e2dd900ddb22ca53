"""A request that another site makes a browser send changes nothing and signs no user in or out."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest
from starlette.routing import Route

from support.gateway import Gateway, form_token, signed_in
from turnfold import Turnfold
from turnfold_gateway.ui.routes import routes

pytestmark = pytest.mark.processes

FIELDS = {
    "/ui/sign-in": {"key": "tfk_0123456789ab_" + "x" * 43}, "/ui/sign-out": {},
    "/ui/jobs/decide": {"id": "fold-1", "action": "skip"}, "/ui/c/c/forget": {"name": "c"},
}  # fmt: skip
"""Fields of each form that changes something, besides its token."""
DEEDS = ["/ui/sign-out", "/ui/jobs/decide", "/ui/c/c/forget"]
FOREIGN: dict[str, dict[str, str]] = {
    "another site": {"Origin": "https://elsewhere.example"},
    "a page without an origin": {"Origin": "null"},
    "a site below this one": {"Origin": "http://evil.{host}"},
    "this host as a user's name": {"Origin": "http://{host}@elsewhere.example"},
    "another port": {"Origin": "http://127.0.0.1:1"},
    "another site, as the browser says": {"Sec-Fetch-Site": "cross-site", "Origin": "http://{host}"},
    "a site beside this one": {"Sec-Fetch-Site": "same-site"},
    "a browser that says nothing": {"Sec-Fetch-Site": ""},
}
BODIES = {
    "a form": "application/x-www-form-urlencoded", "plain text": "text/plain", "JSON": "application/json",
    "a form of parts": "multipart/form-data; boundary=x", "no type": "",
}  # fmt: skip


@pytest.fixture
def client(gateway: Gateway, tenant: str, tf: Turnfold) -> Iterator[httpx.Client]:
    """A browser with a signed-in admin who has a conversation."""
    tf.append("c", {"role": "user", "content": "Stay."})
    tf.wait("c")
    with signed_in(gateway, tenant, "admin") as client:
        yield client


def headers_of(client: httpx.Client, sender: str) -> dict[str, str]:
    return {name: value.replace("{host}", client.base_url.netloc.decode()) for name, value in FOREIGN[sender].items()}


def assert_nothing_happened(client: httpx.Client, tf: Turnfold, answer: httpx.Response) -> None:
    assert "set-cookie" not in answer.headers
    assert client.get("/ui/jobs").status_code == 200
    assert tf.status("c").stored == 1


def test_each_form_that_changes_something_is_tried_here() -> None:
    forms = [route.path for route in routes if isinstance(route, Route) and "POST" in (route.methods or ())]
    assert forms
    assert {path.replace("{conversation:id}", "c") for path in forms} == FIELDS.keys()


@pytest.mark.parametrize("sender", FOREIGN)
def test_no_form_of_another_site_is_taken_though_it_knew_the_token(
    client: httpx.Client, tf: Turnfold, gateway: Gateway, tenant: str, sender: str
) -> None:
    token, good_key = form_token(client), gateway.key(tenant, "read")
    for path, fields in FIELDS.items():
        sent = {**fields, "form_token": token} | ({"key": good_key} if path == "/ui/sign-in" else {})
        answer = client.post(path, data=sent, headers=headers_of(client, sender))
        assert answer.status_code == 403
        assert_nothing_happened(client, tf, answer)


@pytest.mark.parametrize("kind", BODIES)
@pytest.mark.parametrize("token", [None, "", "0" * 40, "\u00e9", "of another key"])
def test_no_form_without_the_token_is_taken_in_any_encoding(
    client: httpx.Client, tf: Turnfold, gateway: Gateway, tenant: str, kind: str, token: str | None
) -> None:
    """The requests carry the browser's cookie but no header about the form's origin."""
    if token == "of another key":
        with gateway.client() as other:
            other.post("/ui/sign-in", data={"key": gateway.key(tenant, "admin")})
            token = form_token(other)
    for path in DEEDS:
        sent = FIELDS[path] | ({} if token is None else {"form_token": token})
        content = str(httpx.QueryParams(sent))
        answer = client.post(path, content=content, headers={"Content-Type": BODIES[kind]})
        assert answer.status_code == 403
        assert_nothing_happened(client, tf, answer)


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"])
def test_no_other_method_does_what_a_form_does(client: httpx.Client, tf: Turnfold, method: str) -> None:
    token = form_token(client)
    overrides = dict.fromkeys(("X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override"), "POST")
    for path in DEEDS:
        fields = {**FIELDS[path], "form_token": token}
        answer = client.request(
            method, path, params={**fields, "_method": "POST"}, content=str(httpx.QueryParams(fields)),
            headers={**overrides, "Content-Type": "application/x-www-form-urlencoded"},
        )  # fmt: skip
        assert answer.status_code in {404, 405} or (path.endswith("/forget") and method.upper() in {"GET", "HEAD"})
        assert_nothing_happened(client, tf, answer)


def test_signing_out_takes_the_cookie_away(client: httpx.Client) -> None:
    answer = client.post("/ui/sign-out", data={"form_token": form_token(client)})
    assert (answer.status_code, answer.headers["location"]) == (303, "/ui")
    assert "Max-Age=0; Path=/ui" in answer.headers["set-cookie"]
    assert client.get("/ui/jobs").status_code == 401


def test_the_cookie_opens_the_page_alone_and_a_header_does_not_open_it(
    client: httpx.Client, http: httpx.Client
) -> None:
    cookie = {"Cookie": f"turnfold_key={client.cookies['turnfold_key']}"}
    for path in ("/v1/conversations", "/v1/conversations/c/status"):
        assert client.get(path, headers=cookie).status_code == 401
        assert http.get(path).status_code == 200
    assert client.post("/mcp", json={}, headers=cookie).status_code == 401
    assert http.get("/ui/jobs").status_code == 401


@pytest.mark.parametrize("path", ["/ui", "/ui/jobs", "/ui/c/c", "/ui/c/c/forget", "/ui/c/none", "/ui/x/"])
def test_no_page_can_stand_in_a_frame_or_is_kept(client: httpx.Client, path: str) -> None:
    signed_in = client.get(path).headers
    client.cookies.clear()
    for headers in (signed_in, client.get(path).headers):
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert headers["x-frame-options"] == "DENY"
        assert headers["cache-control"] == "no-store"
