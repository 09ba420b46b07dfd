"""Where time goes while matches are played: processor time by what it is spent on, and the wall time of a match."""
