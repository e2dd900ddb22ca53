"""What becomes of a sentence in fewer words: what would read as something else stays, or goes altogether."""

from __future__ import annotations

from datetime import date

import pytest

from turnfold_worker.pipeline.language.dates import resolve_relative_days
from turnfold_worker.pipeline.language.plain_lines import plain_line
from turnfold_worker.pipeline.language.prose import split_prose
from turnfold_worker.pipeline.notes import needed_words, telegraph
from turnfold_worker.pipeline.notes.telegraph import telegraphic, unaddressed


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        (
            "Phase one runs Nov 16 - Dec 15, and calls are 9 - 12 PM.",
            "Phase one runs Nov 16 - Dec 15 calls 9 - 12 PM",
        ),
        ("It rained - we stayed in.", "It rained we stayed in"),
        ("They've been instrumental in it.", "They've been instrumental"),
        ("a couple of dolls on the table]", "couple dolls table"),
        ("but the gate stays open.", "gate stays open"),
        ("But for the rain we would have won.", "But rain we would won"),
        ("- currently in a tournament", "currently tournament"),
        ('I finished "The Stormlight Archive" and "Mistborn".', 'finished "The Stormlight Archive" and "Mistborn"'),
        ('He said "I am here"', 'He said "I am here"'),
        ("It is -12 degrees in Oslo today.", "-12 degrees Oslo today"),
        ("--force is not allowed", "--force not allowed"),
        ("Bob was sued by Omar for fraud.", "Bob sued by Omar fraud"),
        ("Some of the users can't log in.", "Some users can't log in"),
        ("I'm trying to quit.", "trying quit"),
        ('She said "I will go".', 'She said "will go"'),
        ("df = number of categories - 1 = 2", "df = number categories - 1 = 2"),
        ("Gain = 85% - 60% = 25%", "Gain = 85% - 60% = 25%"),
        ("Midday block: 12 PM - 4 PM.", "Midday block: 12 PM - 4 PM"),
        ("It is 4/52 * 3/51 = 1/221.", "4/52 * 3/51 = 1/221"),
        ("I took 10 - 15 of them.", "took 10 - 15 them"),
        ("It's about a young woman and her journey.", "about young woman her journey"),
        ("It's got to be tough dealing with it.", "must be tough dealing"),
        ("Thanks for the advice, I got the job.", "Thanks for advice got job"),
        ("Thanks for asking, they're good.", "they good"),
    ],
)
def test_what_would_read_wrong_stays_or_goes(said: str, shown: str) -> None:
    assert telegraphic(said) == shown


