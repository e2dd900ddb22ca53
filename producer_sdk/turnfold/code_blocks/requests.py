"""Detect whether a query asks for a block, and for which: its words, kind, version and author. Pure."""

from __future__ import annotations

from enum import Enum
from functools import lru_cache
from itertools import pairwise
from typing import Final, NamedTuple

from turnfold.code_blocks.index import block_terms
from turnfold.code_blocks.languages import BlockKind
from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.records import Role
from turnfold.contract.terms import STEMS

_NAMED: Final[tuple[tuple[str, tuple[BlockKind, ...]], ...]] = (
    ("code snippet codeblock block function method class script module component decorator hook middleware", ()),
    ("handler route endpoint endpoints fixture test tests model regex pattern loop struct interface", ()),
    ("signature implementation formula example file line lines oneliner recipe spell incantation string prompt", ()),
    ("sql query queries statement statements schema ddl migration select", (BlockKind.SQL, BlockKind.CODE)),
    ("json payload", (BlockKind.JSON,)),
    (
        "config configuration conf yaml yml toml ini settings dockerfile compose env workflow pipeline makefile",
        (BlockKind.CONFIGURATION, BlockKind.CODE, BlockKind.JSON),
    ),
    (
        "command commands cli shell bash terminal cron crontab alias",
        (BlockKind.COMMANDS, BlockKind.LINE, BlockKind.CODE),
    ),
    ("html template markup css xml stylesheet", (BlockKind.MARKUP,)),
    ("table csv", (BlockKind.TABLE, BlockKind.SQL)),
    ("log logs traceback stacktrace output error exception failure crash", (BlockKind.OUTPUT, BlockKind.TEXT)),
    ("diff patch", (BlockKind.DIFF,)),
    ("tree structure layout", (BlockKind.TREE, BlockKind.TEXT)),
    ("url link links key", (BlockKind.LINE,)),
)
_KINDS: Final = {word: kinds for words, kinds in _NAMED for word in words.split()}
"""Words for blocks, each with the kinds that it may mean."""
_SPECIFIC: Final = frozenset((
    "sql", "json", "yaml", "toml", "ini", "dockerfile", "html", "css", "xml", "csv", "traceback", "diff", "makefile",
    "cron", "crontab", "compose", "signature",
))  # fmt: skip
"""Words for blocks that are as specific as any other word."""
_WORDS: Final = lazy_pattern(r"[a-z][a-z+#-]*")
_IDENTIFIER: Final = lazy_pattern(
    r"`[^`\n]+`|\b\w+_\w+\b|\b[a-z]+[A-Z]\w*\b|\b[A-Z][a-z0-9]+[A-Z]\w*\b|\b\w+\(\)"
    r"|(?<![\w-])-*\w[\w-]*\.[a-z]{1,5}\b(?!\s[A-Z])|(?<!\S)/[\w/<>:-]{3,}"
)
_INSISTS: Final = lazy_pattern(
    r"(?i)\b(?:show|give|paste|print|repeat|again|verbatim|exact(?:ly)?|remind me|resend|send me|word for word"
    r"|as (?:is|it was)|see the|find the|get me|copy|pull up|bring back|what (?:was|is|were|did)"
    r"|full|complete|whole|the same|(?:code|snippet|block),? (?:please|pls))\b"
)
_OLDEST: Final = lazy_pattern(
    r"(?i)\b(?:first|original(?:ly)?|initial(?:ly)?|earliest|oldest|at the (?:start|beginning))\b"
)
_PREVIOUS: Final = lazy_pattern(
    r"(?i)\b(?:previous|prior|second[- ]to[- ]last|last but one|before (?:that|the (?:last|latest)))\b"
)
_WROTE: Final = "(?:gave|wrote|showed|suggested|sent|made|proposed|posted|pasted|shared|used|came up|had)"
_ASSISTANTS: Final = lazy_pattern(rf"(?i)\byou(?:'ve| have)? {_WROTE}\b|\byour\b")
_USERS: Final = lazy_pattern(rf"(?i)\bI(?:'ve| have)? {_WROTE}\b|\bmy (?:own|original|code|version)\b")
_SAYS_NOTHING: Final = frozenset(
    STEMS[word]
    for words in (
        "show give paste print repeat again verbatim exact exactly remind resend send see find get copy pull back",
        "full complete whole same please need want look use using used last latest newest current recent final version",
        "first original initial initially earliest oldest previous prior gave wrote made sent posted pasted shared",
        "suggested proposed said earlier block snippet code one thing part piece word text content discussed talked",
        "mentioned set start beginning",
    )
    for word in words.split()
)
_ALIKE: Final = (
    "config configuration settings conf", "db database", "env environment", "auth authentication login",
    "postgres postgresql", "js javascript", "py python", "k8s kubernetes kubectl", "docker dockerfile",
    "repo repository", "dir directory folder",
    "test tests pytest unittest", "ci workflow actions", "logging logger", "install pip npm apt",
    "hashing hash hashed", "migration migrate alembic", "delete remove", "model class", "endpoint route",
    "startup start boot launch",
)  # fmt: skip
"""Groups of synonyms."""
_ALSO: Final = {
    STEMS[word]: tuple(dict.fromkeys(STEMS[other] for other in words.split() if STEMS[other] != STEMS[word]))
    for words in _ALIKE
    for word in words.split()
}


