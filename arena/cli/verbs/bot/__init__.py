"""The verbs of `arena bot` that a bot meets after it was written, a file for each. No other noun imports them."""
