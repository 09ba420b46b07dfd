"""The table of the rules that a bot must keep, with what its author is told where it does not. Values only."""
