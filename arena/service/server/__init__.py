"""Serves the owners: who calls, what he may do, and what is answered. What is played and when is decided elsewhere."""
