"""The verbs of `arena tournament`, a file for each; the formats of `run` have a folder. No other noun imports them."""
