"""A bot that has a UCI chess engine play for it: it translates between the engine's moves and the ids of actions."""
