"""Tournaments: creating them, planning their waves, playing them to the end.

It starts no process and opens no database session: what plays matches and where programs lie are protocols here.
"""
