"""The verbs of `arena match`, a file for each, and the parts of what they print. No other noun imports them."""
