"""Common words, which say little about a subject although they are long: everyday English, and assistants' phrases.

Compiled by hand for this project. Unlike the stop words of `turnfold.contract.terms`, which are ignored, common words
count, with the lowest weight.
"""

from __future__ import annotations

from typing import Final

from turnfold.contract.bounded_memo import Remembered
from turnfold.contract.terms import rarity, stem


def listed(words: str) -> frozenset[str]:
    """Split a table of words at white space."""
    return frozenset(words.split())


COMMON_WORDS: Final = listed(
    """
    able absolutely access accomplish according achieve across actual actually add added additional additionally
    address adjust afternoon ago ahead allow almost alone along already alright although always amazing amount
    another answer anymore anyone anything anyway apart appear apply appreciate approach area around article ask
    aspect asking available away awesome back bad based basic basically become before beginning behind believe best
    better beyond big bit boost break breakdown bring building call called came can't cannot care case cause certain
    certainly change changes check choose choosing clear clearly close code come comes coming common complete
    completely concept concern consider consistent consistently contact contain contains content continue correct
    correctly could couple course cover create created creating curious current currently day days deal definitely
    depend depending describe detail detailed details develop didn't different difficult difficulty directly discuss
    doesn't don't done dive easily easy effective effectively effort either else encourage end engage enjoy enjoyed
    enough ensure ensures ensuring entire especially essential etc even evening ever every everyone everything exact
    exactly example examples excellent excited exciting execute exercise expect experience explain explore extra
    face fact familiar family famous fantastic feature feel feeling feels felt figure final finally find finding
    fine finish first focus follow following form found free friend friends full fully fun function further future
    gave general generally getting give given gives giving glad goal goals goes going gonna gone good got great
    group grow guess guide guidance guy guys handle handling happen happened happens happy hard haven't having hear
    heard heart help helped helpful helping helps hey hi high hold home hope hopefully hour house however huge idea
    ideas identify implement implementation implementing important improve improvement include includes including
    incorporate incredible indeed individual information insight instance instead interest interested interesting
    involve involves isn't issue issues item join journey keep keeping key kind kinda knew know known large last
    late lately later latest lead learn learned learning least leave left less let's level life like likely line
    list listen literally little live lives logic long longer look looked looking looks lot lots love loved lovely
    luck made main maintain major make makes making manage many matter maybe mean meaning means meant meet mention
    mentioned message method might mind minute moment month morning mostly move moving much multiple must need
    needed needs never new next nice night nobody none nothing notice number object obviously often ones online open
    opportunity option options order original others otherwise overall part particular particularly pass passion
    past people perfect perfectly perhaps person personal picture piece place plan plans please plenty point points
    positive possible possibly post potential powerful practice prefer prepare prepared present pretty prevent
    previous probably problem problems proceed process produce progress project proper properly provide provided
    provides providing purpose put question questions quick quickly quite rather reach read ready real realize
    realized really reason recent recently recommend refer regarding regular related relevant remember require
    required requirements requires resource resources respect respond response rest result results return review
    right room run running said saw say saying says section see seeing seem seems seen sense set sets setting
    several share shared sharing she's show showing shows side significant similar simple simply single situation
    skill skills small solution solutions somehow someone something sometimes soon sorry sort sound sounds space
    special specific specifically spend spent stand start started starting starts state stay step steps still stop
    story straightforward strategy strong structure struggling study stuff style success successful successfully
    such suggest suggestion suggestions summary super support supportive suppose supposed sure surely take taken
    takes taking talk talked talking task tasks team tell tend term terms test thanks that's there's thing things
    think thinking third though thought thoughts thousand three time times tip tips today together told tomorrow
    tonight took topic total totally touch toward towards track tried tries true truly try trying turn turned two
    type types typically understand understanding understood unique unless unlike update updated upon usage use used
    useful user uses using usually valuable value values various view wait want wanted wants wasn't watch way ways
    we'll we're we've week weekend welcome well went weren't whatever whenever whether whole wide wish within
    without won't wonder wonderful wondering word words work worked working works world worry worse worth would
    wouldn't wow write writing written wrong year years yesterday yet you'd you'll you're you've yourself absolute
    achievement adding address alternative appropriate aspects assist assistance assume atmosphere attempt aware
    balance beautiful belong benefit benefits brief broad challenge challenges challenging character choice clarity
    collect combination comfortable comment comments common community compare complex component components
    comprehensive conclusion confident confirm connect connection correctness creative critical define demonstrate
    desired determine efficient efficiently element elements emotional enable encounter enhance environment
    establish evaluate eventually expected explanation factor factors feedback fit following gain generate happiness
    highlight highly hooray impact incredibly inspire inspired inspiring introduce kindness knowledge largest
    leading locate mainly manageable material meaningful meanwhile necessary normal normally note obtain occur
    otherwise parts peaceful perform period perspective practical preferred presence primary principle priority
    properly quality reach reference reflect relax reliable remain repeat replace represent satisfy select sequence
    serve share smooth statement steady suitable sudden suggests tackle target technique techniques thankful
    themselves thoroughly throughout typical understandable variety whichever worthwhile
    """
)

_COMMON: Final = (
    COMMON_WORDS | {stem(word) for word in COMMON_WORDS} | {word.removesuffix("s") for word in COMMON_WORDS}
)


def is_common(word: str) -> bool:
    """True for an everyday word or its stem, in lower case."""
    return word in _COMMON


def _weight(term: str) -> int:
    """Weigh a term from 1 to 9: by its rarity, but 1 for an everyday word."""
    return 1 if term in _COMMON else rarity(term)


WEIGHTS: Final = Remembered(_weight)
"""Weight of each term, 1 to 9."""
