"""The verbs that are too long for the file of their noun, in a folder for each noun. No other noun imports them."""
