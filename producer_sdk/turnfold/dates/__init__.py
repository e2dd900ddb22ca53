"""Time expressions in text, resolved against the day on which the text was written. Pure, without a clock.

time_expression  the type of a time expression
direction    whether a clause is about the past or the future
numbers      counts in words
near_days    days and periods close to a day: by hours, by their number in the month
seasons      seasons relative to a day
written      absolute times: '14 May 2026', 'Q3 2025'
relative     relative times: 'two weeks ago', 'next Friday'
composed     times of several words: 'the Friday before last', 'the last Friday in June'
decades      decades, parts of years, and holidays of several days: 'the late nineties', 'over Easter'
beside       times relative to another time in the text: 'the week before 9 June'
ordinals     days of the month in a text that names the month: 'from 4 October on, back on the 19th'
spans        durations and recurring times: 'for six months now', 'every Tuesday'
expressions  find all time expressions of a text
resolve      replace relative times by absolute ones
note_time    the single time that a statement is about
validity     which anchors were active on a day
passed       whether the times in a text have passed
"""
