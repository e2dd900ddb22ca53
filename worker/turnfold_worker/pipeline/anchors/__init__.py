"""Verbatim spans that must not be lost, and which earlier ones they repeat, correct or settle.

What a clause does, by tables of phrases:

act_rules     promise, ask
change_rules, statement_rules   decide, correct; state
reply_rules   answer
done_at_once  what sounds like a promise, but is done while it is said
asked         where a statement ends and a question begins
before        what a turn leaves open for the next
clause        who says a clause, to whom, in what kind of turn
acts          what each turn does, by all of these

What is kept of it:

evidence, head, weights   what trained heads add to the rules, with or without sentence vectors
drafts        anchors before they meet earlier ones
refusals      what only refuses an offer, and corrects nothing
extraction    the anchors of a segment
reports       few words that may say that what an earlier segment left open is done

What becomes of earlier ones:

likeness, differences   how alike two anchors are, and in what they differ
limits, duties, manner, repairs   what a statement limits, forbids or allows, mends
deeds, done, when   what was promised, what a report says is done, and whether it tells of now
settling      what one new anchor does to those before it
deduplicate   the anchors of a segment against the earlier ones of the conversation
"""
