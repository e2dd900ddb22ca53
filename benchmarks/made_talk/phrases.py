"""Phrases of people, with placeholders for their subjects.

{n} and {m} are things of the segment, {o} any thing of the topic, {v} and {w} actions on them, {q} their qualities; {a}
and {b} are questions about anything that was found.
"""

from __future__ import annotations

from typing import Final

NAMES: Final = ["Ana", "Omar", "Priya", "Lukas", "Mei", "Tom", "Sofia", "Kwame", "Ines", "Raj", "Nora", "Felix"]
PLACES: Final = ["Lisbon", "the north office", "Denver", "Kyoto", "the town centre", "Bristol", "the second floor"]
DAYS: Final = ["Monday", "next Friday", "the 12th of March", "tomorrow", "June", "the weekend", "Thursday evening"]

GREETINGS: Final = (
    "Hi!", "Hello there.", "Hey, how are you today?", "Good morning.", "Hi, how is it going?", "Hello!", "hey",
)  # fmt: skip
OFFERS: Final = (
    "How can I help you?", "I can help you with that.", "Sure, what would you like to know?",
    "Happy to help with the {n}.", "What is your question about the {n}?",
)  # fmt: skip
NEEDS: Final = (
    "I need some help with my {n}.", "I have a few questions about the {n}.", "I was told to ask here about a {q} {n}.",
    "I need information about how to {v}.",
)  # fmt: skip
SHORT: Final = (
    "Yes.", "No.", "Yes, I do.", "No, I don't.", "Okay.", "Sure.", "I think so.", "Not yet.", "Right.",
    "Yes, that's right.", "No, not really.", "I'm not sure.", "Okay, I see.", "Yes, please.", "Of course.",
    "No, nothing like that.",
)  # fmt: skip
THANKS: Final = (
    "Thanks.", "Thank you.", "Great, thanks!", "Thanks, that helps.", "Okay, thank you very much.", "Perfect, thanks.",
    "Got it, thanks.",
)  # fmt: skip
WELCOME: Final = ("You're welcome.", "Glad to help.", "No problem.", "My pleasure.", "Have a great day!")
ANYTHING_ELSE: Final = ("Is there anything else I can help with?", "Do you need anything else?", "Anything else?")
CUES: Final = (
    "By the way,", "Also,", "Next question.", "Another thing:", "One more thing.", "On another topic:",
    "Now, something else.", "Moving on.", "I also wanted to ask something else.", "Okay, next.", "Anyway,",
    "Changing the subject:",
)  # fmt: skip
SELF: Final = (
    "I have a {q} {n}.", "My {n} is {q}.", "I lost my {n} on {day}.", "We moved to {place} and the {n} is still {q}.",
    "I already tried to {v} the {n}.", "I wanted to {v} it last year.", "I got a letter about the {n}.",
    "My {m} was {q} when I checked.",
)  # fmt: skip
QUESTIONS: Final = (
    "How do I {v} the {n}?", "What is the {n}?", "Where can I {v} a {n}?", "Do I need a {n} to {v}?",
    "How much does the {n} cost?", "What happens if my {n} is {q}?", "Can I {v} my {n} online?",
    "How long does it take to {v} the {n}?", "Is the {n} {q}?", "Who decides about the {n}?",
    "Why would the {n} be {q}?", "What should I know about the {n} before I {v}?",
    "Could you tell me more about the {n}?", "When do I have to {v} the {n}?", "What kinds of {n} are there?",
    "I want to know how to {v} a {n}.", "What documents do I need for the {n}?", "Tell me about the {n}.",
    "Which {n} is best if I want to {v}?", "Does a {q} {n} count?", "What about the {n}?",
    "And the {n}, how does that work?", "What can I do to {v} faster?", "Is there a way to {v} without the {n}?",
)  # fmt: skip
FOLLOW_UPS: Final = (
    "How long does that take?", "And what if I don't have one?", "Can I do that online?", "Is it expensive?",
    "Why is that?", "What does that mean?", "Do I have to do it myself?", "And what about the {m}?",
    "Does that also hold for a {q} one?", "So I should {v} it first?", "What if it is {q}?", "Where do I find that?",
    "Then how do I {v} it?", "Who can help me with that?", "Is that {n} enough?", "Could you explain that again?",
    "What happens after that?", "And if they refuse?", "Can someone else {v} it for me?", "So the {n} has to be {q}?",
    "Would the {n} change then?",
)  # fmt: skip
FACTS: Final = (
    "You can {v} the {n} at {place}.", "The {n} has to be {q} before you {v}.", "It takes about {num} days.",
    "It costs {big} in total.", "You need the {n} and proof of the {m}.",
    "If the {n} is {q}, you have to {v} it again.", "That depends on the {n}.", "You may {v} as long as it isn't {q}.",
    "Most people {v} the {n} within {num} weeks.", "The {m} is sent to you after you {v}.",
    "They check whether the {n} is {q}.", "Bring it to {place} by {day}.",
    "The {n} is usually {q}, and the {m} comes with it.", "You can find the {n} on the page about the {m}.",
    "We only {v} the {n} when the {m} is {q}.", "No, the {n} does not change that.", "Yes, a {q} {n} is accepted.",
    "It is easier to {v} once you have the {n}.", "The {n} must not be older than {num} months.",
    "Unfortunately, I found nothing about that.", "{who} handles every {q} {n}.",
)  # fmt: skip
CHECKS: Final = (
    "Do you have a {q} {n}?", "Is your {n} {q}?", "Did you {v} the {n} before?", "Are you going to {v} it yourself?",
    "Would you like to know about the {m}?", "Have you already got the {n}?", "Was the {n} {q} when you got it?",
    "Do you want to {v} it now?", "Are you in {place}?", "Is the {m} in your name?",
)  # fmt: skip
SMALL_TALK: Final = ("What are you up to?", "How was your day?", "What do you do for fun?", "Tell me about yourself.")
TOLD: Final = (
    "I love to {v}.", "I have a {q} {n} at home.", "My favourite thing is the {n}.",
    "I just got back, I had to {v} the {n}.", "I spend every weekend with my {n}.", "I like to {v} in my free time.",
    "My brother bought a {n} and it is so {q}.", "I work with a {n} every day.", "I never liked a {q} {n}.",
    "I am trying to {v} more this year.", "We went to {place} for the {n}.", "I used to {v} when I was a kid.",
    "I really want a {n}.", "My mom taught me to {v}.",
)  # fmt: skip
MORE_TOLD: Final = (
    "Mine is {q} too.", "I also {v} sometimes.", "It takes a lot of time to {v}.", "Yes, the {n} is the best part.",
    "I prefer the {m} to the {n}.", "It was {q} but I liked it.", "I do that with my sister.",
    "I have never tried to {v}.", "The {m} can be hard.", "I usually {v} on {day}.",
    "They are {q}, that is why I like them.", "I am not good at it.", "I started {num} years ago.",
    "I only do it for fun.", "It makes me happy.", "I would be scared to {v}.", "That one is {q}, I think.",
)  # fmt: skip
ASKED: Final = (
    "Do you {v}?", "Do you have a {n}?", "What do you think of the {n}?", "Do you like to {v}?",
    "Have you ever seen a {q} {n}?", "What about you?", "Any {n} in your life?",
)  # fmt: skip
ASKED_BACK: Final = (
    "What kind?", "How often do you {v}?", "Is it {q}?", "Really? Why?", "How long have you had it?",
    "Do you {v} with the {m}?", "What about you?", "Where do you {v}?", "Which one is your favourite?", "Was it {q}?",
    "And the {m}?",
)  # fmt: skip
REACTIONS: Final = (
    "That sounds great!", "Wow, nice.", "Oh, cool.", "That is so sad.", "Ha, me too!", "I see.", "That's awesome!",
    "I agree.", "Interesting!", "I bet!", "Nice!", "Oh no.", "That must be fun.", "Good for you!",
)  # fmt: skip
REQUESTS: Final = (
    "I want to {v} a {n}.", "Can you find me a {q} {n} in {place}?", "I need to {v} the {n} on {day}.",
    "Please {v} a {n} for {num} people.", "I'm looking for a {n}.", "Could you help me {v} a {q} {n}?",
    "Find me a {n} please.", "I'd like to {v} something {q}.", "Show me the {n} for {day}.",
    "What {n} do you have in {place}?",
)  # fmt: skip
SLOTS: Final = (
    "For which day?", "In which city?", "How many people?", "What kind of {n} would you like?",
    "Do you want a {q} one?", "What time suits you?", "Should it be {q}?", "What is your budget?", "Under which name?",
    "Which {n} do you have in mind?",
)  # fmt: skip
SLOT_ANSWERS: Final = (
    "On {day}.", "In {place}.", "{num} please.", "A {q} one.", "I don't mind.", "At {num}:30.", "For {who}.",
    "Make it {q}, please.", "The {n}.", "Anything {q} is fine.", "Not more than {big}.",
)  # fmt: skip
CONFIRMATIONS: Final = (
    "Please confirm: a {n} in {place} on {day} for {num}.", "So a {q} {n} on {day}, is that right?",
    "I will {v} the {n} for {who} on {day}. Correct?", "Shall I {v} it?",
)  # fmt: skip
RESULTS: Final = (
    "I found {num} of them; there is a {q} {n} in {place}.", "Your {n} is booked.", "How about the {q} {n} in {place}?",
    "Done, the {n} is set for {day}.", "It is {q} and costs {big}.", "There is one {n} at {place}, rated {num}.",
    "The {n} starts at {num}:15.",
)  # fmt: skip
SUFFIXES: Final = (
    "for {who}", "in {place}", "by {day}", "on {day}", "like {who} did", "after {num} days", "at {place}",
    "for {num} people", "under {big}",
)  # fmt: skip
HESITATIONS: Final = (
    "Um,", "Uh", "Um", "I mean", "You know,", "And uh", "But um", "Yeah, but", "Because uh", "Or", "And then", "So",
    "Well,", "Okay,",
)  # fmt: skip
OPENERS: Final = ("Okay, so", "So,", "Right,", "Alright,", "Well,", "Good. So", "Okay.", "Um so", "Now,", "Okay, um")
SETTLED: Final = (
    "Okay.", "Good.", "Yeah.", "Alright.", "Mm-hmm.", "Okay, good.", "Right.", "Fine.", "Great.", "Yep.",
    "Okay, thank you.", "That's it.", "Thanks.",
)  # fmt: skip
BACKCHANNELS: Final = (
    "Mm-hmm.", "Yeah.", "Okay.", "Right.", "Uh-huh.", "Yep.", "Sure.", "Mm.", "Hmm.", "Alright.", "Oh.", "Yeah yeah.",
    "No.", "Exactly.", "I see.",
)  # fmt: skip
CLAUSES: Final = (
    "the {n}", "I think it's {q}", "it has to be", "we can {v} it", "that's what I meant", "and then the {m}",
    "or the {n} maybe", "because it's {q}", "if we {v} it", "which is {q}", "but I don't know", "that would be good",
    "like a {q} {n}", "so that's fine", "with the {m}", "you could do that", "it's not that {q}", "for the {n}",
    "that's the thing", "something like that", "not really",
)  # fmt: skip
MEETING_TALK: Final = (
    "we have to {v} the {n} and the {m}", "the {n} is too {q}", "I think we should {v} the {n}",
    "people don't like a {q} {n}", "what I did was {v} the {n}", "it's about {num} percent of the {n}",
    "I would go for the {q} {n}", "we decided to {v} the {m}", "the {m} depends on the {n}", "so the {n} will be {q}",
    "that makes the {n} more {q}", "it would cost {num} more to {v} the {n}",
)  # fmt: skip
GENERAL_TALK: Final = (
    "I don't know how they did it before", "we can do that later", "I guess it depends on what people want",
    "that's what most of them said", "you have to think about the whole thing", "it's kind of hard to say",
    "I'm just saying what I heard", "the way I see it is the same", "if there's enough time for it",
    "well they said it was possible", "I would have to look at it again", "you wouldn't want it any other way",
    "it doesn't matter that much", "maybe we should keep the {o}", "like with the {o} I mentioned",
    "and the {o} as well", "it's more of a feeling than anything", "because everybody has one already",
    "I thought we had agreed about the {o}", "sort of a mix of both", "at least for the people who use it",
    "which is what I was trying to say",
)  # fmt: skip
MEETING_QUESTIONS: Final = (
    "do we {v} the {n}?", "what about the {m}?", "is it {q}?", "how do you {v} that?", "who does the {n}?",
    "can we do that?", "does that make sense?",
)  # fmt: skip
MEETING_SHIFTS: Final = (
    "let's move on to the {n}.", "the next thing is the {n}.", "we should talk about the {n} now.",
    "next on the agenda is the {n}.", "now we have the {n}.", "{who}, do you want to start with the {n}?",
    "the other thing is the {n} and the {m}.", "I wanted to discuss the {n}.", "let us look at the {n}.",
    "I will show you the {n}.", "first of all the {n}.",
)  # fmt: skip
MEETING_ASIDES: Final = (
    "like the first one", "we discussed that", "in the end it's {q}", "next to the {m}", "that's a good question",
    "another {n}", "also the {m}", "let's see", "now I {v} it", "first of all it's {q}", "as in the last meeting",
    "I just started with it", "that's the first thing", "or at the end of it",
)  # fmt: skip
PROMPTS: Final = (
    "How do I {v} a {n} without making it {q}?", "Explain how the {n} works.", "Write a short text about a {q} {n}.",
    "I need a plan to {v} the {n} in {num} days.", "What are the best ways to {v} a {n}?",
    "Can you compare the {n} and the {m}?", "Give me {num} ideas for a {q} {n}.",
    "Help me decide between a {n} and a {m}.", "What is the difference between a {q} {n} and a normal one?",
    "Why does my {n} get {q} when I {v}?", "Summarise what I should know about the {n}.",
    "I'm trying to {v} a {n} in {place}. What should I watch for?", "Please help me {v} the {n}.",
)  # fmt: skip
PROMPT_FOLLOW_UPS: Final = (
    "Can you make it shorter?", "Could you give an example?", "Add the {m} to it.", "What if the {n} is {q}?",
    "Can you explain the second point?", "That doesn't work, it is still {q}.", "Now do the same for the {m}.",
    "How would I {v} it then?", "Which one would you choose?", "Make it more {q}.", "And in {place}?",
    "I prefer the first one. Go on.", "Can you turn that into a list?", "Is the {n} really needed?",
    "What does that cost?",
)  # fmt: skip
LONG_ANSWERS: Final = (
    "To {v} a {n}, start with the {m} and make sure that it is not {q}.",
    "A {q} {n} usually needs more care, so plan about {num} days for it.",
    "Here are the main points about the {n}: first, {v} it; second, check the {m}.",
    "The {n} and the {m} are closely related: when one is {q}, the other often is too.",
    "If you want to {v} it in {place}, ask about the {n} beforehand.",
    "Many people forget the {m} when they {v} the {n}.", "In short, choose the {q} {n}.",
    "You can also {w} it, which keeps the {n} from getting {q}.", "A good rule is to {v} the {n} every {num} days.",
    "Let me know if you would like more detail about the {m}.", "It is worth spending {big} on a good {n}.",
    "That said, the {n} is only part of it: the {o} matters as well.",
    "For example, {who} had to {v} the {n} twice before the {m} was right.",
)  # fmt: skip
TEAM_NEWS: Final = (
    "The {n} is {q} again.", "I had to {v} the {n} this morning.", "Heads-up: we will {v} the {n} on {day}.",
    "{who} asked about the {n}.", "Has anyone seen the {n}?", "We need to talk about the {n}.", "I finished the {n}.",
)  # fmt: skip
PLANS: Final = (
    "I'll {v} the {n} by {day}.", "Let's {v} it on {day}.", "I can look at the {m} tomorrow.",
    "Let's go with the {q} {n}.", "We agreed to {v} the {m}.",
)  # fmt: skip
ORDERS: Final = (
    "Please {v} the {n} in src/{v}.py.", "The {n} is {q}; find out why.", "Add a check for a {q} {n}.",
    "{v} the {n} and run the tests.", "Can you fix the {n}? It fails with the {m}.", "Write a function to {v} a {n}.",
    "Now update the {n}.", "Rename the {n} to {m}.",
)  # fmt: skip
STEPS: Final = (
    "Let me look at the {n}.", "I'll search for the {n} first.", "Running the tests for the {n}.",
    "Checking where we {v} the {m}.", "I'll open the file with the {n}.", "Now I {v} the {n}.",
)  # fmt: skip
OUTPUTS: Final = (
    "src/app/{v}.py:{num}: {n} = {q}", "ERROR {n} is {q} (code {big})", "{num} passed, 1 failed: test_{v}",
    "def {v}(self):", "INFO {m} took {big} ms", "warning: {n} not {q}", "ok", "+{num} -{num} {v}.py", "return {big}",
    "total {num}",
)  # fmt: skip
REPORTS: Final = (
    "I changed the {n} so that it is no longer {q}.", "All {num} tests pass now.",
    "The {n} was {q} because of the {m}; that is fixed.", "Done. The {n} is in place.",
    "I could not {v} the {n}: the {m} is {q}.",
)  # fmt: skip

