"""Tournaments and matches as one file of HTML that opens without a server: everything inside, matches packed small."""
