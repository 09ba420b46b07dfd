"""Bots that answer whole turns at once, for measuring what several actions in an answer save."""
