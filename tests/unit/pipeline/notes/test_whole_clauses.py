"""A clause is noted whole, without its lead-in."""

from __future__ import annotations

from datetime import date

import pytest

from turnfold.dates.resolve import resolve_relative_days
from turnfold_worker.pipeline.language.plain_lines import plain_line
from turnfold_worker.pipeline.language.prose import split_prose
from turnfold_worker.pipeline.notes.addressed import unaddressed
from turnfold_worker.pipeline.notes.alone import leans
from turnfold_worker.pipeline.notes.whole import whole_clause

NAMES = frozenset({"nate", "joanna"})


@pytest.mark.parametrize(
    ("said", "whole"),
    [
        ("Hey Nate! Oh wow, I went to Bern!", "I went to Bern"),
        ("By the way, we sold the van.", "We sold the van"),
        ("And we sold the van.", "We sold the van"),
        ("But for the rain we would have won.", "But for the rain we would have won"),
        ("but not for me, thanks", "but not for me, thanks"),
        ("So far we sold two.", "So far we sold two"),
        ("Yeah, we sold it, haha!", "We sold it"),
        ("Yes, but I never cook it.", "Yes, but I never cook it"),
        ("No, we kept it.", "No, we kept it"),
        ("- currently in a tournament", "currently in a tournament"),
        ("-12 degrees in Oslo", "-12 degrees in Oslo"),
        ("--force is not allowed", "--force is not allowed"),
        ("What about Friday?", "What about Friday?"),
        ("I'm really looking for a flat.", "I'm looking for a flat"),
        ("I'm the owner.", "I'm the owner"),
        ("I use Redis.", "I use Redis"),
        ("I need a number.", "I need a number"),
        ("I've been to Rome twice.", "I've been to Rome twice"),
        ("I remember it from when I was ten.", "I remember it from when I was ten"),
        ("Ana and I went home.", "Ana and I went home"),
        ("We don't really like it.", "We don't really like it"),
        ("It's not just very loud.", "It's not just very loud"),
        ("It was so loud that we left.", "It was so loud that we left"),
        ("It was so loud.", "It was loud"),
        ("It was so loud in there.", "It was loud in there"),
        ("The very first one is red.", "The very first one is red"),
        ("There are very few left.", "There are very few left"),
        ('He said "it is really late".', 'He said "it is really late"'),
        ("We signed the lease yesterday.", "We signed the lease on 13 May 2026"),
        ("[shares a photo: a photo of a red crane]", "photo: a red crane"),
    ],
)
def test_a_clause_stays_as_it_was_said_but_for_what_leads_in(said: str, whole: str) -> None:
    assert whole_clause(said, NAMES, date(2026, 5, 14)) == whole


@pytest.mark.parametrize(
    "clause",
    [
        "It looks fancy", "They're there for me", "it looks fancy", "painted it after the trip", "which was about half",
        "How long does it take?", "I bought one", "A friend made it for my birthday", "the smell reminds me of her",
        "I saw it around Easter", "Put this in instead", "It was a ton of work",
        "Ida chose them 'cause they help with a move",
    ],
)  # fmt: skip
def test_a_clause_leans_on_the_one_that_names_what_it_is_about(clause: str) -> None:
    assert leans(clause)


@pytest.mark.parametrize(
    "clause",
    [
        "It was a clay bowl", "This month we move", "The crane broke and Mara fixed it", "Which crane do we buy?",
        "When the crane broke, Mara fixed it in May", "I found a lamp and put it in the hall",
        "I sold one crane", "Is it a crane?",
    ],
)  # fmt: skip
def test_a_clause_that_names_its_subject_leans_on_none(clause: str) -> None:
    assert not leans(clause)


@pytest.mark.parametrize(
    ("said", "line"),
    [
        ("We meet in ~~Rome~~ Paris.", "We meet in (struck out: Rome) Paris."),
        ("~~We go to Rome. Then Bern.~~ We stay.", "(struck out: We go to Rome. Then Bern.) We stay."),
        ("P(second | first) is not P(second).", "P(second | first) is not P(second)."),
        ("use a || b or grep x | sort", "use a || b or grep x | sort"),
        ("| Rome | 3 |", "Rome 3"),
        ("Rome | 3 | 4", "Rome 3 4"),
        ("**4/52** * 3/51 is *not* 1/221", "4/52 * 3/51 is not 1/221"),
    ],
)
def test_marks_that_mean_something_are_not_only_taken_away(said: str, line: str) -> None:
    assert plain_line(said) == line


