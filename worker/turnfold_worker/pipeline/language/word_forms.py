"""Forms of an English word, and the words that mean the same: how a paraphrase meets what was said.

Wider than the terms of a search, and never stored: a claim is compared with its source by it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from importlib import resources
from typing import Final

_SAME: Final = """
be is are was were been being am; go went gone going gonna; get got gotten; make made; take took taken taking; see saw seen seeing; come came coming; know knew known; give gave given giving;
find found; think thought; tell told; become became; leave left leaving; feel felt feeling; bring brought;
begin began begun beginning start; keep kept; hold held; write wrote written writing; stand stood; hear heard;
mean meant meaning; meet met meeting; run ran running; pay paid; sit sat; speak spoke spoken; lie lay lain lying;
lead led; grow grew grown growth; lose lost loss; fall fell fallen; send sent; build built; understand understood;
draw drew drawn; break broke broken; spend spent; rise rose risen; drive drove driven; buy bought purchase;
wear wore worn; choose chose chosen choice pick; eat ate eaten; teach taught; catch caught; fly flew flown flight;
sing sang sung song; swim swam swum; win won; fight fought; throw threw thrown; sell sold sale; sleep slept;
ride rode ridden; hide hid hidden; forget forgot forgotten unforgettable; drink drank drunk; shake shook shaken; steal stole stolen;
wake woke woken; freeze froze frozen; ring rang rung; blow blew blown; shoot shot; feed fed; bite bit bitten;
hang hung; dig dug; deal dealt; lend lent; bend bent; shine shone; seek sought; sweep swept; swing swung;
stick stuck; strike struck; tear tore torn; child children kid kids; person people folk folks; man men; woman women;
foot feet; tooth teeth; mouse mice; life lives live; wife wives; knife knives; self selves; good better best;
bad worse worst; far further farther; family fam; favorite fave favourite; picture pic pics photo photograph image
snapshot; education edu; video vid clip footage; conversation convo chat talk; information info; mother mom mum mommy;
father dad daddy; grandmother grandma granny nana; grandfather grandpa granddad; birthday bday; application app;
puppy pup; kitten kitty kittens; document doc docs; laboratory lab; examination exam; telephone phone;
television tv; bicycle bike; refrigerator fridge; vegetable veggie veggies; configuration config configure;
repository repo; database db; developer dev; authentication auth authenticate; administrator admin; environment env;
parameter param; statistic stat stats; specification spec; color colour colors colored; center centre; theater theatre;
daily everyday; weekly; monthly; yearly annual annually; trip travel journey outing vacation holiday getaway; movie film
cinema; car automobile vehicle; house home; job work career profession occupation employment; boss manager supervisor;
company firm business; city town; country nation; store shop; big large huge enormous; small little tiny; happy glad
pleased delighted; sad unhappy; scared afraid frightened fear; angry mad upset; tired exhausted weary; fast quick
rapid quickly; hard difficult tough difficulty; easy simple easily; important crucial vital key essential importance; funny
hilarious; beautiful gorgeous lovely stunning pretty beauty; amazing awesome incredible fantastic wonderful; nervous anxious
anxiety nerve-wracking; excited thrilled stoked excitement pumped; proud pride; love adore enjoy; like enjoy; help assist support aid; buy get; show display present
reveal; finish complete done end conclude; stop quit cease halt; try attempt; need require necessary; want wish desire;
use utilize employ; fix repair resolve solve; change alter modify switch; increase raise grow rise; decrease reduce lower drop; begin
commence launch; join enroll register enrol; plan intend arrange; learn study; look watch view see; gift present;
marry married wedding marriage spouse; husband partner; wife partner; doctor physician; illness sick ill disease; hurt injure injury
injured; relax unwind calm calming soothing relaxation destress de-stress; problem issue trouble; idea thought concept; goal aim target;
chance opportunity; part piece; kind type sort; price cost; money cash funds; cheap inexpensive affordable; expensive costly pricey; deadline
due; delay postpone late; meeting appointment; test testing tested; bug defect error; error failure fail failed; delete remove
drop; add append include; user customer client; server host; speed performance; memory ram; schedule calendar timetable;
move relocate relocated; visit visited see; attend went attended; exercise workout; run jog jogging; meal dinner lunch
food; cook prepare make; bake baked; reading read reader; book novel; course class lesson; college university;
struggle hardship challenge; accept embrace acceptance; inspire motivate encourage; advice suggestion tip recommend recommendation
suggest advise; aware awareness; remember recall remind; dream aspiration; belief believe; hobby pastime; honest truthful;
several few; many lots numerous; all entire whole every; usually typically; recently lately; maybe perhaps possibly; nearly almost
about approximately roughly; hope hopeful optimistic; thankful grateful gratitude thanks appreciate appreciative; strong strength; long length; wide width; high height; deep depth;
young youth youngest; old age aged; decide decision decided; respond response; success succeed successful; die death dead; speech
speak; advise advice; analyze analysis; sun sunny; noise noisy; health healthy; fun enjoyable; beginner novice;
reject decline refuse turn-down; agree agreement; choose select selection; describe description; receive reception;
explain explanation; apply application; compare comparison; destroy destruction; explore exploration; fulfill fulfilling fulfilment
""".replace("\n", " ").split(";")  # fmt: skip
"""Words of which each may stand for the others: irregular forms, short forms, everyday synonyms."""

_INFLECTIONS: Final = (
    "ies",
    "ied",
    "ier",
    "ily",
    "iest",
    "ing",
    "ings",
    "est",
    "ed",
    "es",
    "er",
    "ers",
    "ly",
    "s",
    "y",
    "e",
    "d",
)
_DERIVATIONS: Final = (
    "ational", "itions", "ition", "ations", "ation", "ments", "ment", "ances", "ances", "ences", "ence", "ance", "ships",
    "ship", "tions", "tion", "sion", "sions", "ness", "able", "ible", "ives", "ive", "ists", "ist", "ally", "ical", "ized",
    "izes", "izing", "ize", "ise", "ised", "ated", "ates", "ating", "ate", "ions", "ion", "ities", "ity", "ant", "ents",
    "ent", "ful", "fully", "ous", "ously", "al", "ic", "ors", "or", "th",
)  # fmt: skip
"""Endings that leave the sense of a word; `less` and `un` turn it round and are not among them."""
_LEAST_INFLECTED: Final = 3
_LEAST_DERIVED: Final = 4
"""Letters that are left at least."""


@cache
def _synonyms() -> Mapping[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for line in resources.files(__package__).joinpath("related_words.txt").read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            word, *others = line.split()
            found.setdefault(word, set()).update(others)
    for group in _SAME:
        words = group.split()
        for word in words:
            found.setdefault(word, set()).update(words)
    return {word: frozenset(others) for word, others in found.items()}


@lru_cache(maxsize=20_000)
def forms(word: str) -> frozenset[str]:
    """The word in lower case and its roots: two words are forms of one where these meet.

    >>> bool(forms("inspiring") & forms("inspiration")), bool(forms("bottle") & forms("bottom"))
    (True, False)
    """
    plain = {word, *_roots(word, _INFLECTIONS, _LEAST_INFLECTED)}
    return frozenset(plain | {root for form in plain for root in _roots(form, _DERIVATIONS, _LEAST_DERIVED)})


def _roots(word: str, suffixes: Iterable[str], least: int) -> Iterable[str]:
    for suffix in suffixes:
        root = word.removesuffix(suffix)
        if root != word and len(root) >= least:
            yield root
            if suffix[0] == "i" and suffix[1] in "el":
                yield f"{root}y"
            if len(root) > least and root[-1] == root[-2]:
                yield root[:-1]


@lru_cache(maxsize=20_000)
def meanings(word: str) -> frozenset[str]:
    """The words that may stand for a word, themselves as `forms` has them."""
    synonyms = _synonyms()
    plain = [form for form in forms(word) if form in synonyms]
    plain += [f"{form}e" for form in forms(word) if f"{form}e" in synonyms]
    return frozenset(form for one in plain for other in synonyms[one] for form in _plain_forms(other))


def _plain_forms(word: str) -> tuple[str, ...]:
    """A word and its root without a plain ending."""
    return (word, word.removesuffix("e")) if len(word) > _LEAST_DERIVED else (word,)
