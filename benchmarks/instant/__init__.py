"""Bots that answer at once, for measuring everything but thinking."""
