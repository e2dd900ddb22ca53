"""Code blocks are found whole and stored compactly, and the one that a query means is identified."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.examples import examples
from support.wild_turns import said, wild_text
from turnfold.code_blocks.blocks import block_name, blocks_of, introduction
from turnfold.code_blocks.index import entries_of, pack_blocks, unpack_blocks
from turnfold.code_blocks.languages import BlockKind, kind_of_language, language_of
from turnfold.code_blocks.ranking import ranked, told_by_words
from turnfold.code_blocks.requests import Version, block_request
from turnfold.contract.fences import fences_of
from turnfold.contract.records import Role, StoredTurn

_scraps = st.lists(
    st.sampled_from(
        [
            "```",
            "```py",
            "~~~",
            "x = f(1);",
            "| a | b |",
            "Some prose.",
            "",
            '{"a": 1}',
            "`git push origin main`",
            "  ```",
        ]
    ),
    max_size=20,
).map("\n".join)


@given(st.one_of(_scraps, wild_text), st.booleans())
@examples(300)
def test_blocks_stand_in_order_and_apart(text: str, printed: bool) -> None:
    blocks = blocks_of(text, printed=printed)
    assert all(before.end <= after.start for before, after in pairwise(blocks))
    for block in blocks:
        assert 0 <= block.start <= block.inside <= block.inside_end <= block.end <= len(text)
        assert text[block.start : block.end].strip()


@given(_scraps)
@examples(300)
def test_every_fence_with_words_is_one_block(text: str) -> None:
    fences = {fence.start for fence in fences_of(text) if text[fence.inside : fence.inside_end].strip()}
    assert fences <= {block.start for block in blocks_of(text)}


@given(st.lists(st.one_of(_scraps, wild_text), max_size=6))
def test_entries_are_stored_and_read_back(texts: list[str]) -> None:
    turns = [said(text, seq=seq, role=Role.USER if seq % 2 else Role.ASSISTANT) for seq, text in enumerate(texts, 1)]
    entries = list(entries_of(turns))
    assert list(unpack_blocks(pack_blocks(entries))) == entries
    assert all(entry.is_of(texts[entry.seq - 1][entry.start : entry.end]) for entry in entries)


@pytest.mark.parametrize(
    ("info", "inside", "language", "kind"),
    [
        ("py", "", "python", BlockKind.CODE),
        ("", "server {\n  listen 80;\n}", "nginx", BlockKind.CONFIGURATION),
        ("", "docker run -d redis", "bash", BlockKind.COMMANDS),
        ("", "SELECT a FROM b;", "sql", BlockKind.SQL),
        ("", "Traceback (most recent call last):\n  x", "traceback", BlockKind.OUTPUT),
        ("", "services:\n  web:\n    build: .\n", "yaml", BlockKind.CONFIGURATION),
        ("text", "Dear Ana", "", BlockKind.TEXT),
    ],
)
def test_a_language_is_told_by_its_fence_or_by_how_it_begins(
    info: str, inside: str, language: str, kind: BlockKind
) -> None:
    assert language_of(info, inside) == language
    assert kind_of_language(language) is kind


def test_a_name_says_what_a_block_is_and_holds_no_marker() -> None:
    name = block_name("def drain(q):\n    return '[→L1:x-1]'\n" * 20, BlockKind.CODE, "python", lines=40)
    assert name.startswith("python, 40 lines, with drain: def drain(q): return")
    assert "→L" not in name
    assert "\n" not in name


def test_the_line_before_a_block_introduces_it() -> None:
    text = "Something.\n\n#### `app.py`\n```python\nx\n```\n"
    assert introduction(text, text.index("```")) == "app.py"
    assert not introduction("```\na\n```\n```\nb\n```", 10)


@pytest.mark.parametrize(
    ("query", "asks", "insists", "version"),
    [
        ("show me that nginx config again", True, True, Version.NEWEST),
        ("What was the first version of the retry function?", True, True, Version.OLDEST),
        ("the SQL for the orders table", True, False, Version.NEWEST),
        ("Does parse_order handle nulls?", True, False, Version.NEWEST),
        ("paste the previous Dockerfile", True, True, Version.PREVIOUS),
        ("Where does Ana live now?", False, False, Version.NEWEST),
    ],
)
def test_a_query_says_what_it_asks_for(query: str, asks: bool, insists: bool, version: Version) -> None:
    request = block_request(query)
    assert (request is not None) is asks
    if request is not None:
        assert (request.insists, request.version) == (insists, version)


def _talk(*blocks: str) -> list[StoredTurn]:
    return [said(block, seq=seq, role=Role.ASSISTANT) for seq, block in enumerate(blocks, 1)]


RETRY = (
    "A function that retries:\n```python\ndef fetch(url, attempts={n}):\n    for attempt in range(attempts):\n"
    "        try:\n            return read(url)\n        except OSError:\n            wait(2 ** attempt)\n```"
)
TALK = _talk(
    RETRY.format(n=3),
    "The table of orders:\n```sql\nCREATE TABLE orders (id BIGINT, total INTEGER);\n```",
    "With five attempts:\n" + RETRY.format(n=5).split("\n", 1)[1],
    "Start it:\n```sh\ndocker run -d -p 5672:5672 broker\n```",
    "With nine attempts:\n" + RETRY.format(n=9).split("\n", 1)[1],
)


@pytest.mark.parametrize(
    ("query", "seq"),
    [
        ("show me the retry function again", 5),
        ("what was the original retry function?", 1),
        ("give me the previous version of fetch()", 3),
        ("the SQL for the orders table", 2),
        ("the docker command you gave me", 4),
    ],
)
def test_the_block_that_is_meant_comes_first(query: str, seq: int) -> None:
    request = block_request(query)
    assert request is not None
    entries = list(entries_of(TALK))
    assert ranked(request, entries, told_by_words(request, entries))[0].entry.seq == seq


HOME = _talk(
    "Saturdays at six it waters the tubs:\n```\n0 6 * * 6 water --beds 1-3\n```\nPaste it after a power cut, too.",
    "For the limewash, in a pail:\n```\nslaked lime 5 l\nwater 8 l, stir for ten minutes\n```",
    "And the mortar for the steps:\n```\ncement 1 part, sand 3 parts\n```",
)


@pytest.mark.parametrize(
    ("query", "seq"),
    [
        ("paste the limewash recipe again, I'm on the ladder with a brush in my hand", 2),
        ("what was that watering line you found for me in spring?", 1),
        ("the power cut got me, give me that block again", 1),
        ("my brother took the notebook to Leeds, what was the mortar recipe?", 3),
    ],
)
def test_why_and_when_one_asks_does_not_hide_the_block(query: str, seq: int) -> None:
    request = block_request(query)
    assert request is not None
    entries = list(entries_of(HOME))
    assert [block.entry.seq for block in ranked(request, entries, told_by_words(request, entries))] == [seq]


@pytest.mark.parametrize(
    "query", ["Show me the recipe for the plum cake", "paste that nginx config again", "the line for the tide alarm"]
)
def test_a_query_about_something_else_means_no_block(query: str) -> None:
    request = block_request(query)
    assert request is not None
    for talk in (TALK, HOME):
        entries = list(entries_of(talk))
        assert ranked(request, entries, told_by_words(request, entries)) == []


HARBOUR = _talk(
    "The tide alarm:\n```yaml\ntidealarm:\n  level: 4.2\n  siren: north\n```",
    "The mill's port is open:\n```yaml\nservices:\n  mill:\n    image: mill:2\n```",
    "To refill the berths:\n```sql\nINSERT INTO berths (id, quay, used) VALUES ($1, 'north', now());\n```",
    "Per quay:\n```sql\nINSERT INTO berths (id, quay, used) VALUES ($1, 'south', now());\n```",
    "```\nTideError: no gauge\n  at read_gauge\n```\nThat is what it says when it starts.",
)


@pytest.mark.parametrize(
    ("query", "seqs"),
    [
        ("give me the tide alarm config again", [1]),
        ("show me the refill statement", [4]),
        ("show me the mill file for the regatta and its visitors", [2]),
        ("show me the failure we got at startup", [5]),
        ("show me the lighthouse config again", []),
        ("show me the statement of the ferry company", []),
    ],
)
def test_a_block_is_found_by_other_words_than_its_own(query: str, seqs: list[int]) -> None:
    request = block_request(query)
    assert request is not None
    entries = list(entries_of(HARBOUR))
    assert [block.entry.seq for block in ranked(request, entries, told_by_words(request, entries))] == seqs
