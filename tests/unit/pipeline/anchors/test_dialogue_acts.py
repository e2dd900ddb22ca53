"""Each dialogue act rule matches its example, replies take their meaning from the question, and no text is slow."""

from __future__ import annotations

import pytest
from hypothesis import given

from support.examples import examples
from support.wild_turns import said, talk, wild_turns
from turnfold.contract.records import Role, StoredTurn
from turnfold_worker.pipeline.anchors.extraction import segment_acts
from turnfold_worker.pipeline.anchors.rules.rule import ENOUGH, Act, Found, Rule
from turnfold_worker.pipeline.anchors.rules.statement_rules import RULES
from turnfold_worker.pipeline.language.prose import MAX_CLAUSE
from turnfold_worker.pipeline.language.spoken import plain_words, without_fillers
from turnfold_worker.pipeline.turns.reading import read_turn


def acts_of(turns: list[StoredTurn]) -> list[list[Found]]:
    return segment_acts([read_turn(turn) for turn in turns])


def sure(found: list[Found]) -> set[Act]:
    return {one.act for one in found if one.points >= ENOUGH}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_a_rule_holds_on_its_example(rule: Rule) -> None:
    assert rule.pattern.search(plain_words(rule.example))


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_no_rule_holds_on_small_talk(rule: Rule) -> None:
    for text in ("Thanks so much!", "That sounds lovely.", "Good morning, everyone.", "It was raining all day."):
        assert not rule.pattern.search(plain_words(text))


@given(wild_turns(most=12))
@examples(60)
def test_an_act_is_a_clause_of_its_turn(turns: list[StoredTurn]) -> None:
    acts = acts_of(turns)
    assert len(acts) == len(turns)
    for turn, found in zip(turns, acts, strict=True):
        for one in found:
            assert 0 <= one.span.start < one.span.end <= len(turn.content)
            assert one.span.end - one.span.start <= MAX_CLAUSE
            assert 0 <= one.points <= 100


@pytest.mark.parametrize(
    ("proposal", "reply", "expected"),
    [
        ("Please confirm: a table for two at Brix at 11:45 am.", "Yes, that's right.", {Act.DECISION}),
        ("You want four seats to Hayward, is that correct?", "Sounds good.", {Act.DECISION}),
        ("You want four seats to Hayward, is that correct?", "No, I want two seats.", {Act.CORRECTION}),
        ("You want four seats to Hayward, is that correct?", "No thanks, that's all.", set()),
        ("Could you water the plants?", "Sure.", {Act.COMMITMENT}),
        ("Which blend do you like best?", "The dark roast from Lima.", {Act.FACT}),
        ("The weather is lovely.", "Yes, that's right.", set()),
    ],
)
def test_a_reply_means_what_was_asked(proposal: str, reply: str, expected: set[Act]) -> None:
    acts = acts_of(talk(f"user: {proposal}", f"user: {reply}"))
    roles = [said(proposal, role=Role.ASSISTANT), said(reply, seq=2)]
    assert sure(acts_of(roles)[1]) - {Act.REQUEST} >= expected
    assert Act.DECISION not in sure(acts[1]) or Act.DECISION in expected


@pytest.mark.parametrize(
    ("before", "reply", "act"),
    [
        ("What time shall I book it for?", "Make it for two pm.", Act.CORRECTION),
        ("You row so well! Are you entering the regatta this year?", "Yep!", Act.DECISION),
    ],
)
def test_a_reply_to_a_question_mends_and_decides_nothing(before: str, reply: str, act: Act) -> None:
    assert act not in {one.act for one in acts_of([said(before, role=Role.ASSISTANT), said(reply, seq=2)])[1]}


def test_another_value_in_place_of_what_was_proposed_mends_it() -> None:
    proposed = said("You want a table at noon, is that correct?", role=Role.ASSISTANT)
    assert Act.CORRECTION in sure(acts_of([proposed, said("Make it for two pm.", seq=2)])[1])


