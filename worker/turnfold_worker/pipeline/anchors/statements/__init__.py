"""Analysis of a single statement from its own words.

question_split      where a statement ends and a question begins
temporal_scope      the time of validity: now, later, on some days, once, as a habit
alone               whether the statement is understandable out of context
obligations         what it forbids, demands, allows or excuses
limits              the limit it sets
style_wishes        the wanted style of answers
overrides           phrases that set a plan aside without naming it: 'scratch that', '… instead'
attributes          attributes with one value at a time: an age, a pay, an owner
frames              a clause without the value it states
needs               who needs what, and for whom
moves               what was moved to another time or place
value_changes       what changed, and its value now
turnovers           what was replaced or given up: 'we traded in the Civic', 'we let Tom go'
restated            restatements with another value and a word for now: 'the dog sleeps in the kitchen these days'
endings             what no longer holds, without a new value: 'we no longer use Kafka'
holders             the holder of a role that one person holds at a time
employers           the employer of a person, and a change of employer
repairs             brief corrections that give only a value
deeds               promised or requested deeds: the verb and its object
denials             what a speaker denies ever having done, and statements that contradict it
completion_reports  whether a promised deed is reported as done
slots               whether a statement answers a question in other words
numbers             corrections of a phone number that was given along with an address
"""
