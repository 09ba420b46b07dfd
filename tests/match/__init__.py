"""Tests of `arena.match`."""
