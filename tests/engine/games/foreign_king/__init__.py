"""Tests of `engine.games.foreign_king`."""
