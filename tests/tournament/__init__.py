"""Tests of `arena.tournament`."""
