"""What can be counted over many matches: against whom, from which seat, how long. Plain counts, no model."""
