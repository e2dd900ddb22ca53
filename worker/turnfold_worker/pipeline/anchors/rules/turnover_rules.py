"""Patterns for something that was replaced or is no longer had. See `statements.turnovers`.

Each pattern matches one bare clause. Named groups: `who` for the subject; `gone` for what no longer holds; `thing` for
what it was a value of; `now` for the replacement. `{drops}` and the like stand for the lists of verbs.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Final, NamedTuple

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold_worker.pipeline.language.common_words import listed


class Way(StrEnum):
    """The way in which something came to an end."""

    GIVEN_UP = "given up"
    """A thing that someone had, used or did: 'we sold the flat'."""
    LEFT = "left"
    """A place or a group: 'Gustav left the billing team'."""
    PARTED = "parted"
    """A person who did something: 'we let Tom go', 'Helena retired'."""
    MOVED = "moved"
    """A former value of a thing: 'we moved the launch from May to June'."""
    REMADE = "remade"
    """The material or place of a thing: 'we rewrote the frontend in Svelte'."""
    TAKEN_UP = "taken up"
    """Another thing of the same kind: 'I switched to oat milk'."""


class Turn(NamedTuple):
    """A pattern for one way of ending."""

    way: Way
    pattern: re.Pattern[str]
    of_a_name: bool | None = None
    """Require (True) or exclude (False) a name as what is gone: 'we dropped Holmen', not 'I dropped the phone'."""


_VERBS: Final = {
    "drops": """
        sold off|sold|tore down|torn down|ditched|dumped|scrapped|abandoned|axed|discontinued|retired|decommissioned|
        deprecated|closed down|wound up|gave up|given up|gave away|given away|got rid of|gotten rid of|did away with|
        done away with|cancelled|canceled|terminated|ended|phased out|ripped out|threw out|thrown out|threw away|
        thrown away|handed back|sent back|donated|
        traded in|turned in|swapped out|unsubscribed from|opted out of|moved off|moved away from|migrated off|
        migrated away from|came off|come off|said goodbye to|uninstalled|pawned|auctioned off|backed out of|
        withdrew from|disbanded|chucked out|pulled the plug on|called time on|switched off|shut off|shut down|
        turned off|binned|shelved|weaned ourselves off|walked away from|stopped paying for|let go of""",
    "names": "dropped|left|quit|let go of|chucked",
    "habits": r"""
        gave up|given up|quit|stopped(?= \w+ing| (?:my|our|his|her|their) (?:[\w-]+ ){0,2}(?:lessons|classes|therapy|
        treatment|training|sessions|subscription|medication|course|diet))|
        came off|come off|went off|gone off|cut out|(?:am|are|is) off(?! to )|
        swore off|sworn off|packed in|weaned myself off|dropped out of|withdrew from|resigned from|retired from""",
    "swaps": """
        traded in|traded|swapped|swapped out|exchanged|switched|replaced|ditched|dropped|left|quit|gave up|abandoned|
        scrapped|dumped|substituted|sold""",
    "leaves": """
        quit|resigned from|dropped out of|withdrew from|retired from|stepped down from|moved out of|pulled out of|
        walked out of|gave up|graduated from""",
    "groups": """
        team|company|firm|band|club|choir|orchestra|job|course|project|group|board|committee|department|union|league|
        church|party|class|programme|program|agency|practice|squad|crew|troupe|army|navy|force|council|circle|network|
        faculty|staff|association|society|startup|start-up|chat|channel|school|college|university""",
    "dismisses": """
        fired|sacked|dismissed|laid off|let go of|parted ways with|parted company with|parted from|split with|
        split from|split up with|separated from|divorced|broke up with|broken up with|got divorced from|stopped seeing|
        stopped working with""",
    "departs": """
        retired|resigned|stepped down|stepped back|quit|passed away|died|moved on|is gone|
        handed in (?:his|her|their) notice|dropped out|pulled out|bowed out|moved away|
        went (?:part-time|on (?:maternity |parental )?leave)|
        is on (?:maternity |parental |sick )leave|
        (?:left|has left) (?:us|the (?:company|firm|team|department|band|practice|school|club|agency|organi[sz]ation|
        business|job))|(?:was|is|got|were|has been|been) (?:fired|sacked|dismissed|let go|laid off|replaced)""",
    "moves": """
        moved|shifted|pushed|postponed|rescheduled|brought forward|switched|changed|migrated|ported|converted|
        transferred|bumped|extended|delayed|put back|put off|upgraded|downgraded|relocated|swapped|raised|lowered|cut|
        reduced|shortened|slipped|swung""",
    "remakes": """
        rewrote|rewritten|rebuilt|redid|redone|repainted|rebooked|rehosted|redeployed|refactored|reupholstered|
        reimplemented|replatformed|resettled|rehomed|relocated|moved|migrated|ported|switched|transferred|converted|
        changed|recoloured|recolored|dyed|redecorated|refinished|rescheduled""",
    "takes": """
        switched|changed|went over|gone over|changed over|moved over|converted|switched over|migrated|
        upgraded|downgraded""",
    "starts": """
        took up|taken up|started|began|begun|bought|got|chose|picked|went with|hired|joined|adopted|introduced|use|
        take|have|drink|eat|play|put|ordered|booked|signed""",
}  # fmt: skip
_WHO: Final = r"(?P<who>(?:[a-z][\w'-]*,? ){1,3}?)(?:(?:have|has|had) )?(?:(?:then|since|even|all) )?"
_PART: Final = r"(?:[^\s,;:!?]){1,40}"
_WORDS: Final = rf"{_PART}(?: {_PART}){{0,5}}?"
_DEFINITE: Final = r"(?P<whose>(?:the|our|my|his|her|their) )?"
_GONE: Final = rf"{_DEFINITE}(?P<gone>{_WORDS})"
_HABIT: Final = rf"(?:(?:the|our|my|his|her|their) )?(?P<habit>{_WORDS})"
_MANY: Final = rf"{_PART}(?: {_PART}){{0,5}}"
_NOW: Final = rf"(?:(?:an?|the|our|my|some) )?(?P<now>{_WORDS})"
_END: Final = (
    r"(?= (?:for|in|on|at|to|as|with|from|since|because|so|and|but|after|before|when|until|while|by|last|this|today|"
    r"yesterday|completely|entirely|altogether|over|during|instead|of|too|per|again|a (?:week|month|year|while) ago)"
    r"(?!\w)|$)"
)
_SUBJECT: Final = rf"^(?:(?:the|our|my) )?(?P<thing>(?!(?:i|we|it|he|she|they|you|who|there)(?!\w)){_WORDS})"
_BEEN: Final = r"(?:is|are|was|were|got|gets|has been|have been)(?: being)?"


_ONTO: Final = r"(?:over |back |up )?(?:to|into|until|till|onto)"
_LEAD: Final = r"(?P<lead>in|to|into|with|onto|on|at)"
_WHY: Final = r"(?= (?:for|since|because|after|last|this|and)(?!\w)|$)"


def _turn(way: Way, phrase: str, *, of_a_name: bool | None = None) -> Turn:
    def source() -> str:
        text = phrase
        for name, verbs in _VERBS.items():
            text = text.replace(f"{{{name}}}", f"(?:{''.join(line.strip() for line in verbs.splitlines())})")
        for name, part in (
            ("{who}", _WHO), ("{gone}", _GONE), ("{now}", _NOW), ("{end}", _END), ("{subject}", _SUBJECT),
            ("{been}", _BEEN), ("{habit}", _HABIT), ("{things}", _MANY), ("{onto}", _ONTO),
            ("{lead}", _LEAD), ("{why}", _WHY), ("{words}", _WORDS),
        ):  # fmt: skip
            text = text.replace(name, part)
        return text

    return Turn(way, lazy_pattern(source), of_a_name)


TURNS: Final = (
    # We moved the launch from May to June; the contract was extended from June to July; the talk slipped from 3 to 4.
    _turn(Way.MOVED, r"^{who}{moves}(?: back| forward| over| up| out| down)? (?:the |our |my )?(?P<thing>{words}) "
          r"(?:away |off |over )?from (?:the |our |my )?(?P<gone>{words}) {onto} {now}{end}"),
    _turn(Way.MOVED, r"{subject} (?:{been} )?{moves}(?: back| forward| over| up| out| down| ahead)? "
          r"(?:away |off |over )?(?:from|off|off of) (?:the |our |my )?(?P<gone>{words}) "
          r"{onto} {now}{end}"),
    # We went from three sprints to two; we switched from Jenkins to Buildkite.
    _turn(Way.GIVEN_UP, r"^{who}(?:{takes}|{moves})(?: back| over| away)? from {habit} (?:over |back )?to {now}{end}"),
    _turn(Way.GIVEN_UP, r"^{who}(?:went|gone) from {habit} to {now}{end}", of_a_name=False),
    # I left Coach Ridley for Coach Amin; we swapped Fluentd for Vector.
    _turn(Way.GIVEN_UP, r"^{who}{swaps} {gone}(?: in| out)? "
          r"(?:for|with|against) (?!(?:the|our|my|good|now|a while)(?!\w)){now}{end}"),
    _turn(Way.GIVEN_UP, r"^{who}(?:traded in|traded|swapped|exchanged|replaced|switched) {habit}(?: in| out)? "
          r"(?:for|with|by|against) {now}{end}"),
    _turn(Way.GIVEN_UP, r"^(?:(?:the|our|my) )?(?P<gone>{words}) {been} "
          r"(?:swapped|replaced|exchanged|superseded|succeeded)(?: out)? (?:for|with|by) {now}{end}"),
    # We let Tom go; we fired the caterer; Helena retired; Marta and I broke up.
    _turn(Way.PARTED, r"^{who}let {gone} go{end}"),
    _turn(Way.PARTED, r"^{who}{dismisses} {gone}{end}"),
    _turn(Way.PARTED, r"^(?P<gone>{words}) (?:(?:have|has) )?{departs}{end}"),
    _turn(Way.PARTED, r"^(?P<gone>[a-z][\w-]*) and i (?:(?:have|are|got) )?(?:now )?"
          r"(?:broke up|broken up|split up|split|separated|divorced|parted|parted ways|got divorced|"
          r"are divorced|no longer together){end}"),
    _turn(Way.GIVEN_UP, r"^{who}closed (?:the|our|my) accounts? (?:at|with) {gone}{end}"),
    _turn(Way.LEFT, r"^{who}(?:took|pulled|taken) (?P<thing>{words}) (?:out of|off) {gone}{end}"),
    # We sold the flat; we gave Kiko away; the parrot was given away; I gave up smoking.
    _turn(Way.GIVEN_UP, r"^{who}{drops} {gone}{end}"),
    _turn(Way.GIVEN_UP, r"^{who}{names} {gone}{end}", of_a_name=True),
    _turn(Way.GIVEN_UP, r"^{who}(?:gave|given) {gone} (?:away|up|back){end}"),
    _turn(Way.GIVEN_UP, r"^{who}(?:threw|thrown) {gone} (?:away|out){end}"),
    _turn(Way.GIVEN_UP, r"^{who}(?:sent|handed) {gone} back{end}"),
    _turn(Way.GIVEN_UP, r"^{who}(?:tore|torn|ripped|took) {gone} out{end}", of_a_name=True),
    _turn(Way.GIVEN_UP, r"^{who}(?:traded|turned) {gone} in{end}"),
    _turn(Way.GIVEN_UP, r"^(?:(?:the|our|my) )?(?P<gone>{words}) {been} (?:{drops}){end}"),
    _turn(Way.GIVEN_UP, r"^{who}{habits} {habit}{end}"),
    _turn(Way.GIVEN_UP, r"^(?:{who}{starts} .{2,60}? (?:instead of|rather than|in place of)|no more) {habit}{end}"),
    # Gustav left the billing team.
    _turn(Way.LEFT, r"^{who}{leaves} {gone}{end}"),
    _turn(Way.LEFT, r"^{who}left (?P<whose>the|our|my|his|her|their) (?P<gone>(?:[\w-]+ ){0,3}{groups}){end}"),
    # We rewrote the frontend in Svelte; the service has been migrated to Fly; we repainted the hall green.
    _turn(Way.REMADE, r"^{who}{remakes} (?:the|our|my) (?P<thing>{things}) {lead} {now}{why}"),
    _turn(Way.REMADE, r"^{who}(?:repainted|dyed|recoloured|recolored|redecorated) (?:the|our|my) "
          r"(?P<thing>{words}) (?P<lead>){now}$"),
    _turn(Way.REMADE, r"{subject} {been} {remakes} {lead} {now}{why}"),
    # I switched to oat milk in my coffee.
    _turn(Way.TAKEN_UP, r"^{who}{takes} (?:over |back )?to {now}{end}"),
)  # fmt: skip
"""The first matching pattern counts."""
_FLAT: Final = ("drops", "names", "swaps", "leaves", "dismisses", "moves", "remakes", "takes")
CUES: Final = (
    frozenset(phrase.split()[0] for name in _FLAT for phrase in _VERBS[name].split("|"))
    - listed("came come did done got put said swung wound")
    | listed("""
    away broke broken closed died dropped dyed fired gave given gone handed instead laid let off packed parted passed
    pulled quit rather redecorated repainted replaced resigned retired rid sacked sent separated split stepped stopped
    succeeded superseded swore sworn taken threw thrown took tore torn weaned
