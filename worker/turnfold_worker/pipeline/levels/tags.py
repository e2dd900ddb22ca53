"""The tag line (level 3) and the slug of a node: its topics in as few readable words as possible."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from turnfold.contract.bounded_memo import Remembered
from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.periods import MONTHS, WEEKDAYS
from turnfold.contract.terms import STOP_WORDS, stem
from turnfold.tokens import estimate_tokens
from turnfold_worker.pipeline.language.common_words import WEIGHTS, is_common, listed
from turnfold_worker.pipeline.language.plain_lines import one_line
from turnfold_worker.pipeline.language.rarity import is_feeling
from turnfold_worker.pipeline.levels.fact_lists import RELATIONS
from turnfold_worker.pipeline.turns.reading import called

MAX_TAG_TOKENS: Final = 30
"""Maximum estimated tokens of a tag line."""
MAX_SLUG: Final = 40
"""Maximum code points of a slug."""
FALLBACK: Final = "turns"
"""Slug and tag line of a node without topics or facts."""
_MAX_TAG: Final = 28
_MAX_TOPICS: Final = 8
_SLUG_WORDS: Final = 3
_SHOWN: Final = listed(
    f"photo photos picture pictures pic pics image images video videos since {' '.join([*MONTHS, *WEEKDAYS]).lower()}"
)
"""Words for media and times, which name no subject."""
_NO_SUBJECT: Final = ("ly", "ing", "ed", "est", "ive", "ful", "ous")
"""Endings of adverbs, adjectives and verb forms, which name no subject."""
_SHORTEST: Final = 3
_BASE_WEIGHT: Final = 2
_LONGEST_LINE: Final = 6
"""Maximum code points per token of a line whose tokens are worth counting."""
_READ: Final = 400
"""Number of words at the beginning of a text that are searched for topics."""

_WORD: Final = lazy_pattern(r"([^\W\d_](?:[^\W_]|[-'\u2019](?=[^\W_])){1,40})")
_PAIR_GAPS: Final = frozenset({"", " ", "\n", " \n"})
"""Text that may separate the words of a pair."""
_NOT_SLUG: Final = lazy_pattern(r"[^a-z0-9]+")


def topics(texts: Sequence[tuple[str, int]], speakers: Sequence[str] = ()) -> list[str]:
    """Return the topics of texts: words and repeated word pairs, heaviest first, ties by first mention.

    Each text comes with its weight. Forms of one word count together, and the first one is shown.
    """
    totals: dict[str, list[int]] = {}
    shown_words: dict[str, str] = {}
    pairs: dict[tuple[str, str], int] = {}
    participants = called(tuple(speakers))
    for text, importance in texts:
        previous = ""
        pieces = _WORD.split(text[: 8 * _READ], _READ)
        for gap, word_said in zip(pieces[::2], pieces[1::2], strict=False):
            word, key = _TOPICS[word_said]
            # A backslash begins a LaTeX command.
            if not key or word in participants or gap.endswith("\\"):
                previous = ""
                continue
            if key in totals:
                totals[key][0] += importance * (WEIGHTS[key] + _BASE_WEIGHT)
            else:
                shown_words[key] = word
                totals[key] = [importance * (WEIGHTS[key] + _BASE_WEIGHT), len(totals)]
            if previous and gap in _PAIR_GAPS:
                pairs[previous, key] = pairs.get((previous, key), 0) + importance
            previous = key
    return _with_pairs(totals, shown_words, pairs)


def _topic_of(word_said: str) -> tuple[str, str]:
    """Return a word in lower case with its stem, or with an empty stem if it says little about a subject."""
    word = word_said.lower().replace("\u2019", "'").removesuffix("'s")
    key = stem(word)
    little = is_common(word) or is_common(key) or (word.isascii() and len(word) < _SHORTEST)
    return (word, "" if little or word in STOP_WORDS or "'" in word else key)


_TOPICS: Final = Remembered(_topic_of)


def _other(pair: tuple[str, str], key: str) -> str:
    return pair[1] if pair[0] == key else pair[0]


def _with_pairs(
    totals: dict[str, list[int]], shown_words: Mapping[str, str], pairs: Mapping[tuple[str, str], int]
) -> list[str]:
    partner: dict[str, tuple[str, str]] = {}
    for pair, count in sorted(pairs.items(), key=lambda pair_count: -pair_count[1]):
        if count > 1 and pair[0] != pair[1] and pair[0] not in partner and pair[1] not in partner:
            partner[pair[0]] = partner[pair[1]] = pair
    points = {key: totals[key][0] + (totals[_other(partner[key], key)][0] if key in partner else 0) for key in totals}
    order = sorted(totals, key=lambda key: (-points[key], totals[key][1]))[: 3 * _MAX_TOPICS]
    chosen_topics: dict[str, None] = {}
    for key in order:
        both = partner.get(key)
        chosen_topics[f"{shown_words[both[0]]} {shown_words[both[1]]}" if both else shown_words[key]] = None
    return list(chosen_topics)


def tag_line(topics_found: Sequence[str], facts: Mapping[str, Sequence[str]], limit: int = MAX_TAG_TOKENS) -> str:
    """Render a tag line of at most `limit` tokens: topics, names, dates, paths, code, a relation if there is room.

    Ends in a newline.
    """
    parts = {
        "tags": _tags(topics_found, _MAX_TOPICS),
        "names": _tags(facts.get("names", ()), 4),
        "dates": _tags([day for day in facts.get("dates", ()) if day[-4:].isdigit()], 2),
        "paths": _tags(_basenames(facts.get("paths", ())), 3),
        "code": _tags(facts.get("identifiers", ()), 3),
    }
    known = {tag.lower() for tag in parts["names"]}
    parts["tags"] = [tag for tag in parts["tags"] if tag not in known]
    while True:
        line = _joined(parts)
        if len(line) <= _LONGEST_LINE * limit and estimate_tokens(line) <= limit:
            return _with_relation(line, parts, facts.get(RELATIONS, ()), limit)
        longest = max(parts, key=lambda name: (len(parts[name]) - (2 if name == "tags" else 0), name))
        if not parts[longest]:
            return f"{FALLBACK}\n"
        parts[longest].pop()


def _with_relation(line: str, parts: Mapping[str, Sequence[str]], relations: Sequence[str], limit: int) -> str:
    """Append the first relation that fits whole; a truncated relation could be wrong."""
    for relation in relations[:_MAX_TOPICS]:
        relation_line = one_line(relation)
        if any(mark in relation_line for mark in ",;:"):
            continue
        fuller = _joined({**parts, "says": [relation_line]})
        if estimate_tokens(fuller) <= limit:
            return fuller
    return line


def _joined(parts: Mapping[str, Sequence[str]]) -> str:
    joined = "; ".join(f"{name}: {', '.join(tags)}" for name, tags in parts.items() if tags)
    return f"{joined or FALLBACK}\n"


def _tags(tags: Iterable[str], most_tags: int) -> list[str]:
    cleaned = (one_line(tag).replace(",", " ").replace(";", " ").replace(":", " ") for tag in tags)
    kept = dict.fromkeys(" ".join(tag.split()) for tag in cleaned if 1 < len(tag) <= _MAX_TAG)
    return list(kept)[:most_tags]


def _basenames(paths: Sequence[str]) -> list[str]:
    return [path.replace("\\", "/").rstrip("/").rpartition("/")[2] for path in paths]


def tags_of(line: str) -> dict[str, list[str]]:
    """Parse the output of `tag_line` into tags by part."""
    by_part: dict[str, list[str]] = {}
    for part in line.strip().split("; "):
        name, colon, tags = part.partition(": ")
        if colon:
            by_part[name] = [tag for tag in tags.split(", ") if tag]
    return by_part


def slug(facts: Mapping[str, Sequence[str]], topics_found: Sequence[str]) -> str:
    """Build a slug of one to three words in `[a-z0-9-]`, at most `MAX_SLUG` code points; `FALLBACK` if no word fits.

    Words that name a subject come first: no adverbs, feelings, verb forms, media or times.

    >>> slug({}, ["thankfully", "seat map", "amazing", "refunds"])
    'seat-map-refunds'
    """
    words: list[str] = []
    subjects = [tag for tag in topics_found if all(map(_names_a_subject, tag.split()))]
    names, identifiers = facts.get("names", ())[:2], facts.get("identifiers", ())[:2]
    for source in (subjects[:_SLUG_WORDS], names, identifiers, topics_found[:_SLUG_WORDS]):
        for tag in source:
            parts = [part for part in _NOT_SLUG.sub("-", tag.lower()).split("-") if part and part not in words]
            fits = len("-".join([*words, *parts])) <= MAX_SLUG and len(words) + len(parts) <= _SLUG_WORDS
            if parts and fits and parts[0][0].isascii():
                words.extend(parts)
        if len(words) > 1:
            break
    return "-".join(words) or FALLBACK


def _names_a_subject(word: str) -> bool:
    return word not in _SHOWN and not word.endswith(_NO_SUBJECT) and not is_feeling(word)
