"""The verbs of `arena replay`, a file for each. No other noun imports them."""
