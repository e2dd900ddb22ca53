"""What an assistant worked out for its user: a value with what it is of, an answer, a choice, a correction. Pure."""

from __future__ import annotations

from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold_worker.pipeline.language.prose import Span

_NUMBER: Final = (
    r"[-+~(]{0,2}(?:[$\u20ac\u00a3]|\\\$|CHF |USD |EUR )?[-+]?"
    r"(?:\\(?:frac|dfrac|sqrt|boxed)\{[^{}\n]{1,20}\}(?:\{[^{}\n]{1,20}\})?|\d[\d,.]{0,18})"
)
_HEDGED: Final = (
    r"(?:(?:about|approximately|roughly|around|exactly|indeed|only|now|thus|then|just|nearly|almost) ){0,2}"
)
_MEASURE: Final = (
    r"(?:total|sum|answer|result|probability|likelihood|chance|odds|area|volume|perimeter|circumference|radius|diameter"
    r"|length|width|height|depth|distance|slope|intercept|angle|weight|mass|density|speed|velocity|acceleration|force"
    r"|energy|power|voltage|current|resistance|temperature|pressure|concentration|cost|price|fee|budget|balance|payment"
    r"|instal?lment|interest|principal|tax|savings?|profit|revenue|income|salary|loss|margin|return|yield|discount|average"
    r"|mean|median|mode|variance|deviation|percentage|percent|proportion|ratio|rate|score|difference|product|quotient"
    r"|remainder|factor|solutions?|roots?|value|amount|duration|estimate|time|hypotenuse|side|derivative|integral|limit"
    r"|determinant|dose|calories|intake|age|improvement|increase|decrease|growth)"
)
_EQUATION: Final = lazy_pattern(
    rf"(?:=|≈|≃|\\approx|\\Rightarrow|→)\s{{0,4}}(?:\\\(\s{{0,4}})?(?:\\text\{{)?{_NUMBER}[^=≈\n]{{0,24}}$"
)
_MATHS_END: Final = lazy_pattern(r"[\s.$]{0,4}(?:\\[)\]])?[\s.$)]{0,4}$")
_TOLD: Final = lazy_pattern(
    rf"(?i)\b{_MEASURE}\b[^.;\n]{{0,120}}?\s(?:is|are|was|were|equals|becomes|comes (?:out )?to|came to|totals"
    rf"|amounts to|adds up to|works out (?:to|at)|would be|will be|should be)\s{_HEDGED}(?:equal to )?"
    rf"(?:\\\(\s{{0,4}})?{_NUMBER}"
)
_LABELLED: Final = lazy_pattern(
    rf"(?i)(?:[A-Z][\w'-]{{1,20}} ){{0,4}}{_MEASURE}\b(?! number)(?:[^:=\n]{{0,60}})?(?::|=)\s{_HEDGED}"
    rf"(?:\\\(\s{{0,4}})?{_NUMBER}"
)
_INPUT: Final = lazy_pattern(r"(?i)\b(?:outcomes|number of|given|known|assume|suppose|let|step \d)\b")
_CONCLUDES: Final = lazy_pattern(
    r"(?i)(?:so|therefore|thus|hence|in conclusion|as a result|this (?:means|gives|shows)|that (?:means|gives)"
    r"|which gives|we get|you get|you(?:'ll| will)? need|in total|altogether|overall)\b"
)
_HAS_NUMBER: Final = lazy_pattern(r"\d")
_CHOOSES: Final = lazy_pattern(
    r"(?i)\b(?:i(?:'d| would)? (?:strongly )?recommend (?!that you (?:consult|check|review)"
    r"|consulting|checking|reviewing)"
    r"|my recommendation|i(?:'d| would) (?:suggest|go with|choose|pick)"
    r"|the (?:best|better|right|most suitable|recommended|ideal|safest|cheapest|strongest)"
    r" (?:choice|option|fit|pick|approach)(?: for you| here| overall)?"
    r" (?:is|would be)|is (?:the|your) (?:best|better|right|safer|cheaper|recommended)"
    r" (?:choice|option|fit|pick|bet)|the (?:final|correct|right) answer (?:is|would be))\b"
)
_CORRECTS: Final = lazy_pattern(
    r"(?i)\b(?:(?:the )?correct(?:ed)? (?:version|value|line|calculation|formula|sentence|spelling|order|date|figure"
    r"|form)(?: is|:)|should (?:have been|read|be) [^.\n]{1,60}\b(?:not|instead of|rather than)\b"
    r"|(?:the|your) (?:mistake|error|bug|problem|issue) (?:is|was) (?:that|caused by|due to|because|in)\b)"
)
_CONCLUDING: Final = lazy_pattern(
    r"(?i)(?:summary|conclusions?|(?:final )?(?:answers?|results?)|recommendations?|verdict|bottom line"
    r"|key (?:takeaways?|results?)|in short|total)\W*(?:$|:)"
)


def is_result(clause: str, *, concludes: bool = False) -> bool:
    """Whether a clause of an assistant says what it worked out, chose or corrected.

    `concludes` says that it stands below a heading such as "Summary" or "Final answer".

    >>> is_result("The area is 49 cm²"), is_result("Total monthly cost: $3,420"), is_result("Find the area")
    (True, True, False)
    """
    plain = clause.replace("**", "").replace("\u2019", "'")
    if _CHOOSES.search(plain) or _CORRECTS.search(plain):
        return True
    if not _HAS_NUMBER.search(plain) or plain.endswith("?") or (_INPUT.search(plain) and not concludes):
        return False
    if _TOLD.search(plain) is not None or _LABELLED.match(plain) is not None:
        return True
    return (concludes or _CONCLUDES.match(plain) is not None) and is_equation(plain)


def is_equation(clause: str) -> bool:
    r"""Whether a clause ends in the number that something comes to.

    >>> is_equation(r"\[ P(A) = \frac{4}{52} \]"), is_equation("n = number of trials")
    (True, False)
    """
    return _EQUATION.search(_MATHS_END.sub("", clause.replace("**", ""))) is not None


def concluding(content: str, headings: tuple[Span, ...]) -> tuple[Span, ...]:
    """What stands below each heading that announces an answer, up to the next heading."""
    spans = []
    for place, heading in enumerate(headings):
        words = content[heading.start : heading.end].strip("#*: \t0123456789.")
        if _CONCLUDING.match(words):
            end = headings[place + 1].start if place + 1 < len(headings) else len(content)
            spans.append(Span(heading.end, end))
    return tuple(spans)
