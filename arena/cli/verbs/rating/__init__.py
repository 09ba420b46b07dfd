"""The verbs of `arena rating`, a file for each. No other noun imports them."""
