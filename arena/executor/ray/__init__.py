"""Plays matches on the machines of a Ray cluster. Only `library` imports Ray, and only when it is asked."""
