"""Trial matches, which belong to no tournament: what they show of a bot, in words for its author. No database."""
