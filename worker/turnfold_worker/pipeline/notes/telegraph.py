"""A sentence in fewer words: what could change the meaning stays (negations, modals, numbers, who did what to whom).

Dropped are articles, forms of be, do and have, plain prepositions, fillers and pleasantries; days become dates.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from datetime import date
from functools import lru_cache
from typing import Final

from turnfold.contract.remembered import Remembered
from turnfold_worker.pipeline.language.common_words import listed
from turnfold_worker.pipeline.language.dates import resolve_relative_days
from turnfold_worker.pipeline.language.prose import DASH
from turnfold_worker.pipeline.language.word_places import is_negation
from turnfold_worker.pipeline.notes.needed_words import is_needed

_DROPPED: Final = listed(
    """
    a an the is are was were be been being am do does did have has had having i my it its it's this that
    these those there there's that's of in on at for by as with about and very really quite just so too
    such pretty super totally literally basically actually simply definitely certainly absolutely honestly kinda
    also well oh um uh hmm hey hi hello wow haha lol yeah yep ok okay please thanks thank i'm i've i'd we're
    we've it'd here's let's like overall additionally furthermore however therefore which our
    its such own even again much here there now then finally recently lately especially along around
    'cause though although while as both still thankfully to
    """
) | {""}
"""Words that stay only where `is_needed` says so."""
_OTHERS_AND: Final = re.compile(
    r"(?:\b[A-Z][\w'-]{0,40}|\b(?:he|she|they|you)|\b(?i:my|our|his|her) \w{1,40}) (?:and|or) $"
)
"""Bounded, or a line of `A-A-A-…` would be read from each of its capitals to the end."""


def _thinks(match: re.Match[str]) -> str:
    """'I think' is what the speaker thinks; 'Ana and I think' stays."""
    return match.group() if _OTHERS_AND.search(match.string, 0, match.start()) else "thinks"


_REWRITTEN: Final = tuple(
    (tuple(held.split("|")), re.compile(f"(?i){pattern}"), shorter)
    for held, pattern, shorter in (
        (" think| guess| believe", r"\b(?:i|we) (?:don't|do not) (?:think|guess|believe)\b", "doesn't think"),
        ("i think|i guess|i believe", r"\bi (?:think|guess|believe)\b", _thinks),
        (" going to| planning to",
         r"\b(?:i'm|i am|we're|we are) (?:going|planning) to\b(?! (?:(?:the|an?|my|our|his|her|their)\b|(?-i:[A-Z])))",
         "plan"),
        ("i'll|i will", r"\bi(?:'ll| will)\b", "will"),
        ("can you|could you|would you",
         r"(?<!how )(?<!what )(?<!when )\b(?:can|could|would) you (?:please )?(?:help me )?(?:with )?(?:to )?",
         "asks: "),
        ("so far",
         r"(?:,? ?\b(?:here's|here is|this is) )?\b(?:what|the code) (?:i have|i've got|i've|we have) so far\b:?", ""),
        ("by the way|of course|speaking of which|another note|in fact",
         r"\b(?:by the way|of course|speaking of which|on another note|in fact)\b[,!.:]*\s*", ""),
        ("thanks for asking", r"\bthanks for asking\b[,!.:]*\s*", ""),
        ("it's got to|it has got to", r"\b(?:it's|it has) got to be\b", "must be"),
        ("in order to|so as to", r"\b(?:in order to|so as to)\b", "to"),
        ("a lot of|lots of", r"\b(?:a lot of|lots of)\b", "lots"),
        ("as well as", r"\b(?:as well as)\b", "and"),
        ("make sure", r"\bi want(?:ed)? to make sure (?:that )?", "ensure "),
        ("make sure", r"\bmake sure to ", ""),
        ("make sure", r"\bmake sure (?:that )?", "ensure "),
        ("trying to|working to|looking to", r"\bi(?:'m| am) (?=(?:trying|working|looking) to\b)", ""),
        ("shares a",
         r"\[?shares an? (?:photo|video|picture|image): (?:an? )?(?:photo(?:graph|graphy)?|picture|image) of",
         "photo:"),
        ("like to|love to", r"\b(?:i'd|i would) (?:like|love) to\b", "wants to"),
        ("i'd |it'd ",
         r"\b(?:i|it)'d (?!(?:been|had|better|just|never|already|always|gone|done|seen|got|gotten|\w+ed)\b)", "would "),
    )
)  # fmt: skip
"""What a line must hold for a pattern to be tried (most hold none of it), the pattern, and what stands instead."""
_SUBJECTS: Final = listed("you're they're he's she's it's")
"""Who it is stays: without it the speaker would be meant."""
_CONTRACTED: Final = re.compile(r"(?i)'(?:re|s)\b")
_LEAD_IN: Final = re.compile(
    r"(?i)^(?:(?:plus|btw|anyway|guess what|basically|look|you know|but|and|or|since then|luckily|fortunately|then"
    r"|yup|yep|agreed|woohoo|oops|man|ugh|woah|whoa|aw+)"
    r"\s*[,!:.]+\s+)+(?=\w)"
)
_HALF: Final = re.compile(r"(?i)^(?:but|and)\s+(?!for\b)(?=\S+\s+\S)")
"""Joins a clause to one that may not be shown; without it the clause says the same."""
_DASH: Final = re.compile(DASH)
_DASHES: Final = "-–—"
_LIST_MARK: Final = re.compile(r"^(?:[-–—]+ )+")
"""No minus and no flag: `-12 degrees`, `--force`."""
_QUOTES: Final = ('"', "\u201c", "\u201d")
_ITEM_WORDS: Final = 2
"""Words up to which a piece between commas is an item of an enumeration."""
_DIGITS_AROUND: Final = re.compile(r"\d,\d")
_WORD_EDGES: Final = '"“”()[]{}!,.;:?*_`…'
_BARE: Final = Remembered(lambda word: word.strip(_WORD_EDGES).lower())
_PHATIC: Final = listed(
    """
    hey hi hello bye goodbye thanks thank you so much welcome you're wow cool great awesome amazing nice good glad
    happy sure okay ok yes yeah yep absolutely definitely certainly course of no problem worries sounds that's that
    is it's it i to hear see know what how are doing been have a day night luck care take congrats congratulations
    really love lovely wonderful fantastic perfect exactly agree totally right true indeed me too same here for
    sharing sweet haha lol oh ah aww well keep up the work let me if any questions need help further assistance feel
    free ask talk soon later chat catch agreed 100% woohoo yup cheers gotcha yum yummy bummer anytime phew woo yay omg
    bon voyage posted spill beans awww stoked thrilled excited psyched pumped
    """
)
_ADDRESS: Final = re.compile(
    r"(?P<lead>(?:[A-Za-z']{1,12}[,!]? ){0,2})(?P<name>[A-Z][\w'-]{1,30})(?:[,!]| [-–—])+ +(?=\S)"
)
"""The beginning of a sentence that calls the other by name: 'Oh wow, Nate, …'."""
_LISTED_NAMES: Final = re.compile(r"[A-Z][\w'-]+, (?:[A-Z][\w'-]+,? )+(?:and|or|&) ")
"""'Nate, Joanna and I …' names who did it."""
_GOES_ON: Final = re.compile(
    r"(?i)(?:who|whom|whose|which|my|his|her|our|their|your|the|an?|as|like|unlike|with|without|however|though|too|also"
    r"|either|and|or|but|not|never|being|on|in|at|by|for|from|to|(?:he|she|they)(?!')|if|when|once|then|both|all)\b|\d"
    r"|(?:is|are|was|were|has|have|had|do|does|did|will|would|can|could|should|may|might|must|\w+n't)\b"
    r"(?! (?:you|i|we)\b)|[\w'-]+,"
)
"""What follows a name that is not called: 'Nate, who won', 'Nate, 25', 'Nate, Bob', 'Nate, too'."""
_OUTCRIES: Final = listed(
    """
    hey hi hello thanks yes yeah yep no oh okay ok great cool awesome woah whoa wow aww ah ooh oof ugh hmm man omg yay
    bummer cheers sorry so and but well
    """
)
_GREETING: Final = re.compile(r"(?i)(?:hey|hi|hello|wow|woah|whoa)\b")
"""After which a name is called, whatever follows: 'Hey Nate, my favourite is …'."""
_CALLED_LAST: Final = re.compile(r"[,!] (?P<name>[A-Z][\w'-]{1,30})(?P<end>[.!?…]*)$")
"""The end of a sentence that calls the other by name: 'It was so inspiring, Mel!'."""
_NICKNAME: Final = 2
_THANKS: Final = re.compile(
    r"(?i)(?:(?:oh|wow|aw+|hey|ok|okay|great|yeah|yes|yep|cool|again|perfect|awesome|amazing|no worries)[,!.]* )*"
    r"(?:many )?(?:thanks|thank you|thx|congrats|congratulations|(?:i )?(?:really )?appreciate)\b"
)
_THANKS_WORDS: Final = 10
_VOCATIVE: Final = re.compile(r", [A-Z][\w-]{1,30}[!.]{0,3}$")
_LONGEST_PHATIC: Final = 120


@lru_cache(maxsize=2_048)
def is_phatic(text: str, speakers: frozenset[str] = frozenset()) -> bool:
    """True for talk that carries nothing: greetings, thanks, praise, the other's name.

    A negation beyond a plain 'no problem' carries.
    """
    if len(text) > _LONGEST_PHATIC:
        return False
    if _THANKS.match(text) and len(text.split()) <= _THANKS_WORDS and not any(map(str.isdigit, text)):
        return True
    words = [word for word in bare_words(text) if word]
    if len(words) > 1 and not _carries_nothing(words[0], speakers):
        return False
    if len(words) > 1 and ", " in text and _VOCATIVE.search(text):
        words.pop()
    if not all(_carries_nothing(word, speakers) for word in words):
        return False
    return "problem" in words or "worries" in words or not any(map(is_negation, words))


def unaddressed(text: str, names: frozenset[str]) -> str:
    """The text without the name of another that it begins or ends with: what it says is not said of them.

    `names` are words of people's names in lower case. The name stays where it may be the one who acts.

    >>> unaddressed("Wow, Nate - I won the cup!", frozenset({"nate", "joanna"}))
    'I won the cup!'
    >>> unaddressed("Nate, however, did not sign.", frozenset({"nate", "joanna"}))
    'Nate, however, did not sign.'
    """
    text = _without_last_name(text, names)
    match = _ADDRESS.match(text)
    if match is None or not _is_called(match, names):
        return text
    if _GOES_ON.match(text, match.end()) and not _GREETING.match(match["lead"]):
        return text
    if _LISTED_NAMES.match(text, match.start("name")):
        return text
    if not all(word in _OUTCRIES for word in bare_words(match["lead"])):
        return text
    return text[match.end() :]


def _without_last_name(text: str, names: frozenset[str]) -> str:
    match = _CALLED_LAST.search(text)
    if match is None:
        return text
    name = match["name"].lower()
    if len(name) < _NICKNAME or not any(one.startswith(name) for one in names):
        return text
    # 'I met Ana, Nate.' may be a list.
    return text if text[: match.start()].rsplit(maxsplit=1)[-1][:1].isupper() else text[: match.start()] + match["end"]


def _is_called(match: re.Match[str], names: frozenset[str]) -> bool:
    """True for a whole name, and for the beginning of one after an outcry: 'Hey Jo'."""
    name = match["name"].lower()
    return name in names or (bool(match["lead"]) and any(one.startswith(name) for one in names))


def _carries_nothing(word: str, speakers: frozenset[str]) -> bool:
    return word in _PHATIC or any(name.startswith(word) for name in speakers)


def bare_words(text: str) -> list[str]:
    """Words in lower case with straight apostrophes, without the marks around them."""
    return [word.strip(_WORD_EDGES) for word in text.replace("\u2019", "'").lower().split()]


def phatic_share(words: Collection[str]) -> float:
    """How much of a clause is greeting, thanks and praise, 0 to 1, less for few words; `words` are distinct."""
    return sum(word in _PHATIC for word in words) / (len(words) + 0.5)


def telegraphic(text: str, said_on: date | None = None) -> str:
    """The text in fewer words, on one line; never empty unless the text is, never longer.

    >>> telegraphic("You should not restart the database before the backup has finished.")
    'You should not restart database before backup finished'
    """
    line = text.replace("\u2019", "'")
    if said_on is not None:
        line = resolve_relative_days(line, said_on)
    lowered = line.lower()
    for held, pattern, shorter in _REWRITTEN:
        if any(map(lowered.__contains__, held)):
            line = pattern.sub(shorter, line)
            lowered = line.lower()
    words = _HALF.sub("", line).split()
    bare = list(map(_BARE.__getitem__, words))
    shown = _few_marks(" ".join(_kept(words, bare))).strip().rstrip(".!,;:-–— ")
    shown = _LIST_MARK.sub("", shown)
    if shown.endswith(" asks") and "asks: " in line:
        shown = shown.removesuffix(" asks")
    if shown.endswith("]") and "[" not in shown:
        shown = shown.rstrip("] ")
    return shown or text.strip().rstrip(".!,;:") or text


def _kept(words: Sequence[str], bare: Sequence[str]) -> list[str]:
    """The words that stay: all of what is quoted, and of the rest those that say something."""
    quoted = _quoted(words)
    kept = [i for i in range(len(words)) if quoted[i] or bare[i] not in _DROPPED or is_needed(words, bare, i)]
    return [words[i] if quoted[i] or bare[i] not in _SUBJECTS else _CONTRACTED.sub("", words[i]) for i in kept]


def _quoted(words: Sequence[str]) -> list[bool]:
    """Which words stand inside quotation marks; none where a mark has no other."""
    # Most clauses quote nothing.
    if not any(map(" ".join(words).__contains__, _QUOTES)):
        return [False] * len(words)
    inside = False
    found = []
    for word in words:
        marks = sum(map(word.count, _QUOTES))
        found.append(inside or marks > 0)
        inside ^= marks % 2 == 1
    return [False] * len(words) if inside else found


def _few_marks(line: str) -> str:
    """The line without lead-ins and dashes, and with commas only between the items of an enumeration."""
    lead_in = _LEAD_IN.match(line)
    if lead_in:
        line = line[lead_in.end() :]
    if any(map(line.__contains__, _DASHES)):
        line = _DASH.sub(" ", line)
    if ", " not in line:
        return line
    pieces = line.split(", ")
    short = [len(piece.split()) <= _ITEM_WORDS for piece in pieces]
    shown = pieces[0]
    for i, piece in enumerate(pieces[1:], 1):
        item = (short[i] and i + 1 < len(pieces)) or (short[i - 1] and i > 1) or shown.count("(") > shown.count(")")
        shown += f", {piece}" if item or _DIGITS_AROUND.search(f"{shown[-1:]},{piece[:1]}") else f" {piece}"
    return shown
