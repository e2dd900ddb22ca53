"""What each turn does: promise, ask, decide, state, correct.

before      what a turn leaves open for the next
clause      who says a clause, to whom, in what kind of turn
turn_acts   what each turn does, by all of these
"""
