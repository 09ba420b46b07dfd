"""Tests of `arena.hosting.archive`."""
