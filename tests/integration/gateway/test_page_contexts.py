"""Names, turns and form fields appear on the page as text only, never as a tag, attribute, address or script."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urlencode

import httpx
import pytest

from support.gateway import Gateway
from turnfold import Settings, Turnfold
from turnfold_gateway.ui.rendering import address_of

pytestmark = pytest.mark.processes

TENANT = "contexts"
PIECES = (
    '\u202e\U000e0041"><svg onload=alert(1)>', "' onmouseover='alert(1)", "</title></script><script>alert(1)</script>",
    "javascript:alert(1)", "</textarea><a href=//evil.example>", "{{ 7 * 7 }}{% raw %}",
    "--><img src=x onerror=alert(1)>",
    "&lt;b&gt;&quot;&#x27;", "`${alert(1)}`", "\u2028alert(1)//", "%22%3E%3Cscript%3E", "\ufeff\u202e<b>",
)  # fmt: skip
EVIL = " ".join(PIECES)
NAMES = (
    '"><svg onload=alert(1)>',
    "javascript:alert(1)",
    "' onfocus='alert(1)' autofocus='",
    "a?b=c&d#e;%2e%2e",
    "\u202ea\u200fb\U000e0041",
)
TAGS = frozenset({"script", "img", "iframe", "object", "embed", "base", "svg", "link", "meta", "form", "style"})
SHOWN = frozenset({"title", "aria-label", "alt", "placeholder", "label"})
UNSEEN = frozenset("\u202e\u200f\ufeff\U000e0041")
"""Characters that reverse the surrounding text or are invisible in it."""
ADDRESSES = frozenset({"href", "src", "action", "formaction", "xlink:href", "srcset", "poster", "data"})


class Reader(HTMLParser):
    """Collects the active content of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.handlers: list[str] = []
        self.addresses: list[str] = []
        self.active: list[str] = []
        self.unseen: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name.startswith("on") or name in {"style", "autofocus", "srcdoc"}:
                self.handlers.append(f"{tag} {name}={value}")
            if name in SHOWN and value and not UNSEEN.isdisjoint(value):
                self.unseen.append(f"{tag} {name}={value}")
            if name in ADDRESSES:
                self.addresses.append(value or "")
        if tag in TAGS:
            self.active.append(tag)

    def handle_data(self, data: str) -> None:
        if not UNSEEN.isdisjoint(data):
            self.unseen.append(data)


@pytest.fixture(scope="module")
def known(gateway_settings: Settings) -> Iterator[Turnfold]:
    turns: list[dict[str, Any]] = [
        {"role": "user", "name": EVIL[:60], "content": f"Decision: we must use {EVIL} for the shop."},
        {"role": "assistant", "content": f"```html\n{EVIL}\n```\nI will send {EVIL} by Friday."},
        {
            "role": "assistant", "content": None,
            "tool_calls": [{"id": "c1", "type": "function", "function": {"name": EVIL[:40], "arguments": EVIL}}],
        },
        {"role": "tool", "tool_call_id": "c1", "content": EVIL},
    ] * 40  # fmt: skip
    with Turnfold(settings=replace(gateway_settings, tenant=TENANT)) as tf:
        for name in NAMES:
            tf.configure(name, title=EVIL[:200], goal=EVIL)
            tf.append(name, turns)
        for name in NAMES:
            tf.wait(name, timeout_seconds=90)
        assert tf.status(NAMES[0]).segments
        yield tf


@pytest.fixture
def page(gateway: Gateway, known: Turnfold) -> Iterator[httpx.Client]:
    with gateway.client() as client:
        assert client.post("/ui/sign-in", data={"key": gateway.key(TENANT, "read", "admin")}).status_code == 303
        yield client


def read(page: httpx.Client, address: str) -> Reader:
    answer = page.get(address)
    assert answer.status_code < 500, address
    reader = Reader()
    reader.feed(answer.text)
    return reader


def pages(name: str) -> list[str]:
    """Return every view of a conversation; for the first one, with hostile values in every form field."""
    asked = () if name != NAMES[0] else (
        "containing", "outcome", "words", "marker", "query", "query_a", "query_b", "policy", "as_of", "state", "type",
        "page", "turn", "budget", "days", "fragment",
    )  # fmt: skip
    views: list[tuple[str | int, ...]] = [(), ("segments", 1), ("turns",), ("turns", 1)]
    views += [("anchors",), ("search",), ("context",), ("diff",), ("expand",)]
    plain = [address_of(name, *view) for view in (*views, ("forget",))]
    for field in asked:
        query = urlencode({field: EVIL})
        plain += [f"/ui?{query}", f"/ui/jobs?{query}", f"/ui/usage?{query}"]
        plain += [f"{address_of(name, *view)}?{query}" for view in views]
    plain += [f"{address_of(name, 'anchors')}?state=any", f"{address_of(name, 'search')}?words=shop"]
    return plain


@pytest.mark.parametrize("name", NAMES)
def test_nothing_that_was_said_or_asked_is_more_than_text(page: httpx.Client, name: str) -> None:
    readers = [read(page, address) for address in pages(name)]
    handlers = [handler for reader in readers for handler in reader.handlers]
    wrong = {address for reader in readers for address in reader.addresses if not address.startswith("/ui")}
    wrong.discard("#main")
    active = {tag for reader in readers for tag in reader.active}
    unseen = [text for reader in readers for text in reader.unseen]
    assert (handlers, wrong, unseen) == ([], set(), [])
    assert active <= {"script", "link", "meta", "form", "svg"}
    assert max(reader.active.count("script") for reader in readers) == 1