@pytest.mark.parametrize(
    ("said", "sentences"),
    [
        ("I should use 4! or \\( 4! \\) here. Right?", ["I should use 4! or \\( 4! \\) here.", "Right?"]),
        ("We paid 40! Then we left.", ["We paid 40!", "Then we left."]),
        ("I know that 3! equals 6. Right?", ["I know that 3! equals 6.", "Right?"]),
        ("DISCUSSION\nWe look. Then we leave.", ["DISCUSSION", "We look.", "Then we leave."]),
        ("~~We go to Rome. Then Bern.~~ We stay.", ["~~We go to Rome. Then Bern.~~ We stay."]),
    ],
)
def test_a_sentence_ends_where_it_does(said: str, sentences: list[str]) -> None:
    assert [said[span.start : span.end] for span in split_prose(said).sentences] == sentences


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("Yeah, Nate, they're some of my best memories.", "they're some of my best memories."),
        ("Nate, I'm working on a project.", "I'm working on a project."),
        ("Woah, Joanna - I won the cup!", "I won the cup!"),
        ("Hey Nate! Long time no see.", "Long time no see."),
        ("Nate won, and I lost.", "Nate won, and I lost."),
        ("Joanna, Nate and I went home.", "Joanna, Nate and I went home."),
        ("I told Nate, who laughed.", "I told Nate, who laughed."),
        ("Lisbon, we are coming!", "Lisbon, we are coming!"),
        ("Hey Jo, I won the cup!", "I won the cup!"),
        ("Joanna, as you know, is pregnant.", "Joanna, as you know, is pregnant."),
        ("Nate, however, did not sign.", "Nate, however, did not sign."),
        ("Joanna - unlike me - paid the rent.", "Joanna - unlike me - paid the rent."),
        ("To Nate, I owe 500 dollars.", "To Nate, I owe 500 dollars."),
        ("Nate, 25, lives in Rome.", "Nate, 25, lives in Rome."),
        ("I love Nate, not you.", "I love Nate, not you."),
        ("I see Nate, he is ill.", "I see Nate, he is ill."),
        ("Joanna, who won last year, came too.", "Joanna, who won last year, came too."),
        ("Nate, too, signed.", "Nate, too, signed."),
        ("User, group and mode are stored.", "User, group and mode are stored."),
        ("Hey Nate, my favorite treat is a tart.", "my favorite treat is a tart."),
        ("It was so inspiring, Jo!", "It was so inspiring!"),
        ("Will you come with me, Nate?", "Will you come with me?"),
        ("I met Joanna, Nate.", "I met Joanna, Nate."),
        ("I was there before Nate.", "I was there before Nate."),
        ("We went to see Lisbon, Paris.", "We went to see Lisbon, Paris."),
        ("Thanks a lot, Nate!", "Thanks a lot!"),
        ("Wow, the hall was full, Nate.", "Wow, the hall was full."),
        ("Is it open, Nate?", "Is it open?"),
        ("So glad that you found it, Joanna!", "So glad that you found it!"),
        ("Paint the fence, Nate.", "Paint the fence, Nate."),
        ("Help me with the fence, Nate.", "Help me with the fence, Nate."),
        ("Nate, paint the fence.", "Nate, paint the fence."),
        ("Nate, you paint the fence.", "Nate, you paint the fence."),
        ("If it rains, paint the fence, Nate.", "If it rains, paint the fence, Nate."),
        ("It is late, close the gate, Nate.", "It is late, close the gate, Nate."),
        ("So call the plumber, Joanna!", "So call the plumber, Joanna!"),
        ("new lamps for the hall, Joanna.", "new lamps for the hall, Joanna."),
        ("It was me, Nate.", "It was me, Nate."),
        ("That one is on you, Joanna.", "That one is on you, Joanna."),
        ("The first one in was, believe it or not, Nate!", "The first one in was, believe it or not, Nate!"),
        ("We asked her, no, Nate.", "We asked her, no, Nate."),
    ],
)
def test_a_name_is_left_out_only_where_it_calls_the_listener(said: str, left: str) -> None:
    assert unaddressed(said, NAMES) == left


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("Paint the fence, Nate.", "Paint the fence."),
        ("Nate, after the storm I sold it.", "after the storm I sold it."),
        ("full of good ideas, Nate!", "full of good ideas!"),
        ("It was me, Nate.", "It was me, Nate."),
        ("I met Joanna, Nate.", "I met Joanna, Nate."),
        ("Nate, who won, was glad.", "Nate, who won, was glad."),
    ],
)
def test_of_two_people_each_knows_who_is_called(said: str, left: str) -> None:
    assert unaddressed(said, NAMES, are_two=True) == left


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("started last month", "started in April 2026"),
        ("we move next year", "we move in 2027"),
        ("In 2019 he said he'd move next year.", "In 2019 he said he'd move next year."),
        ("We watched Next Friday", "We watched Next Friday"),
        ("It must last weekend trips.", "It must last weekend trips."),
        ("less than two days ago", "less than two days ago"),
        ("3-4 days ago", "3-4 days ago"),
        ("2.5 weeks ago", "2.5 weeks ago"),
        ("went there last week", "went there the week before 14 May 2026"),
        ("moving next Friday", "moving the Friday after 14 May 2026"),
        ("over the last year", "over the last year"),
        ("this last month was hard", "this last month was hard"),
        ("the last week of June", "the last week of June"),
        ("last week's party", "last week's party"),
        ("felt like last week", "felt like last week"),
        ("last night", "night of 13 May 2026"),
        ("last Fri", "Friday before 14 May 2026"),
        ("next Tues.", "the Tuesday after 14 May 2026."),
        ("I printed it last Friday", "I printed it the Friday before 14 May 2026"),
        ("last summer", "summer before 14 May 2026"),
        ("next winter", "winter after 14 May 2026"),
        ("a week ago", "7 May 2026"),
        ("two months ago", "March 2026"),
        ("five months ago", "December 2025"),
        ("three years ago", "2023"),
        ("about three years ago", "about three years ago"),
        ("two weekends ago", "two weekends before 14 May 2026"),
        ("camped two weekends ago", "camped two weekends before 14 May 2026"),
        ("2 days ago", "12 May 2026"),
        ("this month", "May 2026"),
        ("this year", "2026"),
        ("at the end of this month", "at the end of May 2026"),
        ("this weekend", "weekend of 16 May 2026"),
        ("this month's plan", "this month's plan"),
        ("the last Fri", "the last Fri"),
        ("last sat down", "last sat down"),
        ("the last sun", "the last sun"),
        ("99999 years ago", "99999 years ago"),
        ("999 years ago", "1027"),
        ("since I moved three years ago", "since I moved in 2023"),
        ("since last year", "since 2025"),
        ("at home since yesterday", "at home since 13 May 2026"),
        ("yesterday was long", "13 May 2026 was long"),
        ("yesterday's talk", "13 May 2026's talk"),
        ("on last Friday", "on the Friday before 14 May 2026"),
    ],
)
def test_a_period_is_placed_by_the_day_on_which_it_was_said(said: str, shown: str) -> None:
    assert resolve_relative_days(said, date(2026, 5, 14)) == shown


