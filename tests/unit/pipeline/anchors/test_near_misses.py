"""A statement about another thing, another person or another time closes no earlier statement."""

from __future__ import annotations

from typing import Final

import pytest

from support.settled_talk import merged
from support.wild_turns import said
from turnfold.contract.records import AnchorState

Pairs = list[tuple[str, str]]
OF_OTHER_THINGS: Final[Pairs] = [
    ("The staging server listens on port 8080.", "The metrics server listens on port 9090."),
    ("The marketing budget is 500 euros.", "The travel budget is 700 euros."),
    ("Our budget for hardware is 12,000 euros.", "Our budget for training is 3,000 euros."),
    ("The contact is help@orbis.example.", "Correction: the port is 9443, not 8443."),
    ("The welding course starts on 4 June.", "The pottery course starts on 9 June."),
    ("The roof costs 14,000 euros.", "The kitchen costs 9,000 euros."),
    ("Invoices are kept for 10 years.", "Access logs are kept for 30 days."),
    ("My estimate for the import job is about 40 minutes.", "The 30-minute and 20% rules no longer apply."),
    ("The warehouse in Lund opens on 2 May.", "The warehouse in Malmo opens on 9 May."),
    ("Checkout must answer within 200 ms.", "Search must answer within 400 ms."),
    ("The gas meter number is 448812.", "The water meter number is 448821."),
    ("We picked Rust for the parser.", "We picked Go for the scheduler, not Python."),
    ("The train leaves at 7:40.", "The ferry leaves at 9:15."),
    ("Room 12 has 30 seats.", "Room 14 has 45 seats."),
    ("PR 310 is deployed.", "PR 311 is not deployed."),
    ("Task 55 is closed.", "Task 56 is not closed."),
    ("MR 7 works on Linux.", "MR 8 doesn't work on Linux."),
    ("#41 is deployed.", "#42 is not deployed."),
    ("Release 4 supports exports.", "Release 5 does not support exports."),
    ("Report 3 is due on Friday.", "Report 4 is due on Monday."),
    ("The left pump moves 30 litres a minute.", "The right pump moves 45 litres a minute."),
    ("The annual plan costs 90 euros.", "The monthly plan costs 9 euros."),
    ("The first payment of 2,000 euros is due on 1 March.", "The second payment of 3,000 euros is due on 1 June."),
    ("Version 2 of the handbook ships on 3 April.", "The app ships on 17 April."),
    ("Lena's budget is 400 euros.", "Tom's budget is 650 euros."),
    ("Lena arrives on 12 July.", "Tom arrives on 14 July."),
    ("My sister is allergic to peanuts.", "My brother is allergic to shellfish."),
    ("My mother's flight lands at 14:20.", "My father's flight lands at 16:05."),
    ("Omar works 32 hours a week.", "Nadia works 20 hours a week."),
    ("His phone number is 555-0143.", "Her phone number is 555-0178."),
    ("The deposit is 300 euros.", 'The old flyer says: "the deposit is 250 euros".'),
    ("The deposit is 300 euros.", "If the deposit were 500 euros, nobody would come."),
    ("The deposit is 300 euros.", "Suppose the deposit is 500 euros: what happens?"),
    ("The launch is on 7 May.", "What if the launch is on 14 May?"),
    ("The launch is on 7 May.", "Imagine the launch is on 14 May."),
    ("The launch is on 7 May.", "Rita thinks the launch is on 14 May."),
    ("We decided to host it in Dublin.", "Somebody asked whether we decided to host it in Madrid."),
    ("The quota is 40 seats.", "In the example of the manual the quota is 25 seats."),
    ("The fee is 20 euros.", "Competitors charge a fee of 35 euros."),
    ("I won the chess tournament last week.", "I have a chess tournament next month."),
    ("We went camping at the lake last weekend.", "We went camping at the coast two weeks ago."),
    ("The rent is 800 euros.", "Last year the rent was 720 euros."),
    ("The rent is 800 euros.", "From 2028 the rent is 860 euros."),
    ("I ran 10 km on Sunday.", "I ran 12 km on Wednesday."),
    ("The shop closes at 18:00.", "On Saturdays the shop closes at 14:00."),
    ("I finished the first draft yesterday.", "I finished the second draft yesterday."),
    ("Here are the photos of our hike from last week.", "Here are the photos of our picnic from last month."),
    ("I signed up for a drawing class yesterday.", "I signed up for a sculpture class last Friday."),
    ("The lease for the van ends on 3 March.", "The lease for the truck ends on 8 April."),
    ("We agreed on 15 hours for the audit.", "We agreed on 25 hours for the migration."),
    ("Standard shipping takes 5 days.", "Express shipping takes 2 days."),
    ("The timeout for uploads is 30 seconds.", "The timeout for downloads is 60 seconds."),
    ("The read replica has 16 GB of memory.", "The write node has 64 GB of memory."),
    ("My daughter's appointment is on Tuesday at 9:00.", "My appointment is on Thursday at 11:00."),
    ("Marta's deadline is 5 May.", "Paul's deadline is 12 May."),
    ("The adult ticket costs 12 euros.", "The child ticket costs 6 euros."),
    ("Block A has 12 flats.", "Block B has 18 flats."),
    ("The catering budget is 1,500 euros.", "We also have a decoration budget of 400 euros."),
    ("The visa application is due on 2 June.", "The insurance form is due on 9 June."),
    ("Please keep answers under 100 words.", "Please keep code comments under 10 words."),
    ("The north gate opens at 6:00.", "The south gate opens at 8:00."),
    ("I ordered 20 chairs for the hall.", "I ordered 6 tables for the hall."),
    ("The API allows 100 requests a minute.", "The export allows 5 requests a minute."),
    ("The tutor charges 40 euros an hour.", "The gardener charges 25 euros an hour."),
    ("Dana: the van seats 8 people.", "Dana: the bus seats 40 people."),
    ("The red bin is emptied on Monday.", "The green bin is emptied on Thursday."),
    ("I baked three loaves on Saturday.", "I baked five loaves on Sunday."),
    ("The mortgage rate is 3.1%.", "The savings rate is 2.4%."),
    ("The lower shelf holds 30 kg.", "The upper shelf holds 15 kg."),
    ("The review with legal is on 4 May.", "The review with finance is on 6 May."),
    ("My weight was 82 kg last month.", "My weight is 79 kg today."),
    ("The contract says 30 days.", "He joked that the contract says 3 days."),
    ("The first exam is on 10 June.", "The second exam is on 17 June."),
    ("We need 4 volunteers for setup.", "We need 6 volunteers for cleanup."),
    ("The trial period is 14 days.", "A friend's app has a trial period of 30 days."),
    ("The default port is 5432.", "Could the default port be 5433?"),
    ("The quiz has 20 questions.", "An example: the quiz has 50 questions."),
    ("The east lift carries 8 people.", "The west lift carries 12 people."),
    ("We planted 30 tulips by the pond.", "We planted 50 lavender bushes by the fence."),
    ("Our quote for painting is 2,200 euros.", "Our quote for plumbing is 1,750 euros."),
    ("Kim's shift begins at 6:00.", "Ravi's shift begins at 14:00."),
    ("The grant application closes on 3 May.", "The scholarship application closes on 30 May."),
    ("The toddler group meets on Monday.", "The seniors group meets on Wednesday."),
    ("Each table seats 6 guests.", "Each booth seats 4 guests."),
    ("Cargo bikes carry up to 80 kg.", "Scooters carry up to 40 kg."),
    ("We have 3 backups in Oslo.", "We have 2 backups in Bergen."),
    ("The web build takes 4 minutes.", "The mobile build takes 11 minutes."),
    ("The board approved 5,000 euros for paint.", "The board approved 8,000 euros for windows."),
    ("The nightly job runs at 02:00.", "The weekly job runs at 04:30."),
    ("My locker is number 214.", "Sam's locker is number 241."),
    ("The vet visit costs 60 euros.", "The vaccine costs 35 euros."),
    ("Lesson 4 is on 8 March.", "Lesson 5 is on 15 March."),
    ("The beta has 40 testers.", "According to the blog, the beta has 90 testers."),
    ("We leave at 9:00.", "I wish we could leave at 11:00."),
    ("The cap is 10 MB per file.", "The cap is 1 GB per account."),
    ("The deadline for chapter one is 2 April.", "The deadline for chapter two is 30 April."),
    ("I paid 120 euros for the jacket.", "I paid 80 euros for the boots."),
    ("I saw the film two weeks ago.", "I saw the play last weekend."),
]
"""Pairs whose later statement is about something else, quotes, supposes or asks."""
LEFT_OPEN: Final[Pairs] = [
    ("Who looks after the phone on Saturday at 20:00?", "Never deploy on Saturday before 20:00."),
    ("Which supplier delivers the oak boards?", "Let me think about the oak boards."),
    ("Which supplier delivers the oak boards?", "I'll have to check which supplier has oak boards."),
    ("Which supplier delivers the oak boards?", "I don't know yet which supplier has the oak boards."),
    ("Which supplier delivers the oak boards?", "We have not decided on a supplier for the oak boards."),
    (
        "How should the wallet component verify a login token?",
        "I've completed the login and wallet component tests by now.",
    ),
    ("When does the harbour crane get inspected?", "The harbour crane lifts 40 tonnes."),
    ("How many volunteers do we need for the parade route?", "The parade route passes the old mill."),
    ("When is the parade rehearsal?", "Let me check when the parade rehearsal is."),
    ("Who repairs the loom in the studio?", "I need to think about who repairs the loom in the studio."),
    ("How long is the studio lease?", "The studio has a lease with a garden."),
]
"""Pairs of a question and a statement that answers another one, defers it, or is only related to it."""
OVERTAKEN: Final[Pairs] = [
    ("The staging server listens on port 8080.", "Correction: the staging server listens on port 9090."),
    ("The launch is on 7 May.", "The launch is on 14 May."),
    ("The launch is on 7 May.", "Actually, the launch moved to 14 May."),
    ("The deposit is 300 euros.", "The deposit is 350 euros now."),
    ("We decided to use Redis for the queue.", "We decided to use Kafka for the queue, not Redis."),
    ("The budget is 2,400 euros a month.", "I was wrong: the budget is 900 euros a month."),
    ("Refunds are 50% until 48 hours before the slot.", "The 48-hour and 50% rules no longer apply."),
    ("The gas meter number is 448812.", "Sorry, the gas meter number is 448821."),
    ("My flight lands at 14:20.", "My flight lands at 16:05."),
    ("The train leaves at 7:40.", "Actually, it leaves at 8:10."),
    ("The meeting is next Tuesday.", "The meeting is next Thursday."),
    ("Lena arrives on 12 July.", "Lena arrives on 14 July."),
    ("The hall has 48 seats.", "The hall has 84 seats, I swapped the digits."),
    ("Checkout must answer within 200 ms.", "Checkout must answer within 400 ms."),
    ("Never deploy on Fridays.", "You may deploy on Fridays now."),
    ("The rent is 800 euros.", "The rent is 860 euros."),
    ("The course starts on 4 June.", "The course starts on 9 June."),
    ("The wifi password is tulip-12.", "The wifi password is tulip-31."),
    ("We'll go with the blue logo.", "On second thought, we'll go with the green logo."),
    ("Always answer in German.", "Always answer in French."),
    ("The lease for the van ends on 3 March.", "The lease for the van ends on 30 March, not 3 March."),
    ("Standard shipping takes 5 days.", "Standard shipping takes 7 days now."),
    ("Marta's deadline is 5 May.", "Marta's deadline moved to 12 May."),
    ("The adult ticket costs 12 euros.", "Actually, the adult ticket costs 14 euros."),
    ("The exam is on 10 June.", "The exam was moved to 17 June."),
    ("We need 4 volunteers for setup.", "We need 6 volunteers for setup."),
    ("The trial period is 14 days.", "The trial period is 30 days from now on."),
    ("The visa application is due on 2 June.", "Correction: the visa application is due on 20 June."),
    ("The API allows 100 requests a minute.", "The API allows 250 requests a minute."),
    ("The mortgage rate is 3.1%.", "The mortgage rate is now 3.4%."),
    ("The default port is 5432.", "Scratch that, the default port is 5433."),
    ("We decided to meet in Utrecht.", "Change of plans: we decided to meet in Ghent."),
    ("The east lift carries 8 people.", "The east lift carries 10 people."),
    ("Kim's shift begins at 6:00.", "Kim's shift now begins at 7:00."),
    ("The toddler group meets on Monday.", "From now on the toddler group meets on Tuesday."),
    ("The nightly job runs at 02:00.", "The nightly job runs at 03:15."),
    ("The vet visit costs 60 euros.", "No, the vet visit costs 65 euros."),
    ("The cap is 10 MB per file.", "We raised it: the cap is 25 MB per file."),
    ("Each table seats 6 guests.", "I misspoke, each table seats 8 guests."),
    ("The grant application closes on 3 May.", "The grant application closes on 10 May, they extended it."),
    ("The exam is in room 12.", "Correction: the exam is in room 14."),
    ("Room 12 is booked.", "Correction: room 14 is booked."),
    ("The exam is in room 12.", "The exam is in room 14, not in room 12."),
    ("The beta has 40 testers.", "The beta has 55 testers by now."),
]
ANSWERED: Final[Pairs] = [
    ("Which supplier delivers the oak boards?", "Decision: Brodal delivers the oak boards."),
    ("When does the harbour crane get inspected?", "The harbour crane gets inspected on 3 May."),
    ("How many volunteers do we need for the parade route?", "We need 14 volunteers for the parade route."),
    ("Which caterer serves the parade?", "Decision: Holm serves the parade as caterer."),
    ("How long is the studio lease?", "The studio lease runs for 24 months."),
]


