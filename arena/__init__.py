"""Tournaments between game-playing programs. Nothing is imported here, so that a bot imports `arena.v1` cheaply."""