""")
    | {"more", "goodbye"}
)
"""Cue words of turnovers; texts without one, the great majority, are skipped."""
NO_STATE: Final = listed("""
    like love hate know think hope want wish miss remember recommend suggest mention plan need doubt fear wonder
    dream consider look visit regret prefer thank ask tell say call meet met saw see bought sold got made found gave
    took went came wrote heard lost won paid spent built began
""")
"""Verbs that stay true when the thing is gone, and verbs for single past events."""
ROLE: Final = lazy_pattern(
    r"^(?:(?:is|are|am) (?:the|our|my|their|in charge|responsible|on|head|lead|a)(?!\w)|(?:\w+ly )?(?:runs?|leads?|"
    r"heads?|manages?|owns?|handles?|maintains?|chairs?|works?|teach(?:es)?|coach(?:es)?|trains?|does|reviews?|writes?|plays?|"
    r"looks? after|takes? care|reports? to|keeps?|drives?|cleans?|cooks?|sings?|edits?|designs?|supervises?|"
    r"represents?|treats?|covers?|tutors?|mentors?|organi[sz]es?|coordinates?|supplies|delivers?|caters?|hosts?|sits?|"
    r"catalogues?|files|answers|feeds?|waters?|walks|mows|bakes?|serves?|stocks?|orders?|books?|schedules?|updates?|"
    r"deploys?|moderates?|translates?|proofreads?|directs?|conducts?|referees|judges?|records?|films?|audits?|inspects?|"
    r"tests?|repairs?|services?|fixes|collects?|picks up|drops off|locks|unlocks|opens|signs|approves?)(?!\w))"
)
"""Roles and tasks that people have as long as they are there."""
