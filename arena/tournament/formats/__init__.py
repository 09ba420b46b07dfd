"""Formats, and all arithmetic of schedules, as pure functions of (entrants, results so far, seed).

Nothing here reads the database or a clock, or imports the rest of `arena.tournament`.
"""