_READ: Final = 4_000
"""Code points of a query that are read."""


class Version(Enum):
    """Which of several similar versions a query asks for."""

    NEWEST = "newest"
    PREVIOUS = "previous"
    OLDEST = "oldest"


class BlockRequest(NamedTuple):
    """A query's request for a block."""

    words: tuple[tuple[str, ...], ...]
    """Terms, each with its synonyms."""
    kinds: tuple[BlockKind, ...]
    """Kinds that the block may have; empty if the query does not say."""
    version: Version
    role: Role | None
    """Author of the block, if the query says so."""
    insists: bool
    """Whether the query asks to see a block, rather than just mentioning one."""
    names_one: bool = True
    """Whether the query has a word for a block or one that looks like code; otherwise it may mean prose."""


def block_request(query: str | None) -> BlockRequest | None:
    """Parse a query's request for a block; None if it mentions no block.

    >>> block_request("Can you show me that nginx config again?").words
    (('nginx', 'nginxconfig'), ('config', 'configuration', 'setting', 'conf', 'nginxconfig'))
    >>> block_request("Where does Ana live?") is None
    True
    """
    if not query:
        return None
    plain = query[:_READ].replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
    lowered = _WORDS.findall(plain.lower())
    nouns = [word for word in lowered if word in _KINDS]
    insists = bool(_INSISTS.search(plain))
    names_one = bool(nouns) or bool(_IDENTIFIER.search(plain))
    if not names_one and not insists:
        return None
    kinds = tuple(dict.fromkeys(kind for word in nouns for kind in _KINDS[word]))
    version = (
        Version.PREVIOUS if _PREVIOUS.search(plain) else Version.OLDEST if _OLDEST.search(plain) else Version.NEWEST
    )
    role = Role.ASSISTANT if _ASSISTANTS.search(plain) else Role.USER if _USERS.search(plain) else None
    return BlockRequest(_words(plain), kinds, version, role, insists=insists, names_one=names_one)


@lru_cache(maxsize=16)
def asked_block(question: str, *, is_query: bool) -> BlockRequest | None:
    """Parse a question's request; a user turn that is no explicit query must name a block and insist on seeing it."""
    request = block_request(question)
    return request if request is None or is_query or (request.insists and request.names_one) else None


def _words(query: str) -> tuple[tuple[str, ...], ...]:
    distinct = [term for term in dict.fromkeys(block_terms(query)) if term not in _SAYS_NOTHING]
    joined = _joined(query, frozenset(distinct))
    return tuple((term, *_ALSO.get(term, _plural(term)), *joined.get(term, ())) for term in distinct)


def _joined(query: str, terms: frozenset[str]) -> dict[str, list[str]]:
    """Return for each term the stems of the words that it makes with a neighbour: 'health check', `healthcheck`."""
    joined: dict[str, list[str]] = {}
    for first, second in pairwise(_WORDS.findall(query.lower())):
        if {STEMS[first], STEMS[second]} <= terms:
            for term in (STEMS[first], STEMS[second]):
                joined.setdefault(term, []).append(STEMS[first + second])
    return joined


def _plural(term: str) -> tuple[str, ...]:
    """Return the stem of the plural if it differs from the term: `rules` is `rul`, as `tables` is `tabl`."""
    return tuple({STEMS[f"{term}s"]} - {term}) if term.isalpha() and term.isascii() else ()


def is_general(term: str) -> bool:
    """Whether a word says what a block is, but not which one."""
    return term in _GENERAL


_GENERAL: Final = frozenset(STEMS[word] for word in _KINDS if word not in _SPECIFIC)