@pytest.mark.parametrize(
    ("text", "act"),
    [
        ("How many lessons do I need to take?", Act.REQUEST),
        ("Why must I sign the lease twice?", Act.REQUEST),
        ("A gift to please everybody.", Act.REQUEST),
        ("The portal lets you view your files.", Act.REQUEST),
        ("The driver takes care of the noise.", Act.COMMITMENT),
        ("Rooms are being assigned to the guests.", Act.COMMITMENT),
        ("You must've been so proud.", Act.FACT),
        ("You must really enjoy the garden.", Act.FACT),
        ("We are glad Max is here.", Act.FACT),
        ("I love when you cook for us.", Act.FACT),
        ("I value your opinion.", Act.FACT),
        ("What would you like to return?", Act.REQUEST),
        ("How can you do that?", Act.REQUEST),
        ("How about you?", Act.REQUEST),
        ("Why not?", Act.REQUEST),
        ("Would you like it with ice cream?", Act.REQUEST),
        ("You must be tired.", Act.REQUEST),
        ("You can find it in most shops.", Act.REQUEST),
        ("They should tell us the rent.", Act.REQUEST),
        ("They have to let us know the rent.", Act.REQUEST),
        ("Mark, this is lovely.", Act.REQUEST),
        ("Mark and I were at the lake.", Act.REQUEST),
        ("I will be sure to greet her.", Act.REQUEST),
        ("He says I'll write the minutes.", Act.COMMITMENT),
        ("So if it rains I'll bring the chairs in.", Act.COMMITMENT),
        ("I wonder if I'll find a better map.", Act.COMMITMENT),
        ("Then she goes okay I'm gonna move the chairs.", Act.COMMITMENT),
        ("Sometimes I'll move the chairs.", Act.COMMITMENT),
        ("We have two action items.", Act.COMMITMENT),
        ("A seat can be assigned to some guest.", Act.COMMITMENT),
        ("Living by a lake must be a wonderful thing.", Act.FACT),
        ("No, thanks, that is all I need.", Act.FACT),
    ],
)
def test_what_only_sounds_like_an_act_is_none(text: str, act: Act) -> None:
    assert act not in sure(acts_of([said(text)])[0])


@pytest.mark.parametrize(
    ("text", "act"),
    [
        ("Can we talk about the lease?", Act.REQUEST),
        ("The drawings as soon as possible.", Act.REQUEST),
        ("Omar will take care of the lease.", Act.COMMITMENT),
        ("I'll see if the hall is free.", Act.COMMITMENT),
        ("Yes, I will.", Act.COMMITMENT),
        ("I think I'll move the chairs tomorrow.", Act.COMMITMENT),
        ("An action item for Omar: call the notary.", Act.COMMITMENT),
        ("Once I have the keys I will open the hall.", Act.COMMITMENT),
        ("What time works for you?", Act.REQUEST),
        ("Omar, send it to the notary.", Act.REQUEST),
        ("Mark the seats by the door.", Act.REQUEST),
        ("Can we wait until Tuesday?", Act.REQUEST),
        ("We'll call you about the lease.", Act.REQUEST),
        ("No, it's 5432.", Act.CORRECTION),
        ("It should be Wednesday, not Tuesday.", Act.CORRECTION),
        ("I wrapped up my second novel.", Act.FACT),
        ("The queue holds max 40 jobs, and max is 60.", Act.FACT),
        ("It must be a certified copy.", Act.FACT),
        ("I really don't like crowded trains.", Act.FACT),
        ("What can I say, I love otters.", Act.FACT),
        ("Who was no in what year was the bridge built?", Act.CORRECTION),
        ("Where did the or let me say when did the fire start?", Act.CORRECTION),
    ],
)
def test_what_is_said_in_other_words_is_found(text: str, act: Act) -> None:
    assert act in sure(acts_of([said(text)])[0])


