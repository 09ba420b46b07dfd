"""What visitors may know of an error: nothing of the machine, whoever they say they are."""
