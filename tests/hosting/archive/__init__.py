"""Tests of `arena.hosting`."""