ATTRIBUTES: Final = (
    "price", "address", "phone number", "rating", "opening time", "departure time", "postcode", "reference number",
    "total", "distance", "arrival time", "name", "area",
)  # fmt: skip
DETAILS: Final = (
    "What is the {a}?", "What's their {a}?", "Can you give me the {a}?", "Could I get the {a} and the {b}, please?",
    "I also need the {a}.", "Does it have a {m}?", "Is it {q}?", "Do they have a {q} {m}?", "Is there a {m} there?",
    "How far is it?", "When does it start?", "Which one has the best {a}?", "And the {a}?", "What about the {a}?",
)  # fmt: skip
GIVEN: Final = (
    "The {a} is {big}.", "The {a} is {num} and the {b} is {big}.", "It is {q}, and the {a} is {num}.",
    "Yes, it has a {m}.", "No, there is no {m}.", "Their {a} is {big}. Anything else?",
    "It is in {place}, the {b} is {num}.", "Yes, there is one {num} miles away.", "Sorry, I don't know the {a}.",
)  # fmt: skip
CHOICES: Final = (
    "That sounds good.", "Great, please {v} it.", "Are there any others?", "Something else, please.",
    "I like that one.", "Can you {v} it for {num} people on {day}?", "Do you have one in {place}?",
    "Perfect, that works for me.", "Do you have anything {q}?", "Yes, please {v} it for me.",
    "No, show me another {n}.", "It should be {q}.", "I would prefer a {q} one.", "Any of them is fine.",
    "Yes, and it should be in {place}.", "Which one do you recommend?",
)  # fmt: skip
DONE: Final = (
    "I have {v} it for {num} people. The {a} is {big}.", "All done. Your {a} is {big}.", "Okay, it is set for {day}.",
    "I was unable to {v} it on {day}. Would you like another time?", "Your {n} is confirmed, {a} {big}.",
    "Setting it for {day} at {num}.", "I found {num} {q} ones. How about {who}'s in {place}?",
    "There are {num} options, for example a {q} one in {place}. Does that work?",
    "The nearest {n} is {num} miles away.",
)  # fmt: skip
NEW_TASKS: Final = (
    "Find the {n} nearest to me.", "What is the {n} like on {day}?", "Where is the nearest {n}?",
    "I am looking for a {q} {n}.", "I need to find a {n} in {place}.", "I want to {v} a {n}.",
    "Can you help me find a {n}?", "Please {v} a {n} on {day}.", "Is there a {n} in {place}?",
    "I'd like some information about a {n}.", "Could you find me a {q} {n} for {day}?", "Help me {v} a {n}.",
    "I will be in {place} on {day} and need a {n}.", "When is my {n}?", "Give me directions to a {n}.",
    "Set a reminder for my {n} on {day}.", "Are there any {q} {n} options in {place}?", "Show me some {n} places.",
    "I have to {v} something {q}.", "Get me a {n} for {num} people.", "My friend told me about a {n} in {place}.",
)  # fmt: skip
ENDS: Final = (
    "Thanks, that's all.", "No, that is all I need.", "Thank you, I'm all set.", "That will be all, thanks.",
    "Thanks a lot!", "No, that's everything.", "Great, thank you for your help.", "Thanks.", "Thank you so much, bye.",
    "Okay, thanks!", "Perfect. That is all for now.", "Nothing else, thank you.", "Sounds great, that's it for today.",
    "Awesome, thank you.",
)  # fmt: skip
FAREWELLS: Final = (
    "You're welcome!", "Have a nice day.", "Glad I could help. Goodbye!", "Enjoy your {n}!",
    "Happy to help. Take care!", "You are welcome, have a great day!", "Thank you for using our service.",
    "My pleasure.", "Anytime!", "Bye.", "Great, enjoy your day!", "No problem.",
)  # fmt: skip
ACKNOWLEDGED: Final = (
    "Thanks for the suggestions!", "That's helpful.", "Those are great ideas!", "That makes sense.", "Great, thanks!",
    "I like the second idea.", "Sure,", "Yes,", "I see, thank you.", "Thanks for explaining.", "Wow, that is a lot.",
    "I appreciate the advice.", "Okay, I tried that.", "Good point about the {m}.", "You said the {n} could be {q}.",
)  # fmt: skip
REMARKS: Final = (
    "I always {v} the {o} first.", "I never liked a {q} {o}.", "I usually avoid anything {q}.",
    "I work with the {m} a lot.", "My {o} is old, by the way.", "I prefer to {v} alone.",
    "I've been doing this for {num} years.",
)  # fmt: skip
CHAT_STARTS: Final = (
    "I'm thinking about a new {n}. Any suggestions?",
    "I've been trying to {v} a {n} lately, but it is {q}. Do you have any tips?",
    "Write a function that can {v} a {n}.", "What is a {n}?", "Who invented the {n}?", "Tell me a joke about a {n}.",
    "Translate this into French: the {n} is {q}.", "Here is a text about a {n}. Summarise it.",
    "I need ideas for a {q} {n}.", "Can you recommend a {n} for a beginner?",
    "I work with a {n} and want to {v} it better. Where do I start?",
    "I'm planning to {v} a {n} in {place} on {day}. Can you help?",
    "Make a list of {num} things one can do with a {n}.",
    "Act as an expert in {n}. What would you say about a {q} one?", "Why is the {n} so {q}?",
    "Rewrite this: my {n} is {q}.", "Which {n} should I {v} first?", "How does one {v} a {n}?",
    "My {n} doesn't work, what can I do?",
)  # fmt: skip
MATTERS: Final = (
    "I'm trying to {v} the {n}, and I want to make sure that it is not {q}.",
    "I'm trying to understand how the {n} and the {m} work together.", "I'm working on a {q} {n}.",
    "I'm a bit worried that my {n} is {q}.", "I've decided to {v} the {n} by {day}.",
    "I have {num} days to {v} the {n}.", "I'm struggling to {v} a {q} {n}.",
    "{who}, who knows a lot about the {n}, told me to {v} it.", "I need to finish the {n} before I {w} the {m}.",
    "I've spent {big} on the {n} and it is still {q}.", "I'd like to improve the {n}, especially the {m}.",
    "I've never had a {n} before, so I'm starting from scratch.", "I read that one should {v} the {m} and {w} the {n}.",
    "My goal is a {q} {n} within {num} weeks.", "I keep getting a {q} {n} when I {v}.",
    "I agreed with {who} to {v} the {n} in {place}.", "I want to learn more about the {n}.",
)  # fmt: skip
ASKED_FOR: Final = (
    "Can you help me with that?", "Can you help me {v} the {n}?", "What do you think?", "Where should I begin?",
    "Could you walk me through the steps?", "Can you check whether that is right?", "Do you have any tips?",
    "How can I make sure that the {n} is {q}?", "Can you suggest some improvements?", "Did I miss anything?",
    "Please explain it with an example.", "Can you make me a plan with the {n} and the {m}?", "What do you recommend?",
    "How should I {v} it without losing the {m}?", "Any ideas for the {n}?", "Which {n} should I choose?",
    "Can you show me how to {v} the {m}?", "Would you say that is a {q} choice?",
)  # fmt: skip
PASTED: Final = (
    "Here is what I have:\n1. {v} the {n}\n2. {w} the {m}\n3. check that it is {q}",
    "This is my draft: the {n} is {q}, the {m} costs {big}, and {who} will {v} both on {day}.",
    "My notes so far: {n}, {num}; {m}, {big}; {v} before {day}.",
    "```\ndef {v}(value):\n    return value * {num}\n```",
)  # fmt: skip