@pytest.mark.parametrize(
    "text",
    [
        "I can swim.", "I could use a nap.", "I hope I can find it for you.", "Where can I get it?",
        "How can I help you?", "What can I do for you?", "May I help you?", "Can I try it on?",
        "Please forward it so I can sign it.", "There is nothing else I can do for you.",
    ],
)  # fmt: skip
def test_what_somebody_is_able_or_asks_to_do_is_no_offer(text: str) -> None:
    assert Act.COMMITMENT not in {one.act for one in acts_of([said(text)])[0]}


@pytest.mark.parametrize(
    "text",
    [
        "I can drive you.", "I could check on that.", "Then I can repair the gate on Monday.",
        "Shall I call the notary?", "Can I bring you a chair?", "Do you want me to print it?",
    ],
)  # fmt: skip
def test_what_somebody_could_do_for_one_is_an_offer(text: str) -> None:
    assert Act.COMMITMENT in {one.act for one in acts_of([said(text)])[0]}


@pytest.mark.parametrize(
    "text",
    [
        "where do we keep the spare keys", "uh so is there a train on Sunday", "what did the notary say",
        "could you tell me the code for the gate", "how many chairs do we need then",
    ],
)  # fmt: skip
def test_a_question_of_speech_needs_no_mark(text: str) -> None:
    found = acts_of([said(text)])[0]
    assert Act.QUESTION in sure(found)
    assert Act.FACT not in sure(found)


@pytest.mark.parametrize(
    "text",
    [
        "where we keep the keys is a secret", "do it on Sunday then please", "what we found is a spare key",
        "how people do it is none of my business",
        "and do we want to", "how lovely is this!", "when I called the notary he was out", "is it in the",
    ],
)  # fmt: skip
def test_what_only_opens_like_a_question_is_none(text: str) -> None:
    assert Act.QUESTION not in sure(acts_of([said(text)])[0])


def test_what_is_told_behind_a_question_without_a_mark_is_kept() -> None:
    assert Act.FACT in sure(acts_of([said("is this sentence correct I prefer dark roast over light roast")])[0])


def test_what_a_line_to_an_assistant_names_is_what_it_is_to_look_for() -> None:
    shown = said("Here are three films.", role=Role.ASSISTANT)
    asked = said("On second thought the one with French subtitles.", seq=2)
    assert Act.FACT in sure(acts_of([shown, asked])[1])
    assert Act.FACT not in sure(acts_of([said(shown.content, name="Ana"), said(asked.content, seq=2, name="Omar")])[1])


def test_a_line_to_an_assistant_may_count_in_words() -> None:
    for text in ("I need two bathrooms.", "Book a table for one.", "I would like to pay ninety dollars."):
        assert Act.FACT in sure(acts_of([said("Hello.", role=Role.ASSISTANT), said(text, seq=2)])[1])
    assert Act.FACT not in sure(
        acts_of([said("I need two bathrooms.", name="Ana"), said("Yes.", seq=2, name="Omar")])[0]
    )


def test_a_wish_or_a_wish_for_words_is_not_gone_along_with() -> None:
    for text in ("I'd like to open an account.", "Tell me your argument.", "What would you like to return?"):
        assert Act.COMMITMENT not in sure(acts_of(talk(f"user: {text}", "user: I am returning a cellphone."))[1])
    assert Act.COMMITMENT in sure(
        acts_of([said("Would you mind closing it?", name="Ana"), said("I see.", seq=2, name="Omar")])[1]
    )


def test_who_goes_on_after_a_question_of_his_own_does_not_answer_it() -> None:
    turns = [said("Which hall is free?", name="Ana"), said("The grey one by the river.", seq=2, name="Ana")]
    assert Act.FACT not in sure(acts_of(turns)[1])
    assert Act.FACT in sure(acts_of([turns[0], said(turns[1].content, seq=2, name="Omar")])[1])


