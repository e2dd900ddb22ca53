"""Patterns for words that deny, and for words that only seem to."""

from __future__ import annotations

from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold_worker.pipeline.language.common_words import listed

NO: Final = (
    r"not|never|no|none|nobody|nothing|nowhere|neither|nor|without|cannot|hardly|barely|no-one|\w{2,8}n['\u2019]t"
    r"|dont|doesnt|didnt|cant|wont|isnt|wasnt|wish (?:i|we) (?:had|were|was|could)"
)
KEEPS_FROM: Final = (
    r"refus\w*|declin\w*|reject\w*|avoid\w*|forbid\w*|forbade|fail\w*|stop\w*|exclud\w*|ban|banned|unable|unless"
    r"|cancel\w*|abandon\w*|rul\w{1,3} out|miss\w*|lack\w*|except|skip\w*|quit|den(?:y|ie[sd])|drop\w*|disable\w*"
    r"|remov\w*|zero"
)
"""Words by which something is not done or not so, without a 'not'."""
UNTRUE: Final = r"false|untrue|lies?|myths?|hoax\w*|nonsense"
"""Words by which a statement is said not to be true."""
DENIES: Final = lazy_pattern(rf"(?i)(?<!\w)(?:{NO})(?!\w)")
AFFIRMS: Final = lazy_pattern(
    r"(?i)(?<!\w)(?:not|never|cannot|\w{2,8}n['\u2019]t)(?: \w+ly)? (?:forget|fail|miss|wait|hesitate|doubt|mind|stop"
    r"|help|be happier|agree more|imagine|thank|get enough|worry)(?!\w)"
    r"|(?<!\w)wish (?:i|we) \w{2,8}n['\u2019]t(?!\w)"
)
"""Negations that affirm: 'can't wait', 'never forget', 'I wish I wasn't late'."""
WITHHOLDS: Final = lazy_pattern(rf"(?i)(?<!\w)(?:{NO}|{KEEPS_FROM}|instead of|rather than)(?!\w)")
"""Words that may support a denial."""
_ASKS: Final = (
    r"(?<!\w)(?:whether|if|unless|until|ask(?:s|ed)?|wonder(?:s|ed)?|check(?:s|ed|ing)?|ensur(?:e|es|ed|ing)"
    r"|verif(?:y|ies|ied))(?!\w)"
)
OPEN: Final = lazy_pattern(f"(?i){_ASKS}")
"""Introduces something that is asked or depended on, and thus not stated as fact."""
OPEN_BEFORE: Final = lazy_pattern(rf"(?i){_ASKS}(?: that)?\s*\Z")
_EMPHASIS: Final = lazy_pattern(
    r"(?i)(?<!\w)(?:why not|nothing (?:like|better|more|beats)|no (?:doubt|wonder|problem|matter|better)"
    r"|not (?:only|just)|not to mention|mak(?:e|es|ing) sure"
    r"|who (?:does|would|could)n['\u2019]t|(?-i:NOT [A-Z]+))(?!\w)"
)
"""Negations that deny nothing."""
NONE: Final = lazy_pattern(r"(?<=[a-z(:,`'\"=] )None(?!\w)|(?<=[`'\"(=])None(?!\w)|None(?=[`'\")])")
"""The value `None` of programs, which denies nothing."""
WISHES: Final = lazy_pattern(
    r"(?i)(?<!\w)(?:hop(?:es?|ed|ing|eful\w*)|want(?:s|ed|ing)?|wish(?:es|ed|ing)?|plan(?:s|ned|ning)?|inten[dt]\w*"
    r"|dream(?:s|t|ed|ing)?|would like|aim(?:s|ed|ing)?|will|going to)(?!\w)"
)
LEANS_AWAY: Final = lazy_pattern(
    rf"(?i)(?<!\w)(?:{NO}|{KEEPS_FROM}|against|instead|rather|dislike\w*|hate\w*|prevent\w*|un\w{{4,}}|too|few|little"
    r"|regret\w*|doubt\w*|\w{3,}less)(?!\w)"
)

NO_SUBJECT: Final = lazy_pattern(rf"(?i)\W{{0,4}}(?!not at all\W)(?:{NO})(?!\w)")
REACH: Final = lazy_pattern(r"[,;:.!?]|\s(?:and|but|or|because|since|so)\s")
"""The end of what a negation covers."""

QUOTED: Final = lazy_pattern(r"(?P<mark>[\"`])(?P<words>[^\"`\n]{8,300})(?P=mark)")
"""Quoted words, such as an error message."""

FACTIVE: Final = lazy_pattern(
    r"(?i) {0,3}(?:really |even )?(?:(?:notic|realiz|realis|know|knew|remember|regret|mind)\w*"
    r"|(?:have )?(?:thought|imagined|guessed|dreamed|expected)(?= (?:that )?(?:i|you|he|she|it|we|they)(?!\w)))"
)
"""Verbs whose denial does not deny what follows: 'didn't notice that it rained', 'never thought I would win'."""

OF_ANYTHING: Final = lazy_pattern(r"(?i)(?<!\w)any(?:thing|body|one|where)?(?!\w)")
"""The object of a total denial: 'we have not agreed to anything'."""
OF_SOME: Final = lazy_pattern(
    r"(?i)(?<!\w)(?:many|much|enough|all|every\w*|often|always|a lot|only|just|until|since)(?!\w)"
)
CANNOT: Final = lazy_pattern(
    r"(?i)(?<!\w)(?:cannot|can['\u2019]?t|won['\u2019]?t|(?:will|can) (?:not|never)|unable)(?!\w)"
)
"""Denials that also rule out the intention."""
WILL: Final = lazy_pattern(r"(?i)will|going to")
ASKED_OF: Final = lazy_pattern(
    r"(?P<verb>(?<!\w)(?i:did|does|do|has|have|had|is|are|was|were|can|could|will|would|should)) "
    r"(?:(?:the|your|his|her|their|our|my) \w+|[A-Z]\w+)"
)

DEEDS: Final = listed(
    """
    agree agrees agreed begin begins began confirm confirms confirmed continue continues continued get gets got include
    includes included leave leaves left open opens opened promise promises promised reason reasons run runs ran running
    start starts started stay stays stayed use uses used using visit visits visited
    """
)
"""Words that a note may add, but that carry content where they were denied."""


def denies(text: str) -> bool:
    """Return whether a clause denies something."""
    return bool(DENIES.search(AFFIRMS.sub(" ", text)))


def emphasis_of(text: str) -> list[str]:
    """Return the negations of a text that deny nothing."""
    return [match.group() for match in _EMPHASIS.finditer(text)]


def without_emphasis(text: str) -> str:
    """Return a text without the negations that deny nothing."""
    return _EMPHASIS.sub(" ", text)
