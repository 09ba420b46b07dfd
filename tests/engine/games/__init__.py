"""Tests of `engine.games`."""
