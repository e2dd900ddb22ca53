"""Tables of phrases for what people do with a clause.

rule              a rule, and the lists of words that phrases share
deed_rules        promises and requests
change_rules      decisions and corrections
statement_rules   facts, and cues for kinds of statements
standing_rules    limits, instructions, preferences and insistence: what holds for all that follows
lasting_rules     lasting facts about a person, as opposed to passing remarks
attribute_rules   attributes with one value at a time
home_rules        where someone lives
state_rules       states of a thing: pending, approved, done
frame_rules       clauses with one value of a thing: its name, its place, its owner, whether it is needed
relation_rules    verbs for one relation: meet, gather, get together
value_change_rules   changes of a value, a name or an owner
turnover_rules   replacement, giving up, leaving, parting: what someone no longer has
doubt_rules       feelings, guesses, aims and chat: what is hardly asked for later
reply_rules       replies
courtesy_rules    farewells, cheers and vows: what only sounds like a promise or a request
wanted_rules      what is asked for: words, a text or a deed
"""