SMALL_WORDS = [
    ("who", "I mean, who doesn't love Peter Parker?", "mean who doesn't love Peter Parker?"),
    ("his", "His car broke.", "His car broke"),
    ("their", "Their house was sold.", "Their house sold"),
    ("you", "You're not wrong.", "You not wrong"),
    ("he", "He's moving to Oslo.", "He moving Oslo"),
    ("they", "They're hosted by Amazon.", "They hosted by Amazon"),
    ("and", "Turn it off and on again.", "Turn off and on"),
    ("on", "Please turn it on.", "turn on"),
    ("in", "You need to log in to the server first.", "You need to log in server first"),
    ("in", "1 in 5 fail.", "1 in 5 fail"),
    ("and", "Ana and I think it is true.", "Ana and I think true"),
    ("i", "My wife and I think so.", "wife and I think"),
    ("i", "He's older than I am.", "He older than I"),
    ("just", "It's not just about winning.", "It not just winning"),
    ("very", "I'm not very happy.", "not very happy"),
    ("as", "It isn't as bad as I thought.", "It isn't as bad as thought"),
    ("too", "I'm too tired to go.", "too tired go"),
    ("like", "She's like a sister to me.", "She like sister me"),
    ("at", "I don't like it at all.", "don't like at all"),
    ("at", "At least 5 were lost.", "At least 5 lost"),
    ("about", "About 40 people came.", "About 40 people came"),
    ("by", "It must be done by Friday.", "It must be done by Friday"),
    ("to", "I used to smoke.", "used to smoke"),
    ("did", "We did it yesterday!", "We did yesterday"),
    ("had", "I've had them for 3 years.", "had them 3 years"),
    ("do", "Do your research.", "Do your research"),
    ("okay", "He said it would be okay.", "He said would be okay"),
    ("be", "It'll be tough.", "It'll be tough"),
    ("again", "I'll never smoke again.", "will never smoke again"),
    ("been", "I've never been to Rome.", "never been to Rome"),
    ("of", "At most 5 of 12 passed.", "At most 5 of 12 passed"),
    ("much", "They sent a letter without much feedback.", "They sent letter without much feedback"),
    ("well", "It's not going well.", "It not going well"),
    ("be", "Don't be afraid.", "Don't be afraid"),
    ("be", "The game must still be raw.", "game must still be raw"),
    ("be", "I'll definitely be there.", "will be there"),
    ("those", "Only those who rest well work well.", "Only those who rest well work well"),
    ("that", "We sell oats or something like that.", "We sell oats or something like that"),
    ("and", "He chose between being a hero and being a person.", "He chose between hero and person"),
    ("does", "I know she does too.", "know she does"),
    ("did", "Most of them did!", "Most them did"),
    ("do", "I'm not sure what to do with it.", "not sure what do"),
    ("own", "I couldn't figure it out on my own.", "couldn't figure out on own"),
    ("is", "I know what it is.", "know what is"),
    ("a", "We choose plan A, not a new one.", "We choose plan A not new one"),
    ("into", "I ran into a group of them.", "ran into group them"),
    ("like", "I am busy, kinda like I was in May.", "busy like was May"),
    ("even", "I need an even number on the die.", "need even number die"),
    ("much", "I don't know how much to save.", "don't know how much save"),
    ("be", "There's still plenty of progress to be made.", "still plenty progress to be made"),
    ("be", "I want to be a counselor.", "want to be counselor"),
    ("there", "They've been there through everything.", "They've been there through everything"),
    ("as", "I work as a nurse.", "work as nurse"),
    ("such", "I delegate tasks, such as editing, to Kevin.", "delegate tasks such as editing Kevin"),
    ("quite", "I stayed there quite a bit.", "stayed there quite a bit"),
    ("and", "I like electronic and rock.", "like electronic and rock"),
    ("still", "I paint landscapes and still life.", "paint landscapes still life"),
    ("now", "I'm against microservices for now.", "against microservices for now"),
    ("now", "I'm reading Dune right now.", "reading Dune right now"),
    ("now", "The sprint now targets March.", "sprint now targets March"),
    ("am", "The call is at 10 AM in Rome.", "call 10 AM Rome"),
    ("was", "I was missing a part.", "was missing part"),
    ("with", "I make it with almond flour.", "make it with almond flour"),
    ("it", "I got it for you.", "got it for you"),
    ("for", "I make it for my family.", "make it for family"),
    ("those", "I support those with such issues.", "support those with issues"),
    ("by", "The book was suggested to me in May by Nicole.", "book suggested me May by Nicole"),
    ("this", "We leave this month.", "We leave this month"),
    ("did", "I did pretty well in it.", "did well"),
    ("let's", "I use the Let's Encrypt certificate.", "use Let's Encrypt certificate"),
    ("it", "It taught me how to wait.", "It taught me how wait"),
    ("it", "It's got quotes and photos.", "It got quotes and photos"),
    ("it", "It's rich and creamy.", "It rich and creamy"),
    ("to", "I'm drawn to turtles.", "drawn to turtles"),
    ("to", "We lost to Ana.", "We lost to Ana"),
    ("to", "I prefer tea to coffee.", "prefer tea to coffee"),
    ("with", "We replaced Redis with Kafka.", "We replaced Redis with Kafka"),
    ("in", "I'll finish it in 3 days.", "will finish in 3 days"),
    ("of", "None of them came.", "None of them came"),
    ("do", "They can do tricks like sit.", "They can do tricks like sit"),
    ("had", "The kids had such a blast!", "kids had blast"),
    ("then", "Back then, I was just drawing comics.", "Back then drawing comics"),
    ("while", "It's taken a while.", "It taken while"),
]
"""A small word, what is said with it, and what is shown."""


