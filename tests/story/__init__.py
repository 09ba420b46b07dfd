"""Tests of `arena.story`."""