@pytest.mark.parametrize(
    ("day", "said", "shown"),
    [(date(2026, 1, 5), "last month", "December 2025"), (date(2026, 12, 5), "next month", "January 2027")],
)
def test_a_month_may_be_of_another_year(day: date, said: str, shown: str) -> None:
    assert resolve_relative_days(said, day) == shown


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("Ran the harbour race on Sunday, and it was so rewarding!", "Ran the harbour race on Sunday"),
        ("We went to Faenza - it's amazing", "We went to Faenza"),
        ("Sold the old crane, which was fun", "Sold the old crane"),
        ("Painted the gate because it was calming", "Painted the gate because it was calming"),
        ("Ran the harbour race and it was cancelled", "Ran the harbour race and it was cancelled"),
        ("Ran the harbour race and it wasn't great", "Ran the harbour race and it wasn't great"),
        ("I'm kinda worried about the crane", "I'm worried about the crane"),
        ("What kind of crane is it", "What kind of crane is it"),
        ("She has been kind of a hero", "She has been kind of a hero"),
    ],
)
def test_a_coda_of_mood_and_a_hedge_are_left_out(said: str, shown: str) -> None:
    assert whole_clause(said) == shown


@pytest.mark.parametrize("said", [", Nate.", "! Nate", ", Nate"])
def test_a_call_alone_is_left_as_it_is(said: str) -> None:
    assert unaddressed(said, NAMES) == unaddressed(said, NAMES, are_two=True) == said