def fates(earlier: str, later: str, *, turns: int) -> list[AnchorState]:
    """Return the states of one turn's anchors after another turn that follows `turns` later."""
    before = merged([said(earlier, seq=1)]).new
    assert before, earlier
    changed = {change.id: change.state for change in merged([said(later, seq=1 + turns)], before).changed}
    return [changed.get(anchor.id, anchor.state) for anchor in before]


@pytest.mark.parametrize("turns", [2, 30])
@pytest.mark.parametrize(("earlier", "later"), [*OF_OTHER_THINGS, *LEFT_OPEN])
def test_what_is_of_another_thing_closes_nothing(earlier: str, later: str, turns: int) -> None:
    assert set(fates(earlier, later, turns=turns)) == {AnchorState.ACTIVE}


@pytest.mark.parametrize(("earlier", "later"), OVERTAKEN)
def test_another_value_of_the_same_thing_overtakes_the_earlier_one(earlier: str, later: str) -> None:
    assert AnchorState.SUPERSEDED in fates(earlier, later, turns=2)


@pytest.mark.parametrize(("question", "answer"), ANSWERED)
def test_a_question_is_answered_by_what_it_asks_for(question: str, answer: str) -> None:
    assert fates(question, answer, turns=30) == [AnchorState.RESOLVED]


def test_a_corrected_port_leaves_the_address_beside_it() -> None:
    stated = "The port is 8443, and the contact is help@orbis.example."
    assert fates(stated, "Correction: the port is 9443.", turns=2) == [AnchorState.SUPERSEDED, AnchorState.ACTIVE]
