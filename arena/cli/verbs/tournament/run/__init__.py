"""`arena tournament run`: one file for each format. How a format pairs bots is in `arena.tournament.formats`."""
