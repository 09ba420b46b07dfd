"""Matches as the viewer shows them: told once, kept while there is room, checked on demand."""
