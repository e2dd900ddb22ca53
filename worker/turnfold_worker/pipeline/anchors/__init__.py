"""Verbatim spans that must not be lost, and which earlier ones they repeat, correct or settle.

What a clause does and says, each package using only those before it:

ranks         the order in which anchors are shown
assistants    who among the speakers is an assistant
rules         phrases by which people promise, ask, decide, correct, state and answer
statements    what one statement says: what is done, demanded, limited, when it holds, what it asks
acts          what each turn does, by these and by what the turn before left open
heads         what trained heads add to the rules, with or without sentence vectors
settling      what one anchor does to those before it: it repeats, corrects, answers or finishes them

The anchors of a segment, by all of these:

standing      limits, instructions, preferences and decisions, whatever else a clause does
worth         how sure it is that a clause matters later, by named factors
refusals      what only refuses an offer, and corrects nothing
binding       what only sounds like a promise or a request, and binds nobody
drafts        anchors before they meet earlier ones
bearing       how far an anchor bears on later answers
agreed        proposals that the next turn agrees to
candidates    what each clause does most surely
extraction    the anchors of a segment
reports       few words that may say that what an earlier segment left open is done
deduplicate   the anchors of a segment against the earlier ones of the conversation
"""
