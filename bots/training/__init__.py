"""Looks for better weights of an evaluation by self-play: `python -m bots.training GAME`. Knows no game by itself."""
