"""One file for each noun of the command line; what they have in common is in `arena.cli.shared`."""
