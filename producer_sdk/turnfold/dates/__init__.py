"""Times in text: the days that words mean, counted from the day on which they were said. Pure, without a clock.

numbers      counts as people say them
near_days    days and periods near one: by hours, by their number in the month
seasons      seasons that are counted from a day
written      times that are written out: '14 May 2026', 'Q3 2025'
relative     times that are counted from a day: 'two weeks ago', 'next Friday'
beside       times that another time places: 'the week before 9 June'
spans        times that last or come back: 'for six months now', 'every Tuesday'
expressions  the times that a text tells: all of the above
resolve      words that count from a day, replaced by what they mean
note_time    the one time that a statement speaks of
validity     what held on a day
passed       whether the times that a text names have passed
"""
