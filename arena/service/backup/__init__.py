"""Backs a home up into one archive while its service runs, and restores it. No sockets, no playing."""
