"""Tests of `arena.hosting.proc`."""
