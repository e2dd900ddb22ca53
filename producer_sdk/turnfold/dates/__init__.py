"""Times in text: the days that words mean, counted from the day on which they were said. Pure, without a clock.

time_expression  a time that a text tells
direction    whether a clause tells of the past or of what is to come
numbers      counts as people say them
near_days    days and periods near one: by hours, by their number in the month
seasons      seasons that are counted from a day
written      times that are written out: '14 May 2026', 'Q3 2025'
relative     times that are counted from a day: 'two weeks ago', 'next Friday'
composed     times that several words place: 'the Friday before last', 'the last Friday in June'
decades      decades, parts of years, and feasts of several days: 'the late nineties', 'over Easter'
beside       times that another time places: 'the week before 9 June'
spans        times that last or come back: 'for six months now', 'every Tuesday'
expressions  the times that a text tells: all of the above
resolve      words that count from a day, replaced by what they mean
note_time    the one time that a statement speaks of
validity     what held on a day
passed       whether the times that a text names have passed
"""
