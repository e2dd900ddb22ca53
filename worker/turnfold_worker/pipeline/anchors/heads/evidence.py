"""Features for the act head: numbers from 0 to 1 about each turn of a segment.

They cover the acts found by rules, the words, phrases typical of plans, small talk and the end of a meeting, the length
of the turn, and who speaks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold_worker.pipeline.anchors.rules.rule import Found
from turnfold_worker.pipeline.anchors.rules.statement_rules import AT_ONCE
from turnfold_worker.pipeline.language.spoken import plain_words, without_fillers
from turnfold_worker.pipeline.turns.reading import Reading

LOOKED_AT: Final = 600
"""Number of code points of a turn that are searched for words."""
_LONG: Final = 40
"""Number of words at which the length feature saturates."""

CUES: Final = {
    name: lazy_pattern(pattern)
    for name, pattern in {
        "next": r"\bnext (?:meeting|session|time|call|week)\b|\bbefore next\b|\buntil then\b"
        r"|\b(?:in the )?mean(?:time|while)\b|\bhalf an hour\b|\bthirty minutes\b",
        "you": r"\byour?\b",
        "you will": r"\byou(?:'ll| will| should| can| could| have| need|'re| are)\b|\byou (?:two|guys)\b",
        "i will": r"\bi(?:'ll| will|'m (?:going|gonna)| should| can| could)\b",
        "we will": r"\bwe(?:'ll| will|'re (?:going|gonna)| need| have| should| can| could)\b",
        "they will": r"\b\w{1,20}(?:'ll| will| should)\b",
        "work": r"\bwork(?:ing)? (?:on|together|out)\b|\blook(?:ing)? (?:at|into)\b|\bcome up with\b|\bprepare|\bfocus"
        r"|\b(?:make|do|get|ask)\b|\bwrite|\bsend|\bfind out\b|\bcheck|\btalk to\b",
        "will": r"\bwill\b|'ll\b",
        "going to": r"\b(?:going to|gonna)\b",
        "duty": r"\b(?:should|need|have to|supposed)\b",
        "papers": r"\be-?mail|\bminutes\b|\bfolder\b|\breport\b|\binstructions\b|\bdocument|\bquestionnaire",
        "closing": r"\b(?:finish|wrap up|end of|that's it|that is it|summar|any (?:other )?questions|see you|thank you"
        r"|thanks|bye|meeting|lunch|done)\b",
        "past": r"\b(?:was|were|did|had|said|\w{2,20}ed)\b",
        "condition": r"^(?:if|when|so if)\b",
        "asks": r"\?\s*$",
        "perhaps": r"\b(?:would|could|might|maybe)\b",
        "not": r"n't\b|\bnot\b",
        "mind": r"\b(?:think|know|guess|mean|like)\b",
        "joint": r"^(?:and|so|well|then)\b",
        "until": r"\b(?:next (?:meeting|session|time|call|phase|step|stage)|before (?:the )?next|until then"
        r"|(?:in the )?mean(?:time|while))\b",
        "spell": r"\b(?:half an hour|(?:\d+|five|ten|fifteen|\w+ty) minutes)\b|\blunch|\bbreak\b",
        "by oneself": r"\bindividual|\bpersonal|\bcoach|\binstructions?\b",
        "ending": r"\bwrap(?:ping)? up|\bend of the meeting|\b(?:that's|that is|this was|that was) it\b|\bfinished\b"
        r"|\bwe(?:'re| are) done|\bclose (?:the|this) meeting|\bthat's all\b|\brunning out of time|\banything else\b"
        r"|\bany(?:one|body)? (?:has |have )?(?:other |more |last |final )?(?:questions?|points?|remarks?|comments?)\b"
        r"|\b(?:good|perfect|great) job",
        "farewell": r"\b(?:bye|see you|good luck|thank you (?:all|everyone|for|very)|thanks (?:all|everyone|for))\b",
        "outcome": r"\bsummar|\bto (?:recap|conclude)|\bconclusion|\bdecided|\bagreed\b|\bto do\b|\bactions?\b"
        r"|\btasks?\b",
        "each": r"\beach of you|\byou (?:two|three|guys|both)|\bboth of you|\beveryone\b|\beverybody\b"
        r"|\bthe two of you\b|\byou and (?:you|\w+)",
        "post": r"\b(?:designer|manager|expert|engineer|developer|marketing|secretary|lead)\b",
        "work for you": r"\byou(?:'ll| will| should| can| could|'re| are)? ?(?:(?:be|have to|need to|maybe|try to"
        r"|going to|gonna) ){0,3}(?:work|look|focus|prepare|find|think|make|do|write|design|start|check|try|come up)",
        "wish": r"\b(?:i|we)(?:'d| would) like (?:you )?to\b|\bi want you|\b(?:could|can) you\b",
        "at once": AT_ONCE.pattern,
    }.items()
}
"""Cue phrases by name, matched against one turn normalized by `spoken.plain_words`, without fillers."""

WORD: Final = "word "
"""Prefix for the words of a turn in feature names."""
_WORDS: Final = lazy_pattern(r"[a-z]+(?:'[a-z]+)?")


def evidence_of(readings: Sequence[Reading], acts: Sequence[Sequence[Found]]) -> list[dict[str, float]]:
    """Return the features of each turn of a segment by name; missing ones are 0."""
    turns_of = Counter(reading.speaker for reading in readings)
    evidence: list[dict[str, float]] = []
    for at, (reading, acts_of_turn) in enumerate(zip(readings, acts, strict=True)):
        speech = without_fillers(plain_words(reading.turn.content[:LOOKED_AT]))
        about = {f"cue {name}": 1.0 for name, pattern in CUES.items() if pattern.search(speech)}
        about |= dict.fromkeys((WORD + word for word in _WORDS.findall(speech)), 1.0)
        about |= _length(speech)
        for act in acts_of_turn:
            about[f"act {act.act}"] = max(about.get(f"act {act.act}", 0.0), act.points / 100)
            about[f"rule {act.rule}"] = 1.0
        about["share"] = turns_of[reading.speaker] / len(readings)
        if at and readings[at - 1].speaker == reading.speaker:
            about["goes on"] = 1.0
        if at + 1 < len(readings) and readings[at + 1].speaker == reading.speaker:
            about["went on"] = 1.0
        evidence.append(about)
    return evidence


def _length(statement: str) -> dict[str, float]:
    count = len(statement.split())
    steps = {f"{least} words": 1.0 for least in (3, 6, 12) if count >= least}
    return {"words": min(count, _LONG) / _LONG, **steps}
