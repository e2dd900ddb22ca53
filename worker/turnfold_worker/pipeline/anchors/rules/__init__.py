"""Tables of phrases: what people do with a clause.

rule              a rule, and the lists of words that phrases share
deed_rules        promise, ask
change_rules      decide, correct
statement_rules   state; and what tells kinds of statements
standing_rules    limit, instruct, like and insist: what holds for all that follows
lasting_rules     be somebody; and what is only said in passing
attribute_rules   be, have or cost: of which there is one value at a time
home_rules        live somewhere
state_rules       be in a state: pending, approved, done
frame_rules       state one value of a thing: what it is called, where it is, who does it, whether it is needed
relation_rules    meet, gather, get together: verbs that say one relation
value_change_rules   change: a value, a name, who does something
turnover_rules   replace, give up, leave, part: what is had no longer
doubt_rules       feel, guess, aim and chat: what is hardly asked for later
reply_rules       answer
courtesy_rules    part, cheer, long: what only sounds like a promise or a request
wanted_rules      words, a text or a deed: what is asked for
"""
