"""Tests of `arena.hosting.uploads`."""
