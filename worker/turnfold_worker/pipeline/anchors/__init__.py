"""Extract anchors, verbatim spans that must survive folding, and settle them against the conversation's earlier ones.

Understanding a clause; each package uses only the ones listed before it:

ranks          the static order in which anchors are shown
assistants     which speakers are assistants
rules          tables of phrases by which people promise, ask, decide, correct, state and answer
statements     the content of one statement: deeds, duties, limits, values, time of validity, questions
dialogue_acts  the dialogue acts of each turn, from the rules and from what the previous turn left open
heads          trained heads that add what the rules miss
reconcile      how a new anchor affects earlier ones: it repeats, corrects, answers or completes them

Building the anchors of a segment:

standing           limits, instructions, preferences and decisions, whatever else the clause does
worth              the score of a clause as a sum of named factors
refusals           refusals of an offer, which correct nothing
commitment_filter  clauses that only sound like a promise or a request
drafts             anchors before they are compared with earlier ones
bearing            how relevant an anchor stays for later answers
agreed             proposals that the next turn accepts
candidates         the most certain act of each clause
extraction         the anchors of a segment
reports            short statements that may settle an earlier anchor
deduplicate        merging of a segment's anchors into those of the conversation
"""
