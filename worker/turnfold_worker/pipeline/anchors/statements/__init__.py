"""What one statement says, by its own words.

asked          where a statement ends and a question begins
when           when it holds: now, later, on some days, once, as a habit
alone          whether it means something alone
duties         what it forbids, demands, allows or excuses
limits         the limit that it sets
manner         how answers are wanted
overrides      what sets a plan aside without naming it: 'scratch that', '… instead'
attributes     what it says of which there is one value at a time: an age, a pay, an owner
frames         all of a clause but the value that it states
needs          who needs what, and for whom
moves          what was moved to another time or place
value_changes  what changed, and what it is now
turnovers      what took the place of something, or is had no longer: 'we traded in the Civic', 'we let Tom go'
restated       what is said again with another value and a word for now: 'the dog sleeps in the kitchen these days'
endings        what holds no longer, without another value: 'we no longer use Kafka'
holders        who holds a role that one person holds at a time
employers      for whom somebody works, and for whom from now on
repairs        few words that say a value and that another one was wrong
deeds          what was promised or asked for: the verb, and what it is done to
denials        what somebody never did, and whether another statement says that he did
done           whether it reports that a promised deed is done
slots          whether it answers a question in other words
numbers        a number for calls that is corrected alone, beside an address
"""
