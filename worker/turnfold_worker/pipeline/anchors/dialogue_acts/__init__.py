"""Dialogue acts of each turn: promise, ask, decide, state, correct.

open_exchange  what a turn leaves open for the next one
clause         a clause with its speaker, its addressee and the kind of turn it is in
turn_acts      the acts of each turn, from both
"""