@pytest.mark.parametrize(("word", "said", "shown"), SMALL_WORDS)
def test_a_small_word_stays_where_the_sentence_would_say_something_else(word: str, said: str, shown: str) -> None:
    assert word in shown.lower().split()
    assert telegraphic(said) == shown


@pytest.mark.parametrize("word", sorted({word for word, _, _ in SMALL_WORDS}))
def test_the_check_fails_when_a_small_word_is_dropped(word: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = needed_words.is_needed
    monkeypatch.setattr(telegraph, "is_needed", lambda words, bare, i: bare[i] != word and kept(words, bare, i))
    subject = {f"{word}'s", f"{word}'re", word}
    monkeypatch.setattr(telegraph, "_DROPPED", telegraph._DROPPED | subject)
    assert [said for small, said, shown in SMALL_WORDS if small == word and telegraphic(said) != shown]


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("I'd join you but I'm ill.", "would join you but ill"),
        ("I'm going to Paris in May.", "going Paris May"),
        ("I'm going to sell it.", "plan sell"),
        ("I think it is true.", "thinks true"),
        ("How can you tell?", "How can you tell?"),
        ("Can you tell me why?", "asks: tell me why?"),
        ("Make sure to check the labels.", "check labels"),
        ("Both P(n, r) and C(n, r) are used here.", "P(n, r) and C(n, r) used"),
        ("I want a resume by May, can you help me with that?", "want resume by May"),
        ("To do this, I will check it.", "will check"),
        ("It requires a lot of strategy.", "It requires lots strategy"),
        ("Man, it's been wild since we talked.", "wild since we talked"),
        ("Speaking of which, I had a letdown.", "had letdown"),
        ("I store it in Redis, here's what I have so far:", "store Redis"),
    ],
)
def test_what_stands_for_more_words_says_the_same(said: str, shown: str) -> None:
    assert telegraphic(said) == shown


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
    ],
)
def test_the_other_is_not_the_one_who_acts_when_called_by_name(said: str, left: str) -> None:
    assert unaddressed(said, frozenset({"nate", "joanna"})) == left


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("started last month", "started April 2026"),
        ("we move next year", "we move 2027"),
        ("In 2019 he said he'd move next year.", "In 2019 he said he'd move next year."),
        ("We watched Next Friday", "We watched Next Friday"),
        ("It must last weekend trips.", "It must last weekend trips."),
        ("less than two days ago", "less than two days ago"),
        ("3-4 days ago", "3-4 days ago"),
        ("2.5 weeks ago", "2.5 weeks ago"),
        ("went there last week", "went there week before 14 May 2026"),
        ("moving next Friday", "moving Friday after 14 May 2026"),
        ("over the last year", "over the last year"),
        ("this last month was hard", "this last month was hard"),
        ("the last week of June", "the last week of June"),
        ("last week's party", "last week's party"),
        ("felt like last week", "felt like last week"),
        ("last night", "last night"),
        ("last Fri", "Friday before 14 May 2026"),
        ("next Tues.", "Tuesday after 14 May 2026."),
        ("I printed it last Friday", "I printed it Friday before 14 May 2026"),
        ("last summer", "summer before 14 May 2026"),
        ("next winter", "winter after 14 May 2026"),
        ("a week ago", "7 May 2026"),
        ("two months ago", "March 2026"),
        ("five months ago", "December 2025"),
        ("three years ago", "2023"),
        ("about three years ago", "about three years ago"),
        ("two weekends ago", "two weekends before 14 May 2026"),
        ("2 days ago", "12 May 2026"),
        ("this month", "May 2026"),
        ("this year", "2026"),
        ("at the end of this month", "at the end of May 2026"),
        ("this weekend", "this weekend"),
        ("this month's plan", "this month's plan"),
        ("the last Fri", "the last Fri"),
        ("last sat down", "last sat down"),
        ("the last sun", "the last sun"),
        ("99999 years ago", "99999 years ago"),
        ("999 years ago", "1027"),
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