def test_in_a_group_a_yes_binds_nobody() -> None:
    turns = [said("Could you water the plants?", name="Ana"), said("Sure.", seq=2, name="Omar")]
    assert Act.COMMITMENT in sure(acts_of(turns)[1])
    turns.append(said("Lovely.", seq=3, name="Wei"))
    assert Act.COMMITMENT not in sure(acts_of(turns)[1])


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("I \u2019 ll send it , Ana .", "i'll send it, ana."),
        ("Uh, I I will um send it", "i will send it"),
        ("we w- will send it", "we will send it"),
    ],
)
def test_speech_is_read_without_its_fillers(text: str, plain: str) -> None:
    assert without_fillers(plain_words(text)) == plain


@pytest.mark.parametrize(
    "piece", ["a", "no ", "i finally recently ", "you want ", " '", "if a, ", "what? ", "not but ", "uh um ", ". "]
)
def test_a_megabyte_without_sense_is_read_and_bounded(piece: str) -> None:
    turn = said(piece * (1_000_000 // len(piece)))
    reply = said("yes", seq=2)
    found = acts_of([turn, reply])[0]
    assert len(found) <= 6 * 2 * 200 * 4


@pytest.mark.parametrize(
    "text",
    [
        "I'll start.", "Okay, I'll go first.", "I'm going to show you three drawings.", "I'll just give it a seven.",
        "I will take the minutes.", "I'm gonna draw a penguin.", "I'll tell you a little about the agenda.",
    ],
)  # fmt: skip
def test_what_a_group_sees_done_at_once_is_no_promise(text: str) -> None:
    group = acts_of(talk("Li: Good morning.", "Omar: Morning.", f"Ana: {text}"))
    assert Act.COMMITMENT not in sure(group[2])


@pytest.mark.parametrize(
    "text",
    [
        "I'll send you the minutes.", "I'll show you the drawings tomorrow.", "I'm going to start writing the report.",
        "I'll tell you when it is ready.", "I will pick them up.", "I'll put the file on the server.",
    ],
)  # fmt: skip
def test_what_a_group_is_promised_for_later_is_one(text: str) -> None:
    group = acts_of(talk("Li: Good morning.", "Omar: Morning.", f"Ana: {text}"))
    assert Act.COMMITMENT in sure(group[2])


@pytest.mark.parametrize(
    "text", ["I'll, uh, -", "so I'll give you the", "we could make a", "Okay, I'll make sure I'll"]
)
def test_what_breaks_off_in_a_group_before_it_names_anything_does_nothing(text: str) -> None:
    assert not sure(acts_of(talk("Li: Good morning.", "Omar: Morning.", f"Ana: {text}"))[2])
    named = acts_of(talk("Li: Good morning.", "Omar: Morning.", "Ana: I'll carry the projector to"))[2]
    assert Act.COMMITMENT in sure(named)


def test_between_two_the_same_words_promise() -> None:
    assert Act.COMMITMENT in sure(acts_of(talk("Li: Where is the gate?", "Ana: I'll show you."))[1])


@pytest.mark.parametrize(
    ("before", "reply", "promises"),
    [
        ("May I borrow the ladder?", "The ladder is in the shed.", True),
        ("You should see a dentist.", "I hate dentists.", True),
        ("Please have a seat. Where did you study?", "In Lisbon, for two years.", False),
        ("Please have a seat. Where did you study?", "Yes, in Lisbon.", False),
        ("I'll carry the boxes for you.", "Thank you very much.", True),
        ("The shop has moved.", "Thank you very much.", False),
        ("Would you like some more coffee?", "No, thanks.", True),
        ("It rained all day.", "It did.", False),
    ],
)
def test_a_reply_takes_up_what_was_asked_or_offered(before: str, reply: str, promises: bool) -> None:
    acts = acts_of(talk(f"Li: {before}", f"Ana: {reply}"))
    assert (Act.COMMITMENT in sure(acts[1])) is promises
