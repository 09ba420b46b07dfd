"""Confines bots: levels, limits, command lines, and trials of them on this machine. It knows nothing of matches."""
