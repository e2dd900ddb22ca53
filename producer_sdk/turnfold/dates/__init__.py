"""Times in text: the days that words mean, counted from the day on which they were said. Pure, without a clock."""
