"""Finds pasted text in a turn: a mail, a forwarded message, a chat transcript, quoted lines. Pure.

Pasted text is not the words of the person who pastes it. After the head of a pasted text everything to the end of the
turn counts as pasted: its end cannot be detected reliably, since its writer could fake an end.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import groupby
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold_worker.pipeline.language.prose import Span

_READ: Final = 100_000
"""Code points that are searched for heads; text beyond them is pasted if a head was found."""
_SENDER: Final = r"from|von|de|da|van|fra|fr[åa]n|expéditeur|remitente|mittente|od|от"
_OTHER_FIELDS: Final = (
    r"to|cc|bcc|subject|date|sent|reply-to|an|betreff|gesendet|datum|à|a|objet|date|envoyé|para|asunto|enviado|fecha|"
    r"oggetto|inviato|onderwerp|verzonden|aan|emne|till|ämne|assunto|temat|тема|кому|дата"
)
_FIELD: Final = lazy_pattern(
    rf"^[ \t*>_|]{{0,6}}(?P<name>{_SENDER}|{_OTHER_FIELDS})[ *_]{{0,3}}:[*_]{{0,2}}[ \t]+\S", re.IGNORECASE
)
_FIELDS_WITHIN: Final = 3
"""Maximum distance, in lines, of two header fields of a mail."""
_SUBJECT: Final = (
    r"subject|sent|betreff|gesendet|objet|envoyé|asunto|enviado|oggetto|inviato|onderwerp|emne|ämne|assunto|тема"
)
_FIELDS_ON_A_LINE: Final = lazy_pattern(
    rf"(?<!\w)(?:{_SENDER})[ ]?: ?\S[^\n]{{0,200}}?(?<!\w)(?:{_SUBJECT})[ ]?: ?\S", re.IGNORECASE
)
_ADDRESSED: Final = lazy_pattern(rf"^[ \t*>_|]{{0,6}}(?:{_SENDER})[ *_]{{0,3}}:[^\n]{{0,120}}\S@\S", re.IGNORECASE)
_FORWARDED: Final = lazy_pattern(
    r"^[^\w\n]{0,40}(?:begin(?:ning of)? )?(?:(?:forwarded|original|quoted|fwd:?) (?:message|mail|e-mail|email|text)"
    r"|weitergeleitete (?:nachricht|e-mail|mail)|urspr[üu]ngliche (?:nachricht|mail)|original-?nachricht"
    r"|message (?:transféré|d'origine|original)|mensaje (?:reenviado|original)|messaggio (?:inoltrato|originale)"
    r"|doorgestuurd bericht|oorspronkelijk bericht|mensagem (?:encaminhada|original))[^\w\n]{0,40}$",
    re.IGNORECASE,
)
_WROTE_ON: Final = lazy_pattern(
    r"(?<!\w)(?:on [^\n:]{2,30}\d[^\n]{0,120}?\bwrote|am [^\n:]{0,30}\d[^\n]{0,120}?\bschrieb[^\n:]{0,80}"
    r"|le [^\n:]{0,30}\d[^\n]{0,120}?\ba écrit|el [^\n:]{0,30}\d[^\n]{0,120}?\bescribió[^\n:]{0,80}"
    r"|il [^\n:]{0,30}\d[^\n]{0,120}?\bha scritto|op [^\n:]{0,30}\d[^\n]{0,120}?\bschreef[^\n:]{0,80}"
    r"|em [^\n:]{0,30}\d[^\n]{0,120}?\bescreveu[^\n:]{0,80})[ ]?:",
    re.IGNORECASE,
)
_MESSAGE: Final = (
    r"(?:e-?mails?|mails?|messages?|letter|reply|replies|memo|thread|ticket|transcript|conversation|chat(?: log)?|"
    r"newsletter|article|comment|review|feedback|announcement|dm|sms|slack|post|text (?:from|of|i got))"
)
_WHOSE: Final = (
    r"(?: #?\d{1,9})?(?: (?:from|by|of|that|which|who|he|she|they|we|i|it|to|with|about|on|in|regarding|re|below|again)"
    r"(?!\w)[^\n:!?]{0,80})?[ ]?"
)
_WRITES: Final = (
    r"(?:wrote|writes|written|replied|replies|answered|answers|responded|responds|texted|e-?mailed|mailed|messaged|"
    r"posted|announced|said|says|states|stated|sent|sends)"
)
_HERE_IS: Final = (
    r"(?:here(?:'s| is| are| comes)|this is|below is|i (?:just )?(?:got|received)|see|read|pasting|forwarding|"
    rf"attached is)\b(?! (?:my|our) {_MESSAGE}(?!\w))(?: [\w'\u2019.@-]+){{0,6}}? {_MESSAGE}(?!\w){_WHOSE}:"
)
_BELOW: Final = (
    r"(?:see|pasted|copied|quoted|forwarded|quoting|pasting)(?: it| them| this| the \w+)? below[ ]?[:.](?=\s)"
)
_NOT_OWN: Final = "".join(
    rf"(?<!\b{words} )" for words in ("i", "we", "you", "i've", "we've", "i just", "i also", "i had", "i have")
)
_THEY_WROTE: Final = (
    rf"{_NOT_OWN}\b(?!(?:i|we|you|i've|we've)(?!\w))\w[\w'\u2019-]{{0,30}} {_WRITES}"
    r"(?: (?:me|us|back|this|that|to (?:me|us)|the following|in \w+|on \w+|today|yesterday|earlier)){0,3}[ ]?:"
)
_IN_GERMAN: Final = (
    r"(?:hier (?:ist|kommt)|anbei) (?:die|der|das|eine|seine|ihre|deren)(?: \w+){0,3} "
    r"(?:e-?mail|mail|nachricht|brief|antwort|chat)(?!\w)[^\n:.!?]{0,60}:|siehe unten[ ]?[:.](?=\s)"
    r"|\b(?!(?:ich|wir)(?!\w))\w{1,30} (?:schrieb|schrieben|schreibt|antwortete)"
    r"(?: mir| uns| zurück| folgendes| dazu){0,2}[ ]?:"
)
_IN_FRENCH: Final = (
    r"voici (?:le|la|son|leur)(?: \w+){0,2} (?:mail|courriel|message|lettre|réponse)(?!\w)[^\n:.!?]{0,60}:"
    r"|voir ci-dessous[ ]?[:.](?=\s)"
)
_IN_SPANISH: Final = (
    r"aquí (?:está|tienes) (?:el|la|su)(?: \w+){0,2} (?:correo|mensaje|carta|respuesta)(?!\w)[^\n:.!?]{0,60}:"
    r"|ver (?:abajo|más abajo)[ ]?[:.](?=\s)"
)
_LEADS_IN: Final = lazy_pattern(
    rf"(?<!\w)(?:{_HERE_IS}|{_BELOW}|{_THEY_WROTE}|{_IN_GERMAN}|{_IN_FRENCH}|{_IN_SPANISH})", re.IGNORECASE
)
_NAME: Final = r"[^\W\d_][\w'\u2019.-]{0,24}(?: [^\W\d_][\w'\u2019.-]{0,24}){0,2}"
_SALUTATION: Final = lazy_pattern(
    r"^[ \t>]{0,4}(?:hi|hello|hey|dear|good (?:morning|afternoon|evening|day)|greetings|to whom it may concern|hallo|"
    r"liebe[rs]?|sehr geehrte[rs]?|guten (?:tag|morgen|abend)|moin|bonjour|ch[eè]re?s?|salut|hola|estimad[oa]s?|"
    r"querid[oa]s?|ciao|gentile|car[oa]|beste|geachte|ol[áa]|prezad[oa])(?: [^\n]{0,50}[^\s,!:;.-])?"
    r"[ \t]{0,4}[,!:;.-]?[ \t]{0,4}$",
    re.IGNORECASE,
)
_SIGN_OFF: Final = lazy_pattern(
    r"^[ \t>]{0,4}(?:(?:all the |with |my )?(?:best|kind(?:est)?|warm(?:est)?|many)?[ ]?(?:regards|wishes)|best|cheers|"
    r"thanks(?: (?:again|a lot|so much|in advance))?|thank you(?: [^\n]{0,20})?|thx|sincerely|yours(?: [^\n]{0,20})?|"
    r"respectfully|cordially|love|xoxo|talk soon|(?:viele|liebe|beste|herzliche|freundliche|sch[öo]ne) gr[üu](?:ß|ss)e"
    r"[^\n]{0,20}|mit (?:freundlichen|besten|herzlichen) gr[üu](?:ß|ss)en|gru(?:ß|ss)|lg|vg|mfg|bg|"
    r"(?:bien )?cordialement|bien à (?:vous|toi)|merci|(?:un )?saludos?(?: cordiales)?|atentamente|gracias|"
    r"cordiali saluti|saluti|grazie|met vriendelijke groet(?:en)?|groet(?:en|jes)?|atenciosamente|abraços?)"
    rf"[ \t]{{0,4}}[,.!\u2013\u2014-]{{0,2}}[ \t]{{0,4}}(?:{_NAME})?[ \t]{{0,4}}$",
    re.IGNORECASE,
)
_TIME: Final = r"\d{1,2}[:.]\d{2}(?:[:.]\d{2})?(?: ?[ap]\.?m\.?)?"
_STAMPED: Final = lazy_pattern(
    rf"^[ \t>*-]{{0,4}}(?:[\[(]?[^\n\]):]{{0,20}}?{_TIME}[\])]?[ \t,\u2013\u2014-]{{0,4}}(?:{_NAME})[ ]?:"
    rf"|(?:{_NAME})[ \t,]{{0,3}}[\[(]?[^\n\]):]{{0,20}}?{_TIME}[\])]?[ \t]*(?::|$))",
    re.IGNORECASE,
)
_SPOKEN: Final = lazy_pattern(rf"^[ \t>*_-]{{0,5}}(?P<name>{_NAME})[*_]{{0,2}}[ ]?:[*_]{{0,2}}(?:[ \t]+\S|[ \t]*$)")
_LEAST_STAMPED: Final = 2
_LEAST_SPOKEN: Final = 3
_QUOTED: Final = lazy_pattern(r"^[ \t]{0,3}>[^\n]*(?:\n|\Z)", re.MULTILINE)
_NOTHING: Final[tuple[Span, ...]] = ()


@lru_cache(maxsize=64)
def pasted_in(text: str) -> tuple[Span, ...]:
    """Return the pasted spans of a text: quoted lines, and everything after the first head of a pasted text.

    >>> pasted_in("Let's paint it. They wrote: scratch that.")
    (Span(start=28, end=41),)
    >>> pasted_in("Here's the new plan: we'll paint it.")
    ()
    """
    if ":" not in text and ">" not in text and "\n" not in text:
        return _NOTHING
    lines = _lines(text[:_READ])
    heads = [*_leads_in(text), *_mail_heads(text, lines), *_letters(text, lines), *_chats(text, lines)]
    begins = min(heads, default=len(text))
    quoted = [Span(match.start(), match.end()) for match in _QUOTED.finditer(text, 0, begins)] if ">" in text else []
    return (*quoted, *([Span(begins, len(text))] if heads else []))


def is_pasted(spans: Sequence[Span], span: Span) -> bool:
    """True when any part of a span is pasted: a sentence may contain both, 'Here is the mail: ignore …'."""
    return any(pasted_span.start < span.end and span.start < pasted_span.end for pasted_span in spans)


def _lines(text: str) -> list[Span]:
    lines: list[Span] = []
    start = 0
    for line in text.split("\n"):
        lines.append(Span(start, start + len(line)))
        start += len(line) + 1
    return lines


def _leads_in(text: str) -> list[int]:
    """Return where introduced text begins: after 'here is the mail:', 'they wrote:', 'On 3 May, Tom wrote:'.

    If the text is quoted by `>` marks, it is left out: only the marked lines are pasted.
    """
    read = text[:_READ]
    ends = [match.end() for pattern in (_LEADS_IN, _WROTE_ON) for match in pattern.finditer(read)]
    begins = [end + len(text[end:]) - len(text[end:].lstrip()) for end in ends]
    return [at for at in begins if at < len(text) and text[at] != ">"]


def _mail_heads(text: str, lines: Sequence[Span]) -> list[int]:
    """Return where mail headers begin, and lines that mark a forwarded message."""
    starts = [match.start() for match in _FIELDS_ON_A_LINE.finditer(text[:_READ])]
    fields: list[tuple[int, str]] = []
    for number, line in enumerate(lines):
        line_text = text[line.start : line.end]
        if _FORWARDED.match(line_text) or _ADDRESSED.match(line_text):
            starts.append(line.start)
        elif field := _FIELD.match(line_text):
            name = field["name"].lower()
            if fields and number - fields[-1][0] <= _FIELDS_WITHIN and name != fields[-1][1]:
                starts.append(lines[fields[-1][0]].start)
            fields.append((number, name))
    return starts


def _letters(text: str, lines: Sequence[Span]) -> list[int]:
    """Return where letters inside a longer turn begin: at a salutation with text before it and a sign-off after it.

    A turn that is itself a letter is its writer's own text.
    """
    filled_lines = [line for line in lines if text[line.start : line.end].strip()]
    signed = max((line.start for line in filled_lines if _SIGN_OFF.match(text[line.start : line.end])), default=-1)
    return [
        line.start
        for line in filled_lines[1:]
        if line.start < signed and _SALUTATION.match(text[line.start : line.end])
    ]


def _chats(text: str, lines: Sequence[Span]) -> list[int]:
    """Return where a chat transcript begins: lines with names and times, or speakers who take turns."""
    stamped = [line.start for line in lines if _STAMPED.match(text[line.start : line.end])]
    if len(stamped) >= _LEAST_STAMPED:
        return stamped[:1]
    spoken = [
        (line.start, match["name"].lower()) for line in lines if (match := _SPOKEN.match(text[line.start : line.end]))
    ]
    turns = [name for name, _ in groupby(name for _, name in spoken)]
    return [spoken[0][0]] if len(turns) >= _LEAST_SPOKEN and len(set(turns)) < len(turns) else []
